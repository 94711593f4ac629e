"""Matches for tests: rigged deals with a known end, and random ones with random faults."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from referee.match import (
    Fault,
    FaultKind,
    Match,
    MatchRecord,
    MatchReferee,
    Question,
    TableTerms,
    Terms,
)
from referee.rules import (
    SEATS,
    Bid,
    Choice,
    Dealt,
    Decision,
    Discard,
    Exchange,
    Hand,
    Kind,
    MakeBid,
    NameTrump,
    Play,
    Rules,
    Tile,
    Trump,
    parse_rules,
    seed_key,
)
from referee.rules.tiles import mask_of

# Rigged deals. One seat, the boss, holds every six and so takes every trick it wants.

BOSS = "6-6 6-5 6-4 6-3 6-2 6-1"


def boss_tiles(boss: int, last: str = "5-5", *, next_hand: str = "") -> Dealt:
    """Returns a deal of 22 tiles in which *boss* holds all sixes and *last*.

    With 5-5 it takes every trick. With 2-1 it loses the last one to the seat on its left if that
    holds 2-2 until then, as it does with `LEFT`.
    """
    hands = [0, 0, 0]
    hands[boss] = Hand.parse(f"{BOSS} {last}").mask
    left = [tile for tile in Rules().tiles if not hands[boss] >> tile & 1]
    given = list(Hand.parse(next_hand)) or left[:7]
    left = [tile for tile in left if tile not in given]
    hands[(boss + 1) % 3] = mask_of(given)
    hands[(boss + 2) % 3] = mask_of(left[:7])
    return Dealt(tuple(hands), tuple(left[7:]))


LEFT = "2-2 5-5 5-4 5-3 5-2 5-1 4-4"
_KEPT = Hand.parse(f"{BOSS} 5-5 2-1")


def rules3(changes: str = "") -> Rules:
    """Returns the three-player game, changed."""
    return parse_rules(f"wikihow-3p {changes}")


def rigged(
    changes: str = "",
    dealt: Callable[[int], Dealt] = lambda _: boss_tiles(0),
    *,
    first: int = 0,
    deals: int | None = None,
    max_deals: int = 100,
    scores: tuple[int, ...] | None = None,
) -> Match:
    """Returns a match over rigged deals, with *scores* in the first one if given."""
    match = Match.of(Terms(rules3(changes), deals, max_deals), dealt, SEATS[first])
    return match if scores is None else match._replace(scores=scores)


def play_deal(match: Match, bids: str) -> Match:
    """Plays the open deal with these *bids*; the tricks go by the highest tile of each seat."""
    made = iter(bids.split())
    number = match.number
    while match.result is None and match.number == number:
        decision = match.decision
        assert decision is not None
        match = match.play(_by_rote(decision, made))
    return match


def _by_rote(decision: Decision, bids: Iterator[str]) -> Choice:
    if decision.kind is Kind.BID:
        return MakeBid(Bid.parse(next(bids)))
    if decision.kind is Kind.TRUMP:
        return NameTrump(Trump.SIXES)
    if decision.kind is Kind.DISCARD:
        return next(c for c in decision.legal if isinstance(c, Discard) and c.tile not in _KEPT)
    return decision.legal[-1]


# Random matches.

NAMES = ("ann", "bob", "cyd", "dee")
KINDS = (FaultKind.TIMEOUT, FaultKind.CRASHED, FaultKind.PROTOCOL, FaultKind.ILLEGAL)


def bold(decision: Decision, rng: random.Random) -> Choice:
    """Chooses at random, but passes or bids low, so that few deals are thrown in or are moons."""
    roll = rng.random()
    if decision.kind is Kind.BID and roll < 0.8:
        return decision.legal[min(int(roll > 0.45), len(decision.legal) - 1)]
    return rng.choice(decision.legal)


def random_match(
    rules: Rules | str,
    seed: object,
    *,
    deals: int | None = None,
    max_deals: int = 12,
    faults: float = 0.0,
    terms: TableTerms | None = None,
    seats: Sequence[str] = NAMES,
) -> MatchRecord:
    """Returns the record of a match of random choices, each a fault with the chance *faults*."""
    rules = parse_rules(rules) if isinstance(rules, str) else rules
    rng = random.Random(f"{seed}")
    match = Match.start(Terms(rules, deals, max_deals), seed_key(f"{seed}"))
    referee = MatchReferee("17.2", match, tuple(seats[: rules.players]), terms)
    while (question := referee.question) is not None:
        if rng.random() < faults:
            referee.fault(Fault(rng.choice(KINDS), "by lot"))
        else:
            referee.answer(bold(question.decision, rng), 1)
    return referee.record()


def ask(referee: MatchReferee) -> Question:
    """Returns the open question, which there must be."""
    assert referee.question is not None
    return referee.question


WRONG: dict[Kind, Choice] = {
    Kind.BID: Play(Tile.T66),
    Kind.TRUMP: MakeBid(Bid.FOUR),
    Kind.EXCHANGE: Discard(Tile.T66),
    Kind.DISCARD: Play(Tile.T66),
    Kind.PLAY: Exchange(True),
}
"""By kind of question: an answer to another kind."""
