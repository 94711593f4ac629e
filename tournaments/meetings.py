"""How entrants did against each other and with each other, over the tables where they met.

Tables of a block share their deals, so a block is one observation (RATING.md 6.1), and a short
match counts as much as a long one: the mean is over tables of points a deal, then over blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import NamedTuple

from tournaments.evidence import Tally
from tournaments.rating.student import FEW
from tournaments.schedule import EntrantId


@dataclass(frozen=True, slots=True)
class Versus:
    """How one entrant did against another, over the tables at which both sat, not as partners."""

    entrant: EntrantId
    other: EntrantId
    tables: int
    ahead: int
    """At how many tables it took the better place."""
    level: int
    blocks: int
    difference: float | None
    """Points a deal by which it was ahead: the mean over blocks; ``None`` if they never met."""
    low: float | None
    """Lower end of the 95 % interval over blocks; ``None`` with fewer than `FEW` blocks, or if all
    blocks are alike: they say nothing of their spread."""
    high: float | None
    """Upper end of that interval."""

    def turned(self) -> Versus:
        """Returns the same as the other of the two sees it."""
        behind = self.tables - self.ahead - self.level
        return Versus(
            self.other, self.entrant, self.tables, behind, self.level, self.blocks,
            _minus(self.difference), _minus(self.high), _minus(self.low),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Partnership:
    """How an entrant did with a partner, over the tables at which they played together."""

    entrant: EntrantId
    partner: EntrantId
    """The same, where it held both seats of a side."""
    tables: int
    ahead: int
    """At how many tables they took the better place."""
    level: int
    blocks: int
    difference: float | None
    """Points a deal by which they were ahead of the other side: the mean over blocks; ``None`` if
    they never were partners."""
    low: float | None
    """Lower end of the 95 % interval over blocks; ``None`` with fewer than `FEW` blocks, or if all
    blocks are alike: they say nothing of their spread."""
    high: float | None
    """Upper end of that interval."""


class Row(NamedTuple):
    """What is kept of a table, beside who sat there."""

    block: int
    scores: tuple[int, ...]
    places: tuple[int, ...]
    deals: int
    is_forfeited: bool


class Meetings:
    """Tables at which two sides met, as the first of the two sees them."""

    def __init__(self) -> None:
        self._tables = 0
        self._ahead = 0
        self._level = 0
        self._differences: dict[int, list[float]] = {}

    def take(self, rows: Sequence[Row], side: int, other: int) -> None:
        """Takes the tables in *rows*, in which the two are these sides."""
        for block, scores, places, deals, _ in rows:
            self._tables += 1
            self._ahead += places[side] < places[other]
            self._level += places[side] == places[other]
            points = (scores[side] - scores[other]) / deals
            self._differences.setdefault(block, []).append(points)

    def means(self) -> list[float]:
        """Returns by block: the mean difference in points a deal."""
        return [fsum(block) / len(block) for block in self._differences.values()]

    def figures(
        self,
    ) -> tuple[int, int, int, int, float | None, float | None, float | None]:
        """Returns tables, ahead, level and blocks, and the mean difference with its interval."""
        found = Tally(self.means())
        mean = found.mean if found.blocks else None
        ends = (found.interval() if found.blocks >= FEW else None) or (None, None)
        return self._tables, self._ahead, self._level, found.blocks, mean, *ends

    def versus(self, entrant: EntrantId, other: EntrantId) -> Versus:
        """Returns the same as said of the two that met."""
        return Versus(entrant, other, *self.figures())


def _minus(value: float | None) -> float | None:
    """Returns the opposite of *value*; that of 0 is 0, without a sign."""
    return None if value is None else 0.0 - value
