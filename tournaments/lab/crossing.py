"""Plays the blocks of a cross with worker processes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tournaments.lab.cross import Cross
from tournaments.results import TableResult
from tournaments.runner.jobs import BlockJob, Job, table_jobs
from tournaments.runner.report import RunReport
from tournaments.runner.runner import Runner
from tournaments.schedule import Schedule


class CrossPlay:
    """Plays the tables of a cross; those of a block share what is the same at them."""

    def __init__(
        self,
        cross: Cross,
        schedule: Schedule,
        job: Job,
        *,
        seed: str,
        workers: int,
        say: Callable[[str], None],
    ) -> None:
        """Prepares to play.

        Args:
            cross: What takes the results.
            schedule: Its blocks.
            job: What the tables have in common.
            seed: Any text, which all deals follow from.
            workers: How many processes play.
            say: Takes news about how it is played, in words.
        """
        self._cross = cross
        blocks = [
            BlockJob(tuple(table_jobs(block.tables, schedule, seed, {})))
            for block in schedule.blocks
        ]
        self._runner = Runner(job, blocks, workers=workers, on_results=self._take, say=say)
        self._void_seen = 0

    async def run(self) -> RunReport:
        """Plays all blocks, or until `stop`.

        Raises:
            BotError: if a bot does not start.
            RunnerError: if workers fail again and again.
        """
        report = await self._runner.run()
        self._take(())
        return report

    def stop(self) -> None:
        """Ends at once; what is in play is lost."""
        self._runner.abort()

    def _take(self, results: Sequence[TableResult]) -> None:
        void = self._runner.report.void
        self._cross.take(results, void[self._void_seen :])
        self._void_seen = len(void)
