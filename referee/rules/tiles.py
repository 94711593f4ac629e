"""Tiles, and the hands they make.

A tile is a number from 0 to 27, counted by its higher end: 0-0, 1-0, 1-1, 2-0 ... 6-6.
A hand is a bit mask over those numbers, so that a rule is a lookup and an ``&``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from referee.rules.errors import NotationError
from referee.rules.sealing import open_twin


class Tile(IntEnum):
    """A domino, written higher end first.

    >>> Tile.parse("6-4")
    <Tile.T64: 25>
    >>> str(Tile.T64), Tile.T64.high, Tile.T64.low
    ('6-4', 6, 4)
    """

    T00 = 0
    T10 = 1
    T11 = 2
    T20 = 3
    T21 = 4
    T22 = 5
    T30 = 6
    T31 = 7
    T32 = 8
    T33 = 9
    T40 = 10
    T41 = 11
    T42 = 12
    T43 = 13
    T44 = 14
    T50 = 15
    T51 = 16
    T52 = 17
    T53 = 18
    T54 = 19
    T55 = 20
    T60 = 21
    T61 = 22
    T62 = 23
    T63 = 24
    T64 = 25
    T65 = 26
    T66 = 27

    @property
    def high(self) -> int:
        """The larger end, 0 to 6."""
        return _HIGHS[self]

    @property
    def low(self) -> int:
        """The smaller end, 0 to ``high``."""
        return _LOWS[self]

    @property
    def text(self) -> str:
        """The tile as it is written: ``6-4``."""
        return _TEXTS[self]

    @property
    def is_double(self) -> bool:
        """Whether both ends are equal."""
        return self.high == self.low

    @property
    def pips(self) -> int:
        """The sum of both ends."""
        return self.high + self.low

    def __str__(self) -> str:
        """Returns the tile as it is written, ``6-4``."""
        return self.text

    def __format__(self, spec: str) -> str:
        """Formats the written form."""
        return format(self.text, spec)

    @classmethod
    def parse(cls, text: str) -> Tile:
        """Returns the tile written as ``6-4`` or ``64``, higher end first.

        Raises:
            NotationError: if *text* names no tile.
        """
        tile = _BY_TEXT.get(text) if isinstance(text, str) else None
        if tile is None:
            raise NotationError("tile", text, "write the higher end first, like 6-4")
        return tile


TILES: tuple[Tile, ...] = tuple(Tile)
"""Every tile, by number."""

_HIGHS = tuple(int(tile.name[1]) for tile in TILES)
_LOWS = tuple(int(tile.name[2]) for tile in TILES)
_TEXTS = tuple(f"{tile.name[1]}-{tile.name[2]}" for tile in TILES)
_BY_TEXT = {text: tile for tile in TILES for text in (_TEXTS[tile], tile.name[1:])}


def mask_of(tiles: Iterable[int]) -> int:
    """Returns the bit mask of *tiles*."""
    mask = 0
    for tile in tiles:
        mask |= 1 << tile
    return mask


def tiles_in(mask: int) -> list[Tile]:
    """Returns the tiles of *mask*, in ascending order."""
    found = []
    while mask:
        lowest = mask & -mask
        found.append(TILES[lowest.bit_length() - 1])
        mask ^= lowest
    return found


@dataclass(frozen=True, slots=True)
class Hand:
    """A set of tiles. Order carries no meaning.

    >>> hand = Hand.parse("6-6 6-1 4-2")
    >>> Tile.T61 in hand, len(hand), [str(tile) for tile in hand]
    (True, 3, ['4-2', '6-1', '6-6'])
    """

    mask: int
    """Bit *n* is set when the hand holds the tile with number *n*."""

    @classmethod
    def of(cls, tiles: Iterable[int]) -> Hand:
        """Returns the hand of *tiles*."""
        return cls(mask_of(tiles))

    @classmethod
    def parse(cls, text: str) -> Hand:
        """Returns the hand written as tiles with spaces between.

        Raises:
            NotationError: if a word names no tile.
        """
        return cls.of(Tile.parse(word) for word in text.split())

    def __iter__(self) -> Iterator[Tile]:
        """Yields the tiles, in ascending order."""
        return iter(tiles_in(self.mask))

    def __len__(self) -> int:
        """Returns how many tiles there are."""
        return self.mask.bit_count()

    def __contains__(self, tile: object) -> bool:
        """Whether *tile* is in the hand."""
        return isinstance(tile, int) and bool(self.mask >> tile & 1)

    def __str__(self) -> str:
        """Returns the tiles, highest first, with spaces between."""
        return " ".join(tile.text for tile in reversed(tiles_in(self.mask)))


_OpenHand = open_twin(Hand)


def hand_of(mask: int) -> Hand:
    """Returns the hand with this *mask*, as the constructor would, but faster."""
    hand: Any = object.__new__(_OpenHand)
    hand.mask = mask
    hand.__class__ = Hand
    closed: Hand = hand
    return closed
