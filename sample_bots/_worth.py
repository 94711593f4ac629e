"""What a hand is worth in tricks, a contract in points, and the points in the match."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from referee.sdk import (
    TRICKS,
    AnyView,
    Bid,
    ExchangeRule,
    Rules,
    Seat,
    Tile,
    Trump,
    match_end,
    score_deal,
    tiles_in,
)
from sample_bots._sense import Sense, senses

MATCH = 30.0
"""What winning the match is worth, in points."""


@dataclass(frozen=True, slots=True)
class _Weights:
    """What tricks come from, in the hand of the declarer."""

    base: float
    trumps: tuple[float, float, float, float]
    """For each trump, by how many tiles out there beat it: none, one, two, more."""
    others: tuple[float, float, float, float]
    """For each other tile likewise, trumps out there not counted."""
    out: float
    """For each trump out there."""
    widow: float
    """For the widow, as long as nobody has seen it."""
    halfway: tuple[float, ...]
    """By number of tricks: how many must be expected to take so many half of the time."""
    spread: float
    """How slowly that chance grows: the scale of a logistic curve."""


# Fitted to random hands, each played out over many hands of the others; `halfway` and `spread` to
# what bots that bid by them then took.
_WEIGHTS = {
    3: _Weights(
        base=0.70,
        trumps=(1.36, 0.94, 0.81, 0.68),
        others=(0.93, 0.19, 0.06, -0.07),
        out=-0.45,
        widow=0.3,
        halfway=(-9.0, 0.6, 1.5, 2.4, 3.2, 3.9, 5.05, 6.6),
        spread=0.8,
    ),
    4: _Weights(
        base=0.84,
        trumps=(1.27, 0.99, 0.84, 0.80),
        others=(0.88, 0.44, 0.36, 0.29),
        out=-0.26,
        widow=0.0,
        halfway=(-9.0, 1.2, 2.2, 3.1, 4.0, 4.8, 5.6, 6.8),
        spread=0.65,
    ),
}


def expected_tricks(rules: Rules, trump: Trump, hand: int) -> float:
    """Returns how many tricks a declarer with *hand*, and its partner if any, should take."""
    return _expected(senses(rules)[trump], _WEIGHTS[rules.players], hand)


def best_trump(rules: Rules, hand: int) -> tuple[float, Trump]:
    """Returns the most tricks to expect of a hand before the exchange, and with which trump."""
    weights, known = _WEIGHTS[rules.players], senses(rules)
    # Fewer than three trumps are never best, but where they are all there is.
    long = [trump for trump in rules.trumps if (hand & known[trump].trumps).bit_count() > 2]
    tricks, trump = max(
        [(_expected(known[trump], weights, hand), trump) for trump in long or rules.trumps]
    )
    return tricks if rules.exchange is ExchangeRule.NONE else tricks + weights.widow, trump


class Way(NamedTuple):
    """A way to play a hand of eight tiles."""

    tricks: float
    """How many to expect."""
    trump: Trump
    tile: Tile
    """The discard."""


def ways(rules: Rules, trumps: Iterable[Trump], hand: int) -> list[Way]:
    """Returns every discard from *hand* with every one of *trumps*, the best first."""
    return sorted(
        [
            Way(expected_tricks(rules, trump, hand & ~(1 << tile)), trump, tile)
            for trump in trumps
            for tile in tiles_in(hand)
        ],
        reverse=True,
    )


def _expected(known: Sense, weights: _Weights, hand: int) -> float:
    beaten_by, out = known.beaten_by, known.tiles & ~hand
    plain = out & ~known.trumps
    total = weights.base + weights.out * (out & known.trumps).bit_count()
    for tile in tiles_in(hand & known.trumps):
        total += weights.trumps[min(3, (beaten_by[tile] & out).bit_count())]
    for tile in tiles_in(hand & ~known.trumps):
        total += weights.others[min(3, (beaten_by[tile] & plain).bit_count())]
    return total


def chances(rules: Rules, expected: float) -> list[float]:
    """Returns the chance of 0, 1 ... 7 tricks for a declarer who may expect so many."""
    weights = _WEIGHTS[rules.players]
    least = [1 / (1 + math.exp((half - expected) / weights.spread)) for half in weights.halfway[1:]]
    return [more - less for more, less in zip([1.0, *least], [*least, 0.0], strict=True)]


def likely_bid(rules: Rules, expected: float) -> Bid:
    """Returns how high somebody bids who may expect so many tricks."""
    bids = [bid for bid in rules.bids if expected > _enough(rules, bid)]
    return max((bid for bid in bids if bid is not Bid.DOUBLE_MOON), default=Bid.PASS)


def fair_tricks(rules: Rules, bid: Bid) -> float:
    """Returns what somebody may be taken to expect who has made *bid*."""
    return _WEIGHTS[rules.players].halfway[bid.tricks] + 1.0


def chance_of_bid(rules: Rules, bid: Bid, expected: float) -> float:
    """Returns the chance that somebody bids *bid* or more who may expect so many tricks."""
    return 1 / (1 + math.exp((_enough(rules, bid) - expected) / 0.35))


def _enough(rules: Rules, bid: Bid) -> float:
    """Returns the tricks to expect that are enough for *bid*: a little more than an even chance."""
    return _WEIGHTS[rules.players].halfway[bid.tricks] + 0.35


def contract_worth(view: AnyView, declarer: Seat, contract: Bid, expected: float) -> float:
    """Returns what a deal is worth to this side in which *declarer*, who expects so much, plays."""
    return sum(
        chance * deal_worth(view, declarer, contract, _split(view.rules, declarer, tricks))
        for tricks, chance in enumerate(chances(view.rules, expected))
    )


def _split(rules: Rules, declarer: Seat, tricks: int) -> list[int]:
    """Returns tricks by seat: so many for *declarer*, the others spread over the other sides."""
    won = [0] * rules.players
    won[declarer] = tricks
    side = rules.side_of(declarer)
    rivals = [seat for seat in range(rules.players) if rules.side_of(seat) != side]
    for number in range(TRICKS - tricks):
        won[rivals[number % len(rivals)]] += 1
    return won


def deal_worth(view: AnyView, declarer: Seat, contract: Bid, tricks_won: Sequence[int]) -> float:
    """Returns what the deal is worth to this side when it ends with these tricks."""
    rules = view.rules
    score = score_deal(rules, declarer, contract, tricks_won)
    after = [before + points for before, points in zip(view.scores, score.points, strict=True)]
    if view.deals is None:
        end = match_end(rules, after, rules.side_of(declarer), score)
        if end.winner is not None:
            return _lead(view, after) + MATCH * (end.winner == view.side)
    return standing_worth(view, after)


def standing_worth(view: AnyView, scores: Sequence[int]) -> float:
    """Returns what *scores* after this deal are worth to this side, in points.

    That is its lead, and its chance to win the match: the points alone would never risk a moon to
    catch up, and the chance alone would risk one in every other deal.
    """
    return _lead(view, scores) + MATCH * _winning_chance(view, scores)


def _lead(view: AnyView, scores: Sequence[int]) -> float:
    """Returns how far this side is ahead of the others, on average."""
    mine = scores[view.side]
    return mine - (sum(scores) - mine) / (len(scores) - 1)


def _winning_chance(view: AnyView, scores: Sequence[int]) -> float:
    """Returns the chance to win from here, which a lead raises the more the nearer the end."""
    target, best = view.rules.target, max(scores)
    if view.deals is None:
        scale = 0.3 * max(target, 2 * target - best)
    else:
        scale = target / 6 * math.sqrt(view.deals - view.deal_number - 1)
    if not scale:
        return (scores[view.side] == best) / scores.count(best)
    shares = [math.exp((score - best) / scale) for score in scores]
    return shares[view.side] / sum(shares)
