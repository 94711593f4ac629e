"""Random play to the end of a deal, for a bot's rollouts: no state in between, only the result.

This is what rollouts spend their time in, so it is written for speed. The tiles of a hand get
places 0 to 7, and a hand is a mask of eight bits: which of them remain. Then "which tiles may be
played" and "the one that was drawn" are lookups in tables of 256 rows.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import lshift
from typing import Protocol

from referee.rules.auction import bid, legal_bids
from referee.rules.bids import TRICKS
from referee.rules.deals import Deal
from referee.rules.decisions import Choice
from referee.rules.options import (
    ExchangeRule,
    FirstLead,
    FollowRule,
    LedSuit,
    PlayOut,
    Rules,
    TrumpNamed,
)
from referee.rules.suits import SUITS, TRUMPS, NoneDoubles, SuitTable, Trump, suit_table
from referee.rules.tiles import TILES, tiles_in


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
    plain = (
        rules.play_out is PlayOut.ALL_SEVEN
        and rules.led_suit is LedSuit.HIGHER_END
        and rules.follow_rule is FollowRule.FOLLOW_FIRST
        and (rules.first_lead is FirstLead.ANY or deal.plays)
    )
    if not plain:
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


_PLACES = range(8)
_BIT = tuple(1 << place for place in _PLACES)
_REMAINING = tuple(
    tuple(place for place in _PLACES if mask >> place & 1) for mask in range(1 << len(_PLACES))
)
"""By mask of places: the places in it, ascending."""


def _packed(table: SuitTable) -> tuple[int, ...]:
    """Returns for each tile a number in which bit 8 * suit is set for each suit it belongs to."""
    return tuple(
        sum(1 << 8 * suit for suit in SUITS if table.follows[suit] >> tile & 1) for tile in TILES
    )


def _numbers_in(mask: int) -> list[int]:
    """Returns the tiles of *mask* as plain numbers, ascending: looked up by faster than tiles."""
    found = []
    while mask:
        lowest = mask & -mask
        found.append(lowest.bit_length() - 1)
        mask ^= lowest
    return found


_PACKED = {
    (trump, doubles): _packed(suit_table(trump, doubles))
    for trump in TRUMPS
    for doubles in NoneDoubles
}


def _play(
    deal: Deal, held: list[int], trump: Trump, leader: int, draw: Callable[[], float]
) -> tuple[int, ...]:
    """Plays the tricks on from a state in which *leader* leads the open trick."""
    rules = deal.rules
    players = rules.players
    table = rules.tables[trump]
    leads, strengths = table.leads, table.strength
    packed = _PACKED[trump, rules.none_doubles]
    tiles = [_numbers_in(mask) for mask in held]
    # For each seat, eight bits for each suit: the places of the tiles that follow it.
    follow = [sum(map(lshift, [packed[tile] for tile in own], _PLACES)) for own in tiles]
    hands = [(1 << len(own)) - 1 for own in tiles]
    won = list(deal.tricks_won)
    tricks = max(1, len(deal.leaders))
    begun = deal.plays[(tricks - 1) * players :]
    seat = (leader + len(begun)) % players
    strength, shift, best, winner = strengths[0], 0, -1, leader
    if begun:
        suit = deal.suits[-1]
        shift, strength = 8 * suit, strengths[suit]
        best = max(strength[tile] for tile in begun)
        at = next(place for place, tile in enumerate(begun) if strength[tile] == best)
        winner = (leader + at) % players
    left = players - len(begun)
    for _ in range(TRICKS - tricks + 1):
        if left == players:
            places = _REMAINING[hands[seat]]
            count = len(places)
            place = places[int(draw() * count)] if count > 1 else places[0]
            hands[seat] ^= _BIT[place]
            tile = tiles[seat][place]
            suit = leads[tile]
            shift, strength = 8 * suit, strengths[suit]
            best, winner = strength[tile], seat
            seat = seat + 1 if seat + 1 < players else 0
            left -= 1
        for _ in range(left):
            hand = hands[seat]
            places = _REMAINING[hand & follow[seat] >> shift or hand]
            count = len(places)
            place = places[int(draw() * count)] if count > 1 else places[0]
            hands[seat] = hand ^ _BIT[place]
            power = strength[tiles[seat][place]]
            if power > best:
                best, winner = power, seat
            seat = seat + 1 if seat + 1 < players else 0
        won[winner] += 1
        seat = winner
        left = players
    return tuple(won)
