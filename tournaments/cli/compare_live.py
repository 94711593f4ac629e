"""What a comparison shows while it is played: live lines on a terminal, else one now and then."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from rich.text import Text

from tournaments.cli.live_screen import LiveScreen
from tournaments.cli.pace import Pace, duration
from tournaments.compare import Comparison, Contest
from tournaments.compare.wording import short_text, verdict_text

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
        self._paces = [Pace(blocks) for _ in comparison.contests]
        super().__init__()

    async def beat(self) -> None:
        """Shows from time to time how it stands, until it is cancelled."""
        due = time.monotonic() + self._heartbeat
        while True:
            await asyncio.sleep(min(REFRESH, self._heartbeat))
            for contest, pace in zip(self._comparison.contests, self._paces, strict=True):
                pace.left(contest.tally.blocks, 0.0)  # it is to see the first block in time
            if self._live is not None:
                self._live.update(self._picture())
            elif time.monotonic() >= due:
                due = time.monotonic() + self._heartbeat
                for line in self.lines():
                    self.say(line)

    def lines(self) -> list[str]:
        """Returns a line for each contest that is open, or that there is no other."""
        pairs = zip(self._comparison.contests, self._paces, strict=True)
        lines = [(contest.is_decided, self._line(contest, pace)) for contest, pace in pairs]
        return [line for is_decided, line in lines if not is_decided or len(lines) == 1]

    def _picture(self) -> Text:
        # One line for each: what does not fit is cut off, and it is what matters least.
        return Text("\n".join(self.lines()), no_wrap=True, overflow="ellipsis")

    def _line(self, contest: Contest, pace: Pace) -> str:
        blocks = contest.tally.blocks
        if not blocks:
            return f"{contest.pairing}: no block yet"
        parts = [self._verdict_or_time(contest, pace), f"block {blocks} of {self._blocks}"]
        return f"{contest.pairing}: {', '.join(filter(None, (*parts, short_text(contest))))}"

    def _verdict_or_time(self, contest: Contest, pace: Pace) -> str:
        most = self._blocks - contest.tally.blocks
        expected = min(contest.judge.blocks_left(contest.tally), float(most))
        seconds = pace.left(contest.tally.blocks, expected)
        if contest.is_decided:
            return verdict_text(contest)
        if seconds is None:
            return ""
        word = "about" if expected < most else "at most"
        return f"{word} {duration(seconds)} left"


def names_text(names: Sequence[str]) -> str:
    """Returns *names* as a list in words.

    >>> names_text(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
