"""What bots use of the processors, and how much of it out of their turn."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(slots=True)
class CpuUse:
    """Processor time in seconds."""

    total: float = 0.0
    """From the first decision on: what it takes to start is not counted."""
    out_of_turn: float = 0.0
    """The part of it that was used while no decision was out."""
    decisions: int = 0
    """How many decisions came to an end in this time."""
    longest: float = 0.0
    """The most that a decision took, of those that were out together their mean; 0 if that is not
    known. The first turn of a process is left out, in which much is done only once, and so is the
    longest of all others: once is no habit."""

    def add(self, other: CpuUse) -> None:
        """Adds what *other* says."""
        self.total += other.total
        self.out_of_turn += other.out_of_turn
        self.decisions += other.decisions
        self.longest = max(self.longest, other.longest)


class CpuMeter:
    """Adds up what the processes of one bot use, one after the other.

    Attributes:
        use: What they have used so far.
    """

    def __init__(self) -> None:
        """Makes a meter of a bot that was asked nothing yet."""
        self.use = CpuUse()
        self._last: float | None = None
        self._decided = 0
        self._is_first = True
        self._record = 0.0

    def turn_begins(self, seconds: float | None) -> None:
        """Takes note that decisions are handed over; the processes have used *seconds* by now."""
        self.use.out_of_turn += self._read(seconds)
        self._decided = self.use.decisions

    def turn_ends(self, seconds: float | None) -> None:
        """Takes note that nothing is out any more; the processes have used *seconds* by now."""
        used, decided = self._read(seconds), self.use.decisions - self._decided
        if decided and not self._is_first:
            _, second, self._record = sorted((used / decided, self.use.longest, self._record))
            self.use.longest = second
        self._is_first = False

    def process_ends(self) -> None:
        """Takes note that what is read next is of another process."""
        self._last = None
        self._is_first = True

    def _read(self, seconds: float | None) -> float:
        """Counts what was used since the last reading, and returns it."""
        if seconds is None:
            return 0.0
        # A child that ended takes its time with it, so the sum over the tree may fall.
        used = 0.0 if self._last is None else max(0.0, seconds - self._last)
        self._last = seconds
        self.use.total += used
        return used


def cpu_seconds(pids: Iterable[int]) -> float | None:
    """Returns the processor time that the processes *pids* have used, all their threads together.

    A process that is gone counts for nothing; ``None`` if all are. Costs about a microsecond each.
    """
    found = [seconds for pid in pids if (seconds := _cpu_of(pid)) is not None]
    return sum(found) if found else None


def _cpu_of(pid: int) -> float | None:
    # The number of the clock of another process, as clock_getcpuclockid(3) makes it on Linux.
    try:
        return time.clock_gettime(~pid << 3 | 2)
    except OSError:
        return None
