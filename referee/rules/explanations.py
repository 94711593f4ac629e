"""The words of every option and every value, and where each comes from: a table, no code.

The sources are named as a reader can find them:

- wikiHow: "Play Moon (Domino Game)", its methods and steps
- gamerules.com: "Three-Player Moon"
- eHow: "Rules for Shoot the Moon Dominoes"; eHow, How to Play: "How to Play Moon Dominoes"
- Kelley: dominorules.com, from the Great Book of Domino Games, 1999
- Fosdick: bestfreenewgames.com; West: the variation of J. D. West
- pagat.com, domino-games.com, domino-play.com: their pages on Moon, as far as they could be read
- vab: the program vab-dominoes-texas42
- Texas 42: the larger game of the family, for what no text on Moon says
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from referee.rules.suits import TRUMPS, Trump

NO_SOURCE = "no source"


class Answer(NamedTuple):
    """One value of an option."""

    says: str
    source: str


class Question(NamedTuple):
    """One option."""

    section: str
    asks: str
    answers: Mapping[str, Answer]
    """By value; empty for the options whose value is a number or a list."""


_TABLE, _AUCTION, _CALL = "The table", "The auction", "Widow and trump"
_PLAY, _SCORES, _END = "The play", "The scores", "The end"

QUESTIONS: Mapping[str, Question] = MappingProxyType(
    {
        "players": Question(
            _TABLE,
            "how many play",
            {
                "3": Answer("three players", "wikiHow, Method 1; gamerules.com; eHow"),
                "4": Answer("four players", "wikiHow, Method 2"),
            },
        ),
        "tileset": Question(
            _TABLE,
            "which tiles are used",
            {
                "22": Answer(
                    "22 tiles: the double-six set without the blanks 1-0 to 6-0, but with 0-0",
                    "wikiHow, Method 1; gamerules.com; pagat.com; eHow as it counts them",
                ),
                "21": Answer(
                    "21 tiles: the double-six set without any blank, so that nothing is left in "
                    "the middle",
                    "wikiHow, Method 3; Fosdick",
                ),
                "28": Answer(
                    "all 28 tiles of the double-six set", "wikiHow, Method 2; pagat.com; West"
                ),
            },
        ),
        "sides": Question(
            _TABLE,
            "who plays together",
            {
                "each_alone": Answer(
                    "each player plays alone", "wikiHow, Method 1; gamerules.com; eHow"
                ),
                "pairs_02_13": Answer(
                    "two pairs: seats 0 and 2 against seats 1 and 3",
                    "wikiHow, Method 2; that partners sit opposite is from Texas 42",
                ),
            },
        ),
        "first_bidder": Question(
            _TABLE,
            "who bids first in the first deal",
            {
                "lot": Answer(
                    "a seat drawn by lot, from the seed of the match", "gamerules.com; pagat.com"
                ),
            },
        ),
        "rotate_first_bidder": Question(
            _TABLE,
            "who bids first later",
            {
                "true": Answer(
                    "the first bid moves one seat clockwise every deal", "gamerules.com; eHow"
                ),
                "false": Answer("the same seat bids first in every deal", NO_SOURCE),
            },
        ),
        "bid_rounds": Question(
            _AUCTION,
            "how often a player may bid",
            {
                "once": Answer(
                    "each player bids or passes once",
                    "gamerules.com; eHow; pagat.com; Kelley; Fosdick",
                ),
                "until_all_but_one_pass": Answer(
                    "the auction goes round until all but one have passed", "vab"
                ),
            },
        ),
        "min_bid": Question(
            _AUCTION,
            "the lowest bid",
            {
                "3": Answer("the lowest bid is three tricks", "wikiHow, Method 4; vab"),
                "4": Answer(
                    "the lowest bid is four tricks",
                    "wikiHow, Method 1, step 3; gamerules.com; eHow; pagat.com",
                ),
                "5": Answer("the lowest bid is five tricks", "wikiHow, Method 4; vab"),
            },
        ),
        "max_bid": Question(
            _AUCTION,
            "the highest number bid",
            {
                "7": Answer(
                    "a number bid goes up to 7, all the tricks; every bid must be higher than "
                    "the last",
                    "wikiHow, Method 1, step 3; gamerules.com; eHow",
                ),
            },
        ),
        "moon_bid": Question(
            _AUCTION,
            "whether the moon can be bid",
            {
                "true": Answer(
                    "over the numbers there is the moon, a bid of 21: all seven tricks for "
                    "higher stakes",
                    "wikiHow, Method 1, step 3; gamerules.com; eHow",
                ),
                "false": Answer("there is no bid of 21", "West, who names only 4 to 7"),
            },
        ),
        "moon_opening": Question(
            _AUCTION,
            "when the moon can be bid",
            {
                "any_time": Answer(
                    "21 may be bid over any bid, or as the first",
                    "wikiHow, Method 1, step 3; gamerules.com; eHow",
                ),
                "only_over_7": Answer(
                    "21 may be bid only over a 7",
                    "domino-games.com; domino-play.com; eHow, How to Play",
                ),
            },
        ),
        "moon_overcall": Question(
            _AUCTION,
            "whether the moon can be outbid",
            {
                "off": Answer(
                    "21 ends the auction at once", "wikiHow, Method 1, step 3; gamerules.com; eHow"
                ),
                "42": Answer(
                    "42 may be bid over 21; it too asks for all seven tricks, for 42 points",
                    "vab, as an option",
                ),
            },
        ),
        "all_pass": Question(
            _AUCTION,
            "what happens when everybody passes",
            {
                "redeal": Answer(
                    "when everybody passes, the tiles are dealt again",
                    "domino-games.com; domino-play.com",
                ),
                "force_last": Answer(
                    "when all others have passed, the last player must bid",
                    "wikiHow, Method 4, for four players",
                ),
            },
        ),
        "force_value": Question(
            _AUCTION,
            "what a forced player bids",
            {
                "exact_min": Answer(
                    "a player who is forced to bid bids the minimum, no more",
                    'wikiHow, Method 4 ("must bid 4"); vab',
                ),
                "at_least_min": Answer("a player who is forced to bid may bid anything", NO_SOURCE),
            },
        ),
        "redeal_first_bidder": Question(
            _AUCTION,
            "who bids first after a redeal",
            {
                "advance": Answer(
                    "after a redeal the next player bids first", "no text on Moon; Texas 42, vab"
                ),
                "same": Answer("after a redeal the same player bids first", NO_SOURCE),
            },
        ),
        "redeal_limit": Question(_AUCTION, "how many redeals there may be in a row", {}),
        "exchange": Question(
            _CALL,
            "what the declarer does with the widow",
            {
                "take_then_discard": Answer(
                    "the declarer takes the widow, then lays one of the eight tiles aside "
                    "unseen, which may be the widow itself",
                    "wikiHow, Method 1 and Method 3; gamerules.com; eHow",
                ),
                "optional": Answer(
                    "the declarer may take the widow and lay a tile aside unseen, or leave it "
                    "without looking",
                    "Kelley; domino-games.com; eHow, How to Play",
                ),
                "none": Answer(
                    "all tiles are dealt, so there is no widow and no exchange",
                    "follows from the tiles: wikiHow, Method 2 and Method 3",
                ),
            },
        ),
        "trump_named": Question(
            _CALL,
            "when trump is named",
            {
                "after_exchange": Answer(
                    "trump is named after the exchange, before the first lead",
                    "wikiHow, Method 1, step 4; gamerules.com; eHow",
                ),
                "before_exchange": Answer(
                    "trump is named before the widow is seen", "wikiHow, Method 3"
                ),
            },
        ),
        "trumps": Question(_CALL, "what can be trump", {}),
        "none_doubles": Question(
            _CALL,
            "what doubles are without trump",
            {
                "high": Answer("without trump a double is the highest of its number", "eHow; vab"),
                "low": Answer(
                    "without trump a double is the lowest of its number",
                    "no text on Moon; Texas 42, low contracts",
                ),
                "own_suit": Answer(
                    "without trump the doubles are a suit of their own",
                    "no text on Moon; Texas 42, low contracts",
                ),
            },
        ),
        "first_lead": Question(
            _PLAY,
            "what the declarer leads first",
            {
                "any": Answer(
                    "the declarer leads any tile to the first trick",
                    "wikiHow, Method 1, step 5; gamerules.com; eHow",
                ),
                "trump": Answer(
                    "the declarer opens with a trump if there is one in the hand",
                    "domino-games.com; eHow, How to Play",
                ),
            },
        ),
        "led_suit": Question(
            _PLAY,
            "which suit a lead calls",
            {
                "higher_end": Answer(
                    "a led tile calls trump if it is one, else its higher number",
                    "wikiHow, Method 1, step 5; gamerules.com; eHow",
                ),
                "leader_calls": Answer(
                    "the leader says which end of the tile is called", "domino-play.com"
                ),
            },
        ),
        "follow_rule": Question(
            _PLAY,
            "what must be played to a lead",
            {
                "follow_first": Answer(
                    "whoever holds the suit led must play it; whoever does not plays anything",
                    "wikiHow, Method 1, step 5; gamerules.com; eHow",
                ),
                "follow_or_trump": Answer(
                    "to a lead that is no trump, play its suit or a trump; whoever holds neither "
                    "plays anything",
                    "eHow, How to Play",
                ),
            },
        ),
        "play_out": Question(
            _PLAY,
            "whether a decided deal is played on",
            {
                "all_seven": Answer(
                    "all seven tricks are played", "wikiHow, Method 1, step 6; gamerules.com; eHow"
                ),
                "stop_when_decided": Answer(
                    "the deal stops once the contract is kept or lost; the tricks not played "
                    "count for nobody",
                    "no text on Moon; Texas 42 tables",
                ),
            },
        ),
        "scoring": Question(
            _SCORES,
            "what is counted",
            {
                "points": Answer(
                    "points: the others score one for each trick they take, made or not",
                    "wikiHow, Method 1, step 7; gamerules.com; eHow",
                ),
                "marks": Answer(
                    "marks: one for the declarer's side if it makes the bid, else one for each "
                    "opposing side; the moon counts one too",
                    "wikiHow, Method 3; that the moon counts one has no source",
                ),
            },
        ),
        "contract_test": Question(
            _SCORES,
            "when a number bid is made",
            {
                "at_least": Answer(
                    "a bid is made with at least so many tricks",
                    "eHow; wikiHow, Method 2, step 4; gamerules.com, from its line on extra tricks",
                ),
                "more_than": Answer(
                    "a bid is made only with more tricks than it says, so a 7 is never made",
                    "wikiHow, Method 1, step 7, word for word",
                ),
            },
        ),
        "made_points": Question(
            _SCORES,
            "what a made number bid scores",
            {
                "bid": Answer(
                    "a made bid scores the bid; extra tricks score nothing",
                    "wikiHow, Method 1, step 7; gamerules.com; eHow",
                ),
                "tricks": Answer(
                    "a made bid scores the tricks won",
                    "wikiHow, Method 2, step 4; eHow, How to Play",
                ),
            },
        ),
        "moon_made": Question(
            _SCORES,
            "what a made moon scores",
            {
                "score21": Answer("a made moon scores 21", "wikiHow, Method 1; eHow"),
                "wins_game": Answer(
                    "a made moon wins the match, whatever the scores",
                    "gamerules.com; Kelley, Fosdick and eHow, How to Play, lean to it",
                ),
                "tricks": Answer(
                    "a made moon scores its seven tricks",
                    "wikiHow, Method 2, step 4, word for word",
                ),
            },
        ),
        "moon_failed": Question(
            _SCORES,
            "what a failed moon costs",
            {
                "lose21": Answer(
                    "a failed moon costs 21", "wikiHow, Method 1, step 7; gamerules.com; eHow"
                ),
                "loses_game": Answer("a failed moon loses the match at once", "vab, as an option"),
            },
        ),
        "failed": Question(
            _SCORES,
            "what a failed bid costs",
            {
                "lose_bid": Answer(
                    "a failed bid is taken off the declarer's score",
                    "wikiHow, Method 1, step 7; gamerules.com; eHow; Kelley",
                ),
                "zero_others_add_bid": Answer(
                    "a failed bid scores nothing; each opposing side adds the bid to its tricks",
                    "eHow, How to Play",
                ),
            },
        ),
        "target": Question(_END, "what ends the match", {}),
        "end_rule": Question(
            _END,
            "who wins when several are there at once",
            {
                "highest_then_continue": Answer(
                    "the highest score wins; when it is shared, play on until one is ahead of all",
                    "gamerules.com",
                ),
                "bidder_first": Answer(
                    "a declarer who just made the bid and is there wins, else the highest score; "
                    "when it is shared, play on",
                    "a fragment, probably of followme42.com",
                ),
                "highest_then_seat": Answer(
                    "the highest score wins; when it is shared, the lower seat",
                    "vab, where it is who joined first",
                ),
            },
        ),
        "score_floor": Question(
            _END,
            "how far a score can fall",
            {
                "null": Answer("a score may fall below zero without end", "no source has a floor"),
            },
        ),
    }
)
"""Every option, in the order of a deal."""

_NUMBERS = tuple(trump for trump in TRUMPS if trump < Trump.DOUBLES)
TRUMP_SOURCES: Mapping[tuple[Trump, ...], str] = {
    TRUMPS: "wikiHow, Method 1, step 4; gamerules.com; eHow",
    (*_NUMBERS, Trump.NONE): "pagat.com, for four players",
    _NUMBERS: "domino-games.com; eHow, How to Play",
    (Trump.NONE,): "domino-play.com",
    TRUMPS[1:]: "Fosdick; follows from wikiHow, Method 3, where 0-0 is removed",
}
"""By the list of trumps: who plays with it."""

ALWAYS: tuple[Answer, ...] = (
    Answer("each player is dealt seven tiles; the deal is seven tricks", "every source"),
    Answer(
        "a tile that shows the trump number is a trump and belongs to no other suit",
        "wikiHow, Tips, 1st; gamerules.com",
    ),
    Answer(
        "the highest trump wins the trick, else the highest tile of the suit led; in a suit the "
        "double is the highest, then the other end counts",
        "wikiHow, Method 1, step 6, and Tips, 3rd; gamerules.com; eHow",
    ),
    Answer("the winner of a trick leads to the next, with any tile", "wikiHow, Method 1, step 6"),
    Answer("the moon, 21, always means all seven tricks", "wikiHow; gamerules.com; eHow"),
)
"""What no option changes."""
