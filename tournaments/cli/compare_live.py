"""What a comparison shows while it is played: live lines on a terminal, else one now and then."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterable, Mapping

from rich.text import Text

from referee.text import counted
from tournaments.cli.live_screen import LiveScreen
from tournaments.cli.pace import Pace, duration
from tournaments.cli.play_words import check_command
from tournaments.compare import Comparison, Contest
from tournaments.compare.wording import short_text, verdict_text
from tournaments.results import FaultRow, TableResult
from tournaments.schedule import EntrantId
from tournaments.tracebacks import telling_lines

REFRESH = 0.5
"""Seconds between two pictures on a terminal."""


class CompareProgress(LiveScreen):
    """Shows on standard error how far a comparison is. Use it as a context manager."""

    def __init__(
        self,
        comparison: Comparison,
        blocks: int,
        heartbeat: float,
        texts: Mapping[EntrantId, str] | None = None,
    ) -> None:
        """Makes the display.

        Args:
            comparison: What is shown.
            blocks: How many blocks each contest has at most.
            heartbeat: Seconds between two lines where there is no terminal.
            texts: By entrant: how its bot is named on the command line.
        """
        self._texts = texts or {}
        self._faults: Counter[EntrantId] = Counter()
        self._said = ""
        self._comparison = comparison
        self._blocks = blocks
        self._heartbeat = heartbeat
        self._paces = [Pace(blocks) for _ in comparison.contests]
        super().__init__()

    def hear(self, results: Iterable[TableResult]) -> None:
        """Counts the faults at tables that have ended, and tells the first of each entrant."""
        for result in results:
            for fault in result.faults:
                self._faults[fault.entrant] += 1
                if self._faults[fault.entrant] == 1:
                    self._tell(fault)

    def _tell(self, fault: FaultRow) -> None:
        what = f"{fault.kind}: {fault.detail}" if fault.detail else fault.kind
        self.say(f"the first fault of {fault.entrant}: {what}")
        for line in telling_lines(fault.stderr_tail):
            self.say(f"  stderr: {line}")
        if command := check_command(self._texts.get(fault.entrant, "")):
            self.say(f"{command} finds it sooner")

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
                if (state := self._state()) != self._said:
                    self._said = state
                    for line in self.lines():
                        self.say(line)

    def lines(self) -> list[str]:
        """Returns a line for each contest that is open, or that there is no other."""
        pairs = zip(self._comparison.contests, self._paces, strict=True)
        lines = [(contest.is_decided, self._line(contest, pace)) for contest, pace in pairs]
        shown = [line for is_decided, line in lines if not is_decided or len(lines) == 1]
        return shown if len(lines) == 1 else [*shown, *self._faults_text()]

    def _faults_text(self) -> list[str]:
        counts = sorted(self._faults.items())
        told = ", ".join(f"{counted(count, 'fault')} of {name}" for name, count in counts)
        return [told] if told else []

    def _state(self) -> str:
        """Returns what there is to tell besides the time: a line is due only where it changes."""
        blocks = [(contest.tally.blocks, contest.verdict) for contest in self._comparison.contests]
        return f"{blocks} {self._faults}"

    def _picture(self) -> Text:
        # One line for each: what does not fit is cut off, and it is what matters least.
        return Text("\n".join(self.lines()), no_wrap=True, overflow="ellipsis")

    def _line(self, contest: Contest, pace: Pace) -> str:
        blocks = contest.tally.blocks
        faults = self._faults_text() if len(self._paces) == 1 else []
        if not blocks:
            return f"{contest.pairing}: {', '.join(['no block yet', *faults])}"
        parts = [self._verdict_or_time(contest, pace), f"block {blocks} of {self._blocks}"]
        parts += [*faults, short_text(contest)]
        return f"{contest.pairing}: {', '.join(filter(None, parts))}"

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
