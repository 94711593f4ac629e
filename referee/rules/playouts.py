"""Random play to the end of a deal, for a bot's rollouts: no state in between, only the result.

This is what rollouts spend their time in, so it is written for speed: hands are masks, tiles are
plain numbers, and the tiles of a mask are looked up in two halves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from referee.rules.auction import bid, legal_bids
from referee.rules.bids import TRICKS
from referee.rules.deals import Deal
from referee.rules.decisions import Choice
from referee.rules.options import (
    ExchangeRule,
    LedSuit,
    PlayOut,
    Rules,
    TrumpNamed,
)
from referee.rules.suits import Trump
from referee.rules.tiles import TILES, tiles_in
from referee.rules.tricks import first_leads, trick_winner


class Random(Protocol):
    """What a playout needs of a generator such as `random.Random`."""

    def random(self) -> float:
        """Returns a number from 0 up to but not including 1."""
        ...


def playout(deal: Deal, rng: Random) -> tuple[int, ...]:
    """Returns the tricks each seat has won after every open choice was made at random.

    Each choice is drawn evenly from the legal ones, by their order, with one draw of *rng* where
    there are several and none where there is one; so the answer is that of the step-by-step
    interface with the same draws.

    Args:
        deal: A deal in any state. One that is thrown in on the way has no tricks.
        rng: Where the draws come from.
    """
    if deal.turn is None:
        return deal.tricks_won
    rules = deal.rules
    if rules.play_out is not PlayOut.ALL_SEVEN or rules.led_suit is not LedSuit.HIGHER_END:
        return _steps(deal, rng)
    draw = rng.random
    if deal.leaders:
        assert deal.trump is not None
        return _play(deal, list(deal.hands), deal.trump, deal.leaders[-1], draw)
    declarer = _auction(deal, draw)
    if declarer is None:
        return deal.tricks_won
    hands = list(deal.hands)
    trump = _trump_and_exchange(deal, hands, declarer, draw)
    return _play(deal, hands, trump, declarer, draw)


def _steps(deal: Deal, rng: Random) -> tuple[int, ...]:
    while (decision := deal.decision) is not None:
        deal = deal.play(_pick(decision.legal, rng))
    return deal.tricks_won


def _pick(legal: tuple[Choice, ...], rng: Random) -> Choice:
    return legal[int(rng.random() * len(legal))] if len(legal) > 1 else legal[0]


def _auction(deal: Deal, draw: Callable[[], float]) -> int | None:
    """Bids on, and returns the declarer, or ``None`` if everybody passed."""
    rules, auction = deal.rules, deal.auction
    while auction.turn is not None:
        bids = legal_bids(rules, auction, deal.forced)
        made = bids[int(draw() * len(bids))] if len(bids) > 1 else bids[0]
        auction = bid(rules, auction, made)
    return auction.declarer


def _trump_and_exchange(
    deal: Deal, hands: list[int], declarer: int, draw: Callable[[], float]
) -> Trump:
    """Names the trump and exchanges in the order of the rules; changes the declarer's hand."""
    rules, trump = deal.rules, deal.trump
    if trump is None and rules.trump_named is TrumpNamed.BEFORE_EXCHANGE:
        trump = _trump(rules, draw)
    if deal.discarded is None and rules.exchange is not ExchangeRule.NONE:
        taken, held = deal.taken, hands[declarer]
        if taken is None:
            taken = rules.exchange is ExchangeRule.TAKE_THEN_DISCARD or int(draw() * 2) == 0
            widow = deal.dealt.middle[0]
            held |= taken << widow
        if taken:
            tiles = tiles_in(held)
            hands[declarer] = held & ~(1 << tiles[int(draw() * len(tiles))])
    return _trump(rules, draw) if trump is None else trump


def _trump(rules: Rules, draw: Callable[[], float]) -> Trump:
    trumps = rules.trumps
    return trumps[int(draw() * len(trumps))] if len(trumps) > 1 else trumps[0]


_BIT = tuple(1 << tile for tile in range(len(TILES)))
_HALF = len(TILES) // 2
_LOWER_MASK = (1 << _HALF) - 1


class _TilesOfHalf(dict[int, tuple[int, ...]]):
    """By mask of half of the tiles: their numbers. A mask is added when it is asked for."""

    def __init__(self, first: int) -> None:
        super().__init__()
        self._first = first

    def __missing__(self, mask: int) -> tuple[int, ...]:
        found = tuple([self._first + bit for bit in range(_HALF) if mask >> bit & 1])
        self[mask] = found
        return found


_LOWER, _UPPER = _TilesOfHalf(0), _TilesOfHalf(_HALF)


def _play(
    deal: Deal, hands: list[int], trump: Trump, leader: int, draw: Callable[[], float]
) -> tuple[int, ...]:
    """Plays the tricks on from a state in which *leader* leads the open trick."""
    rules = deal.rules
    players, follows, table = rules.players, rules.may_follow[trump], rules.tables[trump]
    leads, strengths = table.leads, table.strength
    won = list(deal.tricks_won)
    tricks = max(1, len(deal.leaders))
    begun = deal.plays[(tricks - 1) * players :]
    seat = (leader + len(begun)) % players
    legal = hands[seat] if deal.plays else first_leads(rules, trump, hands[seat])
    follow, strength, best, winner = 0, strengths[0], -1, leader
    if begun:
        suit = deal.suits[-1]
        follow, strength = follows[suit], strengths[suit]
        best = max(strength[tile] for tile in begun)
        winner = trick_winner(rules, trump, leader, begun, suit)
    left = players - len(begun)
    for _ in range(TRICKS - tricks + 1):
        if left == players:
            tiles = _LOWER[legal & _LOWER_MASK] + _UPPER[legal >> _HALF]
            tile = tiles[int(draw() * len(tiles))] if legal & (legal - 1) else tiles[0]
            hands[seat] ^= _BIT[tile]
            suit = leads[tile]
            follow, strength = follows[suit], strengths[suit]
            best, winner = strength[tile], seat
            seat = seat + 1 if seat + 1 < players else 0
            left -= 1
        for _ in range(left):
            hand = hands[seat]
            legal = hand & follow or hand
            if legal & (legal - 1):
                tiles = _LOWER[legal & _LOWER_MASK] + _UPPER[legal >> _HALF]
                tile = tiles[int(draw() * len(tiles))]
            else:
                tile = legal.bit_length() - 1
            hands[seat] = hand ^ _BIT[tile]
            power = strength[tile]
            if power > best:
                best, winner = power, seat
            seat = seat + 1 if seat + 1 < players else 0
        won[winner] += 1
        seat, left, legal = winner, players, hands[winner]
    return tuple(won)
