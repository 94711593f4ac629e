"""Designs made of a starter: one round, from which all others follow by adding 1 again and again.

The points are *copies* rows of the numbers modulo *modulus*, one row after the other, and perhaps
one more point that stays where it is, called infinity. Adding 1 moves every point on within its
row. The starters in ``starters.json`` were found by simulated annealing; those for 35, 36, 39 and
40 by annealing the tables that avoid a subgroup and filling that with a smaller starter. Whether
they are what they should be is for everybody to count.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

Seating = tuple[int, ...]
"""Who sits at a table, clockwise, as places in the list of entrants."""
Round = tuple[Seating, ...]
"""Tables that can be played at the same time: nobody sits at two of them."""


@dataclass(frozen=True, slots=True)
class Starter:
    """What a design is developed from."""

    entrants: int
    modulus: int
    copies: int
    infinity: bool
    starter: Round
    """A round. With each number of the modulus added it is another one."""
    classes: Round = ()
    """Tables that are each, with every number of the modulus added, a round by itself."""

    def rounds(self) -> tuple[Round, ...]:
        """Returns the rounds of the design."""
        shifts = range(self.modulus)
        developed = [tuple(self._shifted(t, shift) for t in self.starter) for shift in shifts]
        whole = [tuple(self._shifted(table, shift) for shift in shifts) for table in self.classes]
        return (*developed, *whole)

    def _shifted(self, table: Seating, shift: int) -> Seating:
        m, infinity = self.modulus, self.modulus * self.copies
        return tuple(
            point if point == infinity else point - point % m + (point + shift) % m
            for point in table
        )


@cache
def starters(design: str) -> dict[int, Starter]:
    """Returns the starters of *design* by the number of entrants."""
    text = files("tournaments.schedule").joinpath("starters.json").read_text(encoding="utf-8")
    return {
        row["entrants"]: Starter(
            row["entrants"],
            row["modulus"],
            row["copies"],
            row["infinity"],
            tuple(map(tuple, row["starter"])),
            tuple(map(tuple, row.get("classes", ()))),
        )
        for row in json.loads(text)[design]
    }


def next_size(count: int, exists: Callable[[int], bool]) -> int:
    """Returns the smallest number from *count* on for which a design *exists*."""
    while not exists(count):
        count += 1
    return count
