"""Plays a deal out when every hand is known: quick, and close to the best for either side.

Each seat looks at the open trick only. It takes the trick with the cheapest tile that nobody left
to play can beat, leaves it to its own camp where that holds it anyway, and throws its least tile
when it cannot have it. The camps are the declarer's side and everybody else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from referee.sdk import AnyView, Play, Rules, Trump
from sample_bots._sense import Sense, senses, suit_led


class Spot(NamedTuple):
    """Where a deal stands within a trick."""

    seat: int
    """Who plays next."""
    left: int
    """How many tiles the trick still lacks; all of them before the lead."""
    suit: int = 0
    """The suit that was led."""
    best: int = 0
    """The tile that wins so far."""
    winner: int = 0
    """Who played it."""


def whole_deal(rules: Rules, trump: Trump, declarer: int, hands: Sequence[int]) -> tuple[int, ...]:
    """Returns the tricks of each seat when *declarer* leads to the first trick of a deal."""
    players = rules.players
    spot = Spot(declarer, players)
    return play_out(senses(rules)[trump], hands, _camps(rules, declarer), spot, [0] * players)


def after_play(view: AnyView, hands: Sequence[int], play: Play) -> tuple[int, ...]:
    """Returns the tricks of each seat when the asked seat makes *play* and these are the hands."""
    assert view.trump is not None
    assert view.declarer is not None
    trick = view.trick
    assert trick is not None
    rules, seat, tile = view.rules, view.seat, play.tile
    players, known = rules.players, senses(rules)[view.trump]
    left = players - len(trick.tiles) - 1
    suit = suit_led(known, play) if trick.suit is None else int(trick.suit)
    winner, best = seat, tile
    if view.winning is not None and not view.takes(tile):
        winner, best = view.winning, max(trick.tiles, key=known.power[suit].__getitem__)
    won = list(view.tricks_won)
    if left:
        spot = Spot((seat + 1) % players, left, suit, best, winner)
    else:
        won[winner] += 1
        spot = Spot(winner, players)
    hands = [held ^ 1 << tile if at == seat else held for at, held in enumerate(hands)]
    return play_out(known, hands, _camps(rules, view.declarer), spot, won)


def _camps(rules: Rules, declarer: int) -> list[bool]:
    """Returns, by seat, whether it is on the side of *declarer*."""
    side = rules.side_of(declarer)
    return [rules.side_of(seat) == side for seat in range(rules.players)]


def play_out(
    known: Sense, hands: Sequence[int], camps: Sequence[bool], spot: Spot, won: Sequence[int]
) -> tuple[int, ...]:
    """Returns the tricks of each seat at the end of the deal.

    Args:
        known: What is true under the trump.
        hands: By seat: the tiles held.
        camps: By seat: whether it is on the declarer's side.
        spot: Where the deal stands.
        won: By seat: the tricks taken before.
    """
    hands, tricks, players = list(hands), list(won), len(hands)
    seat, left, suit, best, winner = spot
    while left < players or hands[seat]:
        if left == players:
            tile = _lead(known, hands, camps, seat)
            suit, best, winner = known.leads[tile], tile, seat
        else:
            tile = _follow(known, hands, camps, Spot(seat, left, suit, best, winner))
            if known.beats[suit][best] >> tile & 1:
                best, winner = tile, seat
        hands[seat] ^= 1 << tile
        left -= 1
        seat = seat + 1 if seat + 1 < players else 0
        if not left:
            tricks[winner] += 1
            seat, left = winner, players
    return tuple(tricks)


def _lead(known: Sense, hands: Sequence[int], camps: Sequence[bool], seat: int) -> int:
    """Returns the strongest tile that no rival can beat, trumps first while a rival has any.

    When every tile can be beaten, the least.
    """
    hand = hands[seat]
    if not hand & (hand - 1):
        return hand.bit_length() - 1
    leads, follows, beats, keep = known.leads, known.follows, known.beats, known.keep
    rivals = [held for held, camp in zip(hands, camps, strict=True) if camp is not camps[seat]]
    trumps = 0
    for held in rivals:
        trumps |= held & known.trumps
    # Trumps that draw nothing are kept for later: they win whenever they are played.
    late = 0 if trumps else known.trumps
    best = least = -1
    most, fewest = -1, _MANY
    left = hand
    while left:
        bit = left & -left
        left ^= bit
        tile = bit.bit_length() - 1
        suit = leads[tile]
        follow, above = follows[suit], beats[suit][tile]
        for held in rivals:
            if (held & follow or held) & above:
                if keep[tile] < fewest:
                    least, fewest = tile, keep[tile]
                break
        else:
            strength = keep[tile] if not late & bit else 0
            if strength > most:
                best, most = tile, strength
    return best if best >= 0 else least


def _follow(known: Sense, hands: Sequence[int], camps: Sequence[bool], spot: Spot) -> int:
    """Returns the cheapest tile that takes the trick for good, or else the least tile."""
    seat, left, suit, best, winner = spot
    hand, follow, beats = hands[seat], known.follows[suit], known.beats[suit]
    legal = hand & follow or hand
    if not legal & (legal - 1):
        return legal.bit_length() - 1
    players, camp = len(hands), camps[seat]
    threats = 0
    for step in range(1, left):
        other = (seat + step) % players
        if camps[other] is not camp:
            held = hands[other]
            threats |= held & follow or held
    if camps[winner] is not camp or threats & beats[best]:
        takers = legal & beats[best]
        while takers:
            tile = _least(takers, known.power[suit])
            if not threats & beats[tile]:
                return tile
            takers ^= 1 << tile
    return _least(legal, known.keep)


_MANY = 1000


def _least(tiles: int, power: Sequence[int]) -> int:
    """Returns the weakest of *tiles*."""
    least, fewest = -1, _MANY
    while tiles:
        bit = tiles & -tiles
        tiles ^= bit
        tile = bit.bit_length() - 1
        if power[tile] < fewest:
            least, fewest = tile, power[tile]
    return least
