"""Luck of the deal: what a hand promises, and by how much a seat was dealt more than the others.

The adjusted score of RATING.md 6.7: Y - c X, with X what a seat's hand promises less the mean over
all hands of the deal. Whatever hands are dealt, each is as likely in every seat, so X is 0 on
average whoever plays them, and the adjusted score has the mean of the plain one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from referee.rules import Rules, tiles_in

TENTHS = 10
"""A trick, in the unit of `promise`."""
PROMISE = "trump 10, double trump 12, other double 8, tile of the highest suit 2; best trump"
"""The definition of `promise` in words; it is part of what is fixed before a tournament."""


@lru_cache(maxsize=1 << 16)
def promise(rules: Rules, hand: int) -> int:
    """Returns roughly how many tricks *hand* promises a declarer, in tenths.

    Args:
        rules: The rules: which trumps there are.
        hand: The tiles, as a bit mask.
    """
    top = max(tile.high for tile in rules.tiles)
    best = 0
    for trump in rules.trumps:
        trumps = rules.tables[trump].trumps
        count = 0
        for tile in tiles_in(hand):
            if trumps >> tile & 1:
                count += 12 if tile.is_double else 10
            elif tile.is_double:
                count += 8
            elif tile.high == top:
                count += 2
        best = max(best, count)
    return best


def luck(rules: Rules, hands: Sequence[int]) -> tuple[int, ...]:
    """Returns the luck of each seat, in tenths of a trick times the number of seats.

    The sum over the seats is 0, and so is the sum over the tables of a complete block for everybody
    who sits there.

    >>> from referee.rules import Hand, preset_rules
    >>> hands = [Hand.parse(text).mask for text in ("6-6 6-5 6-4", "5-5 4-4 3-3", "2-1 1-0 2-0")]
    >>> sum(luck(preset_rules("wikihow-3p"), hands))
    0

    Args:
        rules: The rules.
        hands: By seat: the tiles dealt, as a bit mask.
    """
    promised = [promise(rules, hand) for hand in hands]
    together = sum(promised)
    return tuple(each * len(hands) - together for each in promised)


@dataclass(frozen=True, slots=True)
class LuckTerms:
    """What is fixed before a tournament: how much luck counts, and by which definition."""

    coefficient: float
    """Points for each trick that a seat was dealt more than the mean of the seats."""
    hash: str
    """SHA-256 of the coefficient and of the definition of `promise`, as hexadecimal digits."""

    @classmethod
    def of(cls, coefficient: float) -> LuckTerms:
        """Returns the terms with *coefficient*, under the definition of this version."""
        text = json.dumps([coefficient, PROMISE], separators=(",", ":"))
        return cls(coefficient, hashlib.sha256(text.encode()).hexdigest())

    @property
    def is_current(self) -> bool:
        """Whether this version of the program adjusts by the definition that was fixed."""
        return self == LuckTerms.of(self.coefficient)
