"""Tables at which the sample bots play, without a process in between."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from referee.match import Match, MatchReferee, Terms
from referee.rules import (
    SEATS,
    Bid,
    Choice,
    Deal,
    Dealt,
    Discard,
    Hand,
    Kind,
    MakeBid,
    NameTrump,
    Play,
    Rules,
    Tile,
    Trump,
    View,
    derive_key,
    seed_key,
    view,
)
from referee.sdk import AnyView, Bot
from referee.sdk import View as BotView
from referee.sdk.asking import ask
from sample_bots.counter import Counter
from sample_bots.first_legal import FirstLegal
from sample_bots.greedy import Greedy
from sample_bots.random_bot import Random
from sample_bots.sampler import Sampler

MakeBot: TypeAlias = Callable[[], Bot]

BOTS: dict[str, MakeBot] = {
    "first_legal": FirstLegal,
    "random": Random,
    "greedy": Greedy,
    "counter": Counter,
    # Few samples: the tests look at what it does, not at how strong many make it.
    "sampler": lambda: Sampler.with_params({"samples": "3"}),
}


ODD_RULES: tuple[dict[str, str], ...] = (
    {"exchange": "optional", "trump_named": "before_exchange"},
    {"tileset": "28"},
    {"led_suit": "leader_calls"},
    {"follow_rule": "follow_or_trump", "first_lead": "trump"},
    {"bid_rounds": "until_all_but_one_pass", "moon_overcall": "42"},
    {"none_doubles": "own_suit", "trumps": "none"},
    {"all_pass": "force_last", "force_value": "at_least_min", "min_bid": "5"},
    {"play_out": "stop_when_decided", "moon_failed": "loses_game"},
)
"""Options that no preset sets, or not together."""


def start(rules: Rules, label: str, deals: int | None) -> Match:
    """Returns a match before its first bid, one for each label."""
    return Match.start(Terms(rules, deals=deals), derive_key(seed_key("tests"), label))


def play(bots: Sequence[Bot], match: Match) -> Iterator[tuple[AnyView, Choice]]:
    """Plays *match* to its end and yields every question with its answer."""
    referee = MatchReferee("test", match, tuple(bot.name for bot in bots))
    while (question := referee.question) is not None:
        asked = seen(question.view)
        choice = ask(bots[question.seat], asked)
        fault = referee.answer(choice, 0)
        assert fault is None, f"{bots[question.seat].name}: {fault}"
        yield asked, choice
    assert referee.result is not None
    assert not referee.faults


def seen(what: View) -> AnyView:
    """Returns a view as a bot gets it."""
    return BotView.of(what)


def seen_by(deal: Deal, seat: int, scores: Sequence[int] = (), **match: int) -> AnyView:
    """Returns what *seat* is told of *deal*, in a match that stands so."""
    return seen(view(deal, SEATS[seat], scores=scores, **match))


def dealt(rules: Rules, hands: Sequence[str], widow: str = "", first: int = 0) -> Deal:
    """Returns the deal in which the seats hold *hands*, before the first bid."""
    masks = tuple(Hand.parse(hand).mask for hand in hands)
    middle = tuple(Tile.parse(word) for word in widow.split())
    return Deal.start(rules, Dealt(masks, middle), first)


def after(deal: Deal, bids: str, trump: str, plays: str = "") -> Deal:
    """Returns *deal* after this auction, trump and plays; a widow is laid away again at once."""
    for word in bids.split():
        deal = deal.play(MakeBid(Bid.parse(word)))
    if deal.taken:
        assert deal.dealt.widow is not None
        deal = deal.play(Discard(deal.dealt.widow))
    deal = deal.play(NameTrump(Trump.parse(trump)))
    for word in plays.split():
        deal = deal.play(Play(Tile.parse(word)))
    return deal


def answer(bot: Bot, deal: Deal, scores: Sequence[int] = ()) -> str:
    """Returns what *bot* chooses in *deal*, in words."""
    assert deal.turn is not None
    return str(ask(bot, seen_by(deal, deal.turn, scores)))


def positions(rules: Rules, label: str, deals: int) -> Iterator[Deal]:
    """Yields the deals of a match of random plays, in each state in which a tile is asked for."""
    rng = random.Random(label)
    match = start(rules, label, deals)
    while (decision := match.decision) is not None:
        if decision.kind is Kind.PLAY:
            yield match.deal
        legal = decision.legal
        # Somebody has to play, or there would be nothing to see.
        bids = legal[1:2] if decision.kind is Kind.BID else ()
        match = match.play(rng.choice(bids or legal))
