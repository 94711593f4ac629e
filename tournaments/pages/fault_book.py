"""The faults of a run: how many of each kind, and one of each to look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tournaments.results import FaultRow, TableResult
from tournaments.schedule import EntrantId

MOST_SHOWN = 24
"""How many different faults are shown with their deals; the others are only counted."""


@dataclass(slots=True)
class FaultGroup:
    """Faults of one entrant that are alike: the first of them, and how many there are."""

    fault: FaultRow
    table: str
    """The id of the table of the first one."""
    count: int = 0
    forfeits: int = 0
    """How many of them forfeited a match."""


@dataclass(frozen=True, slots=True)
class FaultLine:
    """The faults of one entrant."""

    entrant: EntrantId
    kinds: Counter[str]
    forfeits: int

    @property
    def total(self) -> int:
        """How many there are."""
        return self.kinds.total()


class FaultBook:
    """Counts faults, table by table in schedule order.

    Faults of an entrant are alike if they are of one kind and its process ended in the same way.
    """

    def __init__(self) -> None:
        """Begins without any."""
        self._kinds: dict[EntrantId, Counter[str]] = {}
        self._forfeits: Counter[EntrantId] = Counter()
        self._groups: dict[tuple[str, str, str], FaultGroup] = {}

    def take(self, result: TableResult) -> None:
        """Counts the faults of one table."""
        for fault in result.faults:
            self._kinds.setdefault(fault.entrant, Counter())[fault.kind] += 1
            self._forfeits[fault.entrant] += not fault.substitute
            key = fault.entrant, fault.kind, fault.exit_status
            group = self._groups.setdefault(key, FaultGroup(fault, result.id))
            group.count += 1
            group.forfeits += not fault.substitute

    def lines(self, order: Sequence[EntrantId]) -> tuple[FaultLine, ...]:
        """Returns a line for each entrant at fault, the most faults first, then by *order*."""
        lines = [
            FaultLine(name, self._kinds[name], self._forfeits[name])
            for name in order
            if name in self._kinds
        ]
        return tuple(sorted(lines, key=lambda line: -line.total))

    def kinds(self) -> tuple[str, ...]:
        """Returns the kinds that occurred, by name."""
        return tuple(sorted({kind for kinds in self._kinds.values() for kind in kinds}))

    def groups(self) -> tuple[FaultGroup, ...]:
        """Returns the faults that are shown: those that occurred most often."""
        ordered = sorted(self._groups.values(), key=lambda group: -group.count)
        return tuple(ordered[:MOST_SHOWN])

    @property
    def left_out(self) -> int:
        """How many different faults are not shown."""
        return max(len(self._groups) - MOST_SHOWN, 0)
