"""What a finished deal is worth, and when a match is over (sections 1E and 1F of the rules)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from referee.rules.bids import TRICKS, Bid
from referee.rules.decisions import Seat
from referee.rules.options import (
    ContractTest,
    EndRule,
    Failed,
    MadePoints,
    MoonFailed,
    MoonMade,
    PlayOut,
    Rules,
    Scoring,
)


class DealScore(NamedTuple):
    """What a deal is worth."""

    made: bool
    """Whether the declarer's side kept the contract."""
    points: tuple[int, ...]
    """By side: what is added to its score; marks where the rules count marks."""
    wins_game: int | None = None
    """The side that wins the match outright, whatever the scores."""
    loses_game: int | None = None
    """The side that loses the match outright."""


class MatchEnd(NamedTuple):
    """How a match stands after a deal."""

    is_over: bool
    winner: int | None
    """The side that has won, or ``None``."""


def needed_tricks(rules: Rules, contract: Bid) -> int:
    """Returns how many tricks make *contract*; 8, which is never reached, for a strict 7 (K1)."""
    if contract.is_moon:
        return TRICKS
    more = rules.contract_test is ContractTest.MORE_THAN
    return int(contract) + (1 if more else 0)


def side_tricks(rules: Rules, tricks_won: Sequence[int]) -> tuple[int, ...]:
    """Returns the tricks of each side from the tricks of each seat."""
    if rules.side_count == len(tricks_won):
        return tuple(tricks_won)
    return (tricks_won[0] + tricks_won[2], tricks_won[1] + tricks_won[3])


def score_deal(
    rules: Rules, declarer: Seat | int, contract: Bid, tricks_won: Sequence[int]
) -> DealScore:
    """Returns what a deal is worth.

    Args:
        rules: The rules.
        declarer: The seat that won the auction.
        contract: Its bid.
        tricks_won: By seat.
    """
    tricks = side_tricks(rules, tricks_won)
    side = rules.side_of(declarer)
    made = tricks[side] >= needed_tricks(rules, contract)
    if rules.scoring is Scoring.MARKS:
        marks = tuple(int(made == (other == side)) for other in range(len(tricks)))
        return _ending(rules, contract, side, DealScore(made, marks))
    points = list(tricks)
    points[side] = _made(rules, contract, tricks[side]) if made else -int(contract)
    if not made and rules.failed is Failed.ZERO_OTHERS_ADD_BID:
        points = [0 if s == side else won + int(contract) for s, won in enumerate(tricks)]
    return _ending(rules, contract, side, DealScore(made, tuple(points)))


@lru_cache(maxsize=64)
def possible_points(rules: Rules) -> frozenset[tuple[int, ...]]:
    """Returns all that a deal can bring, by side; nothing for anybody where it is thrown in.

    Every contract is taken with every way in which tricks can fall to the sides.
    """
    nothing = (0,) * rules.side_count
    every = {TRICKS} if rules.play_out is PlayOut.ALL_SEVEN else range(TRICKS + 1)
    found = {
        score_deal(rules, side, contract, (*won, *(0,) * (rules.players - len(won)))).points
        for side in range(rules.side_count)
        for contract in rules.bids
        for tricks in every
        for won in _splits(tricks, rules.side_count)
    }
    return frozenset(found | {nothing})


def _splits(tricks: int, sides: int) -> Iterator[tuple[int, ...]]:
    if sides == 1:
        yield (tricks,)
        return
    for first in range(tricks + 1):
        for rest in _splits(tricks - first, sides - 1):
            yield (first, *rest)


def _made(rules: Rules, contract: Bid, tricks: int) -> int:
    if contract.is_moon:
        return tricks if rules.moon_made is MoonMade.TRICKS else int(contract)
    return tricks if rules.made_points is MadePoints.TRICKS else int(contract)


def _ending(rules: Rules, contract: Bid, side: int, score: DealScore) -> DealScore:
    if not contract.is_moon:
        return score
    if score.made and rules.moon_made is MoonMade.WINS_GAME:
        return score._replace(wins_game=side)
    if not score.made and rules.moon_failed is MoonFailed.LOSES_GAME:
        return score._replace(loses_game=side)
    return score


def match_end(
    rules: Rules, scores: Sequence[int], declarer_side: int, score: DealScore
) -> MatchEnd:
    """Returns whether the match is over after a deal, and who has won it (F1, F2, K17).

    Args:
        rules: The rules.
        scores: By side, with the points of the deal.
        declarer_side: The side that played the contract.
        score: What the deal was worth.
    """
    if score.wins_game is not None:
        return MatchEnd(True, score.wins_game)
    if score.loses_game is not None:
        return MatchEnd(True, _leader_without(scores, score.loses_game))
    there = [side for side, total in enumerate(scores) if total >= rules.target]
    if not there:
        return MatchEnd(False, None)
    if rules.end_rule is EndRule.BIDDER_FIRST and score.made and declarer_side in there:
        return MatchEnd(True, declarer_side)
    best = max(scores)
    leaders = [side for side in there if scores[side] == best]
    if len(leaders) == 1 or rules.end_rule is EndRule.HIGHEST_THEN_SEAT:
        return MatchEnd(True, leaders[0])
    return MatchEnd(False, None)


def _leader_without(scores: Sequence[int], loser: int) -> int | None:
    """Returns the one side ahead of all but *loser*, or ``None`` when several are level."""
    others = {side: total for side, total in enumerate(scores) if side != loser}
    best = max(others.values())
    leaders = [side for side, total in others.items() if total == best]
    return leaders[0] if len(leaders) == 1 else None
