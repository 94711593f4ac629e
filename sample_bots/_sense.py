"""Card sense that the better bots share: what beats what, who played what, who may hold what.

Sets of tiles are bit masks here, as in `referee.rules`: bit *n* stands for the tile numbered *n*.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from referee.sdk import (
    HAND_SIZE,
    SEATS,
    SUITS,
    TILES,
    TRUMPS,
    AnyView,
    Bid,
    FirstLead,
    FollowRule,
    Play,
    Rules,
    Seat,
    Tile,
    Trump,
)


@dataclass(frozen=True, slots=True)
class Sense:
    """What is true of the tiles under one trump."""

    tiles: int
    """The tiles in play."""
    trumps: int
    """The trumps among them."""
    leads: tuple[int, ...]
    """By tile: the suit it leads."""
    follows: tuple[int, ...]
    """By suit that was led: the tiles of which one must be played by who holds any."""
    beats: tuple[tuple[int, ...], ...]
    """By suit that was led, then by tile: the tiles that win over it."""
    beaten_by: tuple[int, ...]
    """By tile: the tiles that win over it when it is led."""
    power: tuple[tuple[int, ...], ...]
    """By suit that was led, then by tile: how strong it is; 0 if it cannot win."""
    keep: tuple[int, ...]
    """By tile: how strong it is when led. Every trump is above every other tile."""


_KNOWN: dict[int, tuple[Rules, tuple[Sense, ...]]] = {}
_MOST_KNOWN = 64


def senses(rules: Rules) -> tuple[Sense, ...]:
    """Returns what is true under each trump; worked out once for each set of rules."""
    known = _KNOWN.get(id(rules))
    if known is None:
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        # Rules are slow to hash. They are kept here so that no others can get their identity.
        known = _KNOWN[id(rules)] = rules, tuple(_work_out(rules, trump) for trump in TRUMPS)
    return known[1]


def _work_out(rules: Rules, trump: Trump) -> Sense:
    table, inside = rules.tables[trump], rules.tile_mask
    trumps = table.trumps & inside
    also = trumps if rules.follow_rule is FollowRule.FOLLOW_OR_TRUMP else 0
    beats = [
        tuple(
            sum(1 << other for other in rules.tiles if power[other] > power[tile]) for tile in TILES
        )
        for power in table.strength
    ]
    return Sense(
        inside,
        trumps,
        tuple(int(suit) for suit in table.leads),
        tuple(table.follows[suit] & inside | also for suit in SUITS),
        tuple(beats),
        tuple(beats[table.leads[tile]][tile] for tile in TILES),
        table.strength,
        tuple(table.strength[table.leads[tile]][tile] for tile in TILES),
    )


def suit_led(known: Sense, play: Play) -> int:
    """Returns the suit that *play* leads."""
    return known.leads[play.tile] if play.called is None else int(play.called)


# What has happened.


def bids_by_seat(view: AnyView) -> list[tuple[Seat, Bid]]:
    """Returns who bid what, in order. In an open auction a seat that passed is not asked again."""
    seat, passed, made = view.first_bidder, set[Seat](), []
    for bid in view.bids:
        while seat in passed:
            seat = next_seat(view, seat)
        made.append((seat, bid))
        if not bid:
            passed.add(seat)
        seat = next_seat(view, seat)
    return made


def plays_by_seat(view: AnyView) -> list[tuple[Seat, Tile]]:
    """Returns who played what, in order."""
    players = view.rules.players
    return [
        (SEATS[(view.leaders[at // players] + at % players) % players], tile)
        for at, tile in enumerate(view.plays)
    ]


def next_seat(view: AnyView, seat: Seat) -> Seat:
    """Returns the seat to the left of *seat*."""
    return SEATS[(seat + 1) % view.rules.players]


# What may be.


def hand_sizes(view: AnyView) -> list[int]:
    """Returns how many tiles each seat holds, the discard not counted."""
    sizes = [HAND_SIZE] * view.rules.players
    for seat, _ in plays_by_seat(view):
        sizes[seat] -= 1
    return sizes


def may_hold(view: AnyView) -> list[int]:
    """Returns, by seat, the tiles it may hold, as far as its plays do not rule them out.

    Who did not follow a lead holds nothing that follows it.
    """
    rules = view.rules
    held = [view.unseen.mask] * rules.players
    held[view.seat] = view.hand.mask
    if view.trump is None:
        return held
    known, follows = senses(rules)[view.trump], 0
    for at, (seat, tile) in enumerate(plays_by_seat(view)):
        trick, place = divmod(at, rules.players)
        if place == 0:
            follows = known.follows[view.called[trick] if view.called else known.leads[tile]]
            if at == 0 and rules.first_lead is FirstLead.TRUMP and not known.trumps >> tile & 1:
                held[seat] &= ~known.trumps
        elif not follows >> tile & 1:
            held[seat] &= ~follows
    return held


def chance_of_none(count: int, pool: int, drawn: int) -> float:
    """Returns the chance that *drawn* tiles of *pool* hold none of *count* of them."""
    return math.comb(pool - count, drawn) / math.comb(pool, drawn) if drawn <= pool else 0.0
