"""What became of a run, besides its results."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from referee.errors import MoonError
from tournaments.measured import Measured
from tournaments.results import TableResult

MAX_PROBLEMS = 50
"""How many things that went wrong are told in words; the others are only counted."""


class RunnerError(MoonError):
    """Workers fail again and again, so that the run cannot go on."""


@dataclass(slots=True)
class RunReport:
    """What became of a run."""

    played: int = 0
    """Tables that were played and handed on."""
    void: list[TableResult] = field(default_factory=list)
    """Tables that we broke every time."""
    problems: list[str] = field(default_factory=list)
    """What went wrong on our side, in words."""
    more_problems: int = 0
    """How often more than that."""
    introductions: dict[str, str] = field(default_factory=dict)
    """By entrant: what its bots say of themselves: name, version, author."""
    measured: Measured = field(default_factory=Measured)
    """What was measured of the host and the bots."""
    strays: Counter[str] = field(default_factory=Counter)
    """By entrant: how many answers came that named no open question, and were dropped."""
    stopped: bool = False
    """Whether it was asked to stop before everything was played."""

    def complain(self, problem: str) -> None:
        """Takes note of what went wrong on our side; of the first ones in words."""
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(problem)
        else:
            self.more_problems += 1
