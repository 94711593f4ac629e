"""Bids."""

from __future__ import annotations

from enum import IntEnum

from referee.rules.errors import NotationError

TRICKS = 7
"""How many tricks a deal has."""


class Bid(IntEnum):
    """A bid. A higher number outbids a lower one, and is what the contract is worth."""

    PASS = 0
    THREE = 3
    FOUR = 4
    FIVE = 5
    SIX = 6
    SEVEN = 7
    MOON = 21
    DOUBLE_MOON = 42
    """Over a moon, where the rules allow it (``moon_overcall``)."""

    @property
    def tricks(self) -> int:
        """How many tricks the declarer must take, under the ordinary contract test."""
        return min(int(self), TRICKS)

    @property
    def is_moon(self) -> bool:
        """Whether the bid asks for every trick for more than seven points."""
        return self >= Bid.MOON

    def __str__(self) -> str:
        """Returns ``pass`` or the number."""
        return str(int(self)) if self else "pass"

    def __format__(self, spec: str) -> str:
        """Formats the written form."""
        return format(str(self), spec)

    @classmethod
    def parse(cls, text: str | int) -> Bid:
        """Returns the bid written ``pass`` or as its number.

        Raises:
            NotationError: if *text* names no bid.
        """
        for bid in cls:
            if str(text) == str(bid):
                return bid
        raise NotationError("bid", text, "a bid is pass, 3 to 7, 21 or 42")
