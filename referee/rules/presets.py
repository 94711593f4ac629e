"""The named rule sets, and the text that names a rule set.

The presets are those of the rules reference, with the document each reproduces. Data, not code:
each is the options in which it differs from the defaults.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType

from referee.errors import nearest
from referee.rules.errors import NotationError, OptionError
from referee.rules.options import Rules, option_texts

DEFAULT_PRESETS: Mapping[int, str] = MappingProxyType({3: "tournament-3p", 4: "tournament-4p"})
"""By number of players: the rules of a match when nothing else is said."""


@dataclass(frozen=True, slots=True)
class Preset:
    """A rule set with a name and a source."""

    name: str
    rules: Rules
    source: str
    """The text it reproduces, or empty."""
    status: str
    """How much of that text could be read, and what was mended."""
    says: str
    """What is peculiar to it."""
    silent_on: tuple[str, ...] = ()
    """What the source leaves open and the defaults fill."""


_WIKI = "wikiHow, Play Moon (domino game)"
_WIKI_SILENT = (
    "all_pass, redeal_first_bidder, bid_rounds, rotate_first_bidder, end_rule, none_doubles, "
    "score_floor"
)
_FOUR = {
    "players": "4",
    "tileset": "28",
    "sides": "pairs_02_13",
    "exchange": "none",
    "made_points": "tricks",
}
_NO_BLANKS = {"tileset": "21", "exchange": "none", "trumps": "1,2,3,4,5,6,doubles,none"}
_NUMBERS = "0,1,2,3,4,5,6"
_CALL_FIRST = {
    "moon_opening": "only_over_7",
    "exchange": "optional",
    "trump_named": "before_exchange",
    "trumps": _NUMBERS,
    "first_lead": "trump",
}

_ROWS: tuple[tuple[str, str, str, str, str, Mapping[str, str]], ...] = (
    (
        "wikihow-3p",
        _WIKI,
        "one word repaired",
        "Method 1; a contract is made with at least the bid",
        _WIKI_SILENT,
        {},
    ),
    (
        "wikihow-3p-strict",
        _WIKI,
        "word for word",
        "Method 1 exactly as written: more tricks than the bid",
        _WIKI_SILENT,
        {"contract_test": "more_than"},
    ),
    (
        "wikihow-4p",
        _WIKI,
        "one gap filled",
        "Method 2; a made 21 scores 21",
        f"{_WIKI_SILENT}, moon_made, sides",
        _FOUR,
    ),
    (
        "wikihow-4p-strict",
        _WIKI,
        "word for word",
        "Method 2; a made 21 scores the seven tricks",
        f"{_WIKI_SILENT}, sides",
        {**_FOUR, "moon_made": "tricks"},
    ),
    (
        "wikihow-3p-no00",
        _WIKI,
        "variation",
        "Method 3, 0-0 removed: 21 tiles",
        _WIKI_SILENT,
        _NO_BLANKS,
    ),
    (
        "wikihow-3p-blind",
        _WIKI,
        "variation",
        "Method 3, trump named before the middle tile is seen",
        _WIKI_SILENT,
        {"trump_named": "before_exchange"},
    ),
    (
        "wikihow-3p-marks",
        _WIKI,
        "variation",
        "Method 3, marks, first to 7",
        f"{_WIKI_SILENT}, scoring",
        {"scoring": "marks", "target": "7"},
    ),
    (
        "wikihow-4p-forced",
        _WIKI,
        "variation",
        "Method 4, three passes force the fourth to bid 4",
        "bid_rounds, rotate_first_bidder, end_rule, none_doubles, score_floor, moon_made",
        {**_FOUR, "all_pass": "force_last"},
    ),
    (
        "wikihow-4p-min3",
        _WIKI,
        "variation",
        "Method 4, minimum 3",
        f"{_WIKI_SILENT}, moon_made",
        {**_FOUR, "min_bid": "3"},
    ),
    (
        "wikihow-4p-min5",
        _WIKI,
        "variation",
        "Method 4, minimum 5",
        f"{_WIKI_SILENT}, moon_made",
        {**_FOUR, "min_bid": "5"},
    ),
    (
        "gamerules-3p",
        "GameRules, Three-Player Moon",
        "word for word",
        "a made 21 wins; ties play on",
        "all_pass, redeal_first_bidder, none_doubles, score_floor",
        {"moon_made": "wins_game"},
    ),
    (
        "ehow-3p",
        "eHow, Rules for Shoot the Moon Dominoes",
        "tile list repaired",
        '22 tiles as counted, not "all but the double-zero"',
        "all_pass, redeal_first_bidder, target, end_rule, score_floor",
        {},
    ),
    (
        "pagat-3p",
        "pagat.com, Moon (visible part)",
        "partly seen",
        "only tiles, deal, one bid each and first bidder were readable",
        "everything after the first bidder",
        {},
    ),
    (
        "pagat-4p",
        "pagat.com, Moon (fragments)",
        "partly seen",
        "28 tiles, no doubles trump",
        "everything else",
        {**_FOUR, "trumps": f"{_NUMBERS},none"},
    ),
    (
        "kelley-3p",
        "dominorules.com, Moon (Kelley 1999)",
        "whole text seen",
        "widow optional, 21 is the game",
        "all_pass, trumps, end_rule",
        {"exchange": "optional", "moon_made": "wins_game"},
    ),
    (
        "domino-games-3p",
        "domino-games.com, Moon",
        "scoring not seen",
        "number trumps only, first lead a trump, widow optional after naming trump",
        "scoring, end_rule",
        _CALL_FIRST,
    ),
    (
        "domino-play-3p",
        "domino-play.com, Moon",
        "scoring not seen",
        "no trump; the leader calls either end of the tile",
        "scoring, end_rule",
        {"moon_opening": "only_over_7", "trumps": "none", "led_suit": "leader_calls"},
    ),
    (
        "ehow-howto-3p",
        "eHow, How to Play Moon Dominoes",
        "last sentences cut",
        (
            "number trumps, first lead a trump, follow or trump, a set gives the others the bid; "
            "its remark that the winner of the first trick names a trump suit is not reproduced"
        ),
        "all_pass, end_rule",
        {
            **_CALL_FIRST,
            "follow_rule": "follow_or_trump",
            "made_points": "tricks",
            "moon_made": "wins_game",
            "failed": "zero_others_add_bid",
        },
    ),
    (
        "fosdick-3p",
        "bestfreenewgames.com, Moon (H. Fosdick)",
        "scoring not seen",
        "21 tiles",
        "scoring, all_pass, end_rule",
        {**_NO_BLANKS, "moon_made": "wins_game"},
    ),
    (
        "west-4p",
        "Domino pages of spaanszt, Moon variation (J. D. West)",
        "three sentences",
        "28 tiles, 4 to 7, otherwise Texas 42 without counts",
        "nearly everything",
        {**_FOUR, "moon_bid": "false"},
    ),
    (
        "vab-3p",
        "the program vab-dominoes-texas42, its defaults",
        "program",
        "auction goes round until all but one pass; ties by join order",
        "",
        {"bid_rounds": "until_all_but_one_pass", "end_rule": "highest_then_seat"},
    ),
    (
        "house-bidder-out",
        "a fragment, probably of followme42.com",
        "house",
        "bidder goes out first",
        "",
        {"end_rule": "bidder_first"},
    ),
    (
        "tournament-3p",
        "",
        "recommended for bots",
        "wikihow-3p with every gap closed and a stop to endless redeals",
        "",
        {"redeal_limit": "3"},
    ),
    (
        "tournament-4p",
        "",
        "recommended for bots",
        "wikihow-4p likewise",
        "",
        {**_FOUR, "redeal_limit": "3"},
    ),
)
"""By preset: name, source, status, what is peculiar to it, what the source leaves open, changes."""


@cache
def presets() -> Mapping[str, Preset]:
    """Returns every preset by name, in the order of the rules reference."""
    return MappingProxyType({row[0]: _preset(*row) for row in _ROWS})


def _preset(
    name: str, source: str, status: str, says: str, silent_on: str, changes: Mapping[str, str]
) -> Preset:
    left_open = tuple(filter(None, silent_on.split(", ")))
    return Preset(name, Rules().change(**changes), source, status, says, left_open)


def preset_rules(name: str) -> Rules:
    """Returns the rules of the preset *name*.

    Raises:
        NotationError: if there is no such preset; the message names the nearest.
    """
    known = presets()
    if name not in known:
        meant = nearest(name, known)
        hint = f"did you mean {meant!r}?" if meant else "moon rules list shows them all"
        raise NotationError("rule preset", name, hint)
    return known[name].rules


@lru_cache(maxsize=256)
def parse_rules(text: str) -> Rules:
    """Returns the rules that *text* names: a preset, then changes.

    >>> parse_rules("tournament-3p min_bid=3").min_bid
    3

    Raises:
        NotationError: if the preset is unknown, or a change is not ``name=value``.
        OptionError: if a change makes no sense.
    """
    name, *changes = text.split() or [""]
    return change_rules(preset_rules(name), changes)


def change_rules(rules: Rules, changes: list[str] | tuple[str, ...]) -> Rules:
    """Returns *rules* with *changes*, each written ``name=value``, made together.

    Raises:
        NotationError: if a change is not ``name=value``.
        OptionError: if an option or value is unknown, given twice, or the result makes no sense.
    """
    wanted: dict[str, str] = {}
    for change in changes:
        option, found, value = change.partition("=")
        if not found:
            raise NotationError("rule change", change, "write name=value, like min_bid=3")
        if option in wanted:
            raise OptionError(option, f"is set twice, to {wanted[option]!r} and {value!r}")
        wanted[option] = value
    return rules.change(**wanted)


@lru_cache(maxsize=256)
def rules_text(rules: Rules) -> str:
    """Returns the text of *rules* that `parse_rules` reads back: a preset and the changes to it.

    Of all presets the one with the fewest changes is named; among equals a tournament preset,
    then the first in the order of the rules reference.
    """
    wanted = option_texts(rules)
    best: tuple[int, bool, str, list[str]] | None = None
    for preset in presets().values():
        have = option_texts(preset.rules)
        changes = [f"{name}={wanted[name]}" for name in wanted if wanted[name] != have[name]]
        rank = (len(changes), bool(preset.source), preset.name, changes)
        if best is None or rank[:2] < best[:2]:
            best = rank
    assert best is not None
    return " ".join([best[2], *best[3]])
