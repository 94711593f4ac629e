"""Plays the blocks of a comparison with worker processes, no more of them than it takes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby

from msgspec.structs import replace

from tournaments.compare.comparison import Comparison
from tournaments.results import TableResult
from tournaments.runner.jobs import BlockJob, Job, Unit, table_jobs
from tournaments.runner.report import RunReport
from tournaments.runner.runner import Runner
from tournaments.schedule import Schedule

PATIENCE = 2.0
"""Seconds for which tables that are not wanted any more may come to an end by themselves."""


class ComparisonPlay:
    """Plays the tables of a comparison until it is over.

    Attributes:
        heard: Takes tables as they end, in whatever order that is; ``None`` if nobody does.
    """

    def __init__(
        self,
        comparison: Comparison,
        schedule: Schedule,
        job: Job,
        *,
        seed: str,
        workers: int,
        say: Callable[[str], None],
        shares: bool = False,
    ) -> None:
        """Prepares to play.

        Args:
            comparison: What takes the results.
            schedule: Its blocks.
            job: What the tables have in common.
            seed: Any text, which all deals follow from.
            workers: How many processes play.
            say: Takes news about how it is played, in words.
            shares: Whether the tables of a block share what is the same at them.
        """
        self._comparison = comparison
        self.heard: Callable[[Sequence[TableResult]], None] | None = None
        tables: Sequence[Unit] = table_jobs(schedule.tables, schedule, seed, {})
        if shares:
            tables = [self._block(block) for _, block in groupby(tables, lambda t: t.block)]
        self._runner = Runner(job, tables, workers=workers, on_results=self._take, say=say)
        self._void_seen = 0
        self._decided = 0
        self._end: asyncio.TimerHandle | None = None

    def _block(self, tables: Iterable[Unit]) -> BlockJob:
        """Returns the job of a block, of whose scores only the difference of the two is wanted."""
        block = BlockJob(tuple(table for unit in tables for table in unit.tables))
        pairing = self._comparison.contest_of(block.block).pairing
        return replace(block, contrast={pairing.first: 1, pairing.second: -1})

    async def run(self) -> RunReport:
        """Plays until the comparison is over, or until `stop`.

        Raises:
            BotError: if a bot does not start.
            RunnerError: if workers fail again and again.
        """
        try:
            report = await self._runner.run()
        finally:
            if self._end is not None:
                self._end.cancel()
        self._comparison.take((), self._fresh_void())
        return report

    def stop(self) -> None:
        """Ends at once; what is in play is lost."""
        self._runner.abort()

    def _take(self, results: Sequence[TableResult]) -> None:
        if self.heard is not None:
            self.heard(results)
        comparison = self._comparison
        comparison.take(results, self._fresh_void())
        decided = sum(contest.is_decided for contest in comparison.contests)
        if comparison.is_over and self._end is None:
            self._runner.withdraw(lambda _: True)
            self._end = asyncio.get_running_loop().call_later(PATIENCE, self._runner.abort)
        elif decided > self._decided:
            self._runner.withdraw(lambda table: comparison.contest_of(table.block).is_decided)
        self._decided = decided

    def _fresh_void(self) -> list[TableResult]:
        """Returns the tables that have become void for good since the last time."""
        fresh = self._runner.report.void[self._void_seen :]
        self._void_seen += len(fresh)
        return fresh
