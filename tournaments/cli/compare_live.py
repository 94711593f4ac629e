"""What a comparison shows while it is played: live lines on a terminal, else one now and then."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from math import isfinite
from typing import Self

from rich.text import Text

from tournaments.cli.live_screen import LiveScreen
from tournaments.compare import Comparison, Contest
from tournaments.compare.wording import estimate_text, evidence_text, verdict_text

REFRESH = 0.5
"""Seconds between two pictures on a terminal."""


class CompareProgress(LiveScreen):
    """Shows on standard error how far a comparison is. Use it as a context manager."""

    def __init__(self, comparison: Comparison, blocks: int, heartbeat: float) -> None:
        """Makes the display.

        Args:
            comparison: What is shown.
            blocks: How many blocks each contest has at most.
            heartbeat: Seconds between two lines where there is no terminal.
        """
        self._comparison = comparison
        self._blocks = blocks
        self._heartbeat = heartbeat
        super().__init__()
        self._since = time.monotonic()

    def __enter__(self) -> Self:
        """Begins to show."""
        self._since = time.monotonic()
        return super().__enter__()

    async def beat(self) -> None:
        """Shows from time to time how it stands, until it is cancelled."""
        while True:
            await asyncio.sleep(REFRESH if self._live is not None else self._heartbeat)
            if self._live is not None:
                self._live.update(self._picture())
            else:
                for line in self.lines():
                    self.say(line)

    def lines(self) -> list[str]:
        """Returns a line for each contest that is open, or that there is no other."""
        contests = self._comparison.contests
        return [self._line(c) for c in contests if not c.is_decided or len(contests) == 1]

    def _picture(self) -> Text:
        return Text("\n".join(self.lines()))

    def _line(self, contest: Contest) -> str:
        blocks = contest.tally.blocks
        parts = [estimate_text(contest)]
        if blocks:
            parts.append(evidence_text(self._comparison, contest))
        parts.append(f"{blocks} of at most {self._blocks} blocks")
        left = self._verdict_or_time(contest)
        return "; ".join([*parts, left] if left else parts)

    def _verdict_or_time(self, contest: Contest) -> str:
        if contest.is_decided:
            return verdict_text(contest)
        blocks = contest.tally.blocks
        elapsed = time.monotonic() - self._since
        if not blocks or elapsed <= 0.0:
            return ""
        most = self._blocks - blocks
        expected = min(contest.judge.blocks_left(contest.tally), float(most))
        each = elapsed / blocks
        if not isfinite(expected):
            return f"at most {duration(most * each)} left"
        return f"about {duration(expected * each)} left, at most {duration(most * each)}"


def duration(seconds: float) -> str:
    """Returns a time as people say it.

    >>> [duration(each) for each in (4.2, 75, 4000)]
    ['4s', '1m15s', '1h06m']
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}h{minutes:02}m"
    return f"{minutes}m{rest:02}s" if minutes else f"{rest}s"


def names_text(names: Sequence[str]) -> str:
    """Returns *names* as a list in words.

    >>> names_text(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
