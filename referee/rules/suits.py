"""Trumps, suits, and the two tables that answer every question about a trick.

For each trump (and each way doubles behave without trump) there is one table of *which suit a
tile leads*, one of *which tiles follow a suit*, and one of *how strong a tile is when a suit was
led*. They are built once, from the definition in sections 1C and 1D of the rules: a tile that
shows the trump belongs to no other suit; the other tiles belong to the suits of both their
ends, and lead the higher one.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from functools import cache

from referee.rules.errors import NotationError
from referee.rules.tiles import TILES, Tile, mask_of


class Suit(IntEnum):
    """A suit that can be led: a number, or the doubles where they are a suit of their own."""

    BLANKS = 0
    ONES = 1
    TWOS = 2
    THREES = 3
    FOURS = 4
    FIVES = 5
    SIXES = 6
    DOUBLES = 7

    def __str__(self) -> str:
        """Returns ``0`` to ``6`` or ``doubles``."""
        return "doubles" if self is Suit.DOUBLES else str(int(self))


class Trump(IntEnum):
    """What the declarer can name."""

    BLANKS = 0
    ONES = 1
    TWOS = 2
    THREES = 3
    FOURS = 4
    FIVES = 5
    SIXES = 6
    DOUBLES = 7
    NONE = 8

    def __str__(self) -> str:
        """Returns ``0`` to ``6``, ``doubles`` or ``none``."""
        return _TRUMP_TEXTS[self]

    def __format__(self, spec: str) -> str:
        """Formats the written form."""
        return format(str(self), spec)

    @classmethod
    def parse(cls, text: str | int) -> Trump:
        """Returns the trump written ``0`` to ``6``, ``doubles`` or ``none``.

        Raises:
            NotationError: if *text* names no trump.
        """
        for trump, written in enumerate(_TRUMP_TEXTS):
            if str(text) == written:
                return TRUMPS[trump]
        raise NotationError("trump", text, "a trump is 0 to 6, doubles or none")


_TRUMP_TEXTS = ("0", "1", "2", "3", "4", "5", "6", "doubles", "none")
TRUMPS: tuple[Trump, ...] = tuple(Trump)
"""Every trump, by number."""
SUITS: tuple[Suit, ...] = tuple(Suit)
"""Every suit, by number."""


class NoneDoubles(StrEnum):
    """What the doubles are when there is no trump (C9)."""

    HIGH = "high"
    LOW = "low"
    OWN_SUIT = "own_suit"


@dataclass(frozen=True, slots=True)
class SuitTable:
    """Every fact about suits under one trump. Tiles are numbers 0 to 27, sets are bit masks."""

    trump: Trump
    trumps: int
    """The tiles that are trumps."""
    leads: tuple[Suit, ...]
    """By tile: the suit it calls when led."""
    follows: tuple[int, ...]
    """By suit: the tiles that belong to it."""
    strength: tuple[tuple[int, ...], ...]
    """By led suit, then by tile: 0 for a tile that cannot win, else higher wins."""

    @property
    def trump_suit(self) -> Suit | None:
        """The suit whose tiles are the trumps, or ``None`` without trump."""
        return None if self.trump is Trump.NONE else SUITS[self.trump]


@cache
def suit_table(trump: Trump, none_doubles: NoneDoubles = NoneDoubles.HIGH) -> SuitTable:
    """Returns the table for *trump*."""
    trumps = mask_of(tile for tile in TILES if _is_trump(tile, trump))
    leads = tuple(_lead_suit(tile, trump, none_doubles) for tile in TILES)
    follows = tuple(
        mask_of(tile for tile in TILES if suit in _suits_of(tile, trump, none_doubles))
        for suit in SUITS
    )
    strength = tuple(
        tuple(
            _strength(tile, suit, trump, none_doubles, bool(follows[suit] >> tile & 1))
            for tile in TILES
        )
        for suit in SUITS
    )
    return SuitTable(trump, trumps, leads, follows, strength)


def _is_trump(tile: Tile, trump: Trump) -> bool:
    if trump is Trump.NONE:
        return False
    if trump is Trump.DOUBLES:
        return tile.is_double
    return trump in (tile.high, tile.low)


def _suits_of(tile: Tile, trump: Trump, none_doubles: NoneDoubles) -> set[Suit]:
    if _is_trump(tile, trump):
        return {SUITS[trump]}
    if tile.is_double and trump is Trump.NONE and none_doubles is NoneDoubles.OWN_SUIT:
        return {Suit.DOUBLES}
    return {SUITS[tile.high], SUITS[tile.low]}


def _lead_suit(tile: Tile, trump: Trump, none_doubles: NoneDoubles) -> Suit:
    suits = _suits_of(tile, trump, none_doubles)
    return suits.pop() if len(suits) == 1 else SUITS[tile.high]


def _strength(tile: Tile, led: Suit, trump: Trump, none_doubles: NoneDoubles, belongs: bool) -> int:
    if _is_trump(tile, trump):
        own = SUITS[trump]
        return 32 + _rank(tile, own, none_doubles, trump)
    return 1 + _rank(tile, led, none_doubles, trump) if belongs else 0


def _rank(tile: Tile, suit: Suit, none_doubles: NoneDoubles, trump: Trump) -> int:
    """Ranks by D6: the double first, then by the other end; a suit of doubles by number."""
    if suit is Suit.DOUBLES:
        return tile.high + 1
    if tile.is_double:
        low = trump is Trump.NONE and none_doubles is NoneDoubles.LOW
        return 0 if low else 8
    return 1 + (tile.low if tile.high == suit else tile.high)


def callable_suits(tile: Tile, table: SuitTable) -> tuple[Suit, ...]:
    """Returns the suits a leader may call with *tile* where the leader calls (K24).

    The higher end comes first. A trump, and a double, calls one suit only.
    """
    if table.trumps >> tile & 1 or tile.is_double:
        return (table.leads[tile],)
    return (SUITS[tile.high], SUITS[tile.low])


__all__ = [
    "SUITS",
    "TRUMPS",
    "NoneDoubles",
    "Suit",
    "SuitTable",
    "Trump",
    "callable_suits",
    "suit_table",
]
