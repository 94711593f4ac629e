"""Spreads tables over worker processes, and hands their results on in groups.

The runner decides nothing about a game: it hands out tables, takes what became of them, and plays
again what was lost with a worker. Results reach `on_results` in groups, and a table counts as done
only when that call has returned; so a store can make them durable first.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Callable, Iterable, Sequence

import msgspec

from referee.bots.rundir import sweep_leftovers
from referee.errors import BotError
from tournaments.measured import Measured
from tournaments.results import TableResult
from tournaments.runner.flight import Flight
from tournaments.runner.jobs import (
    BlockDone,
    Done,
    Failed,
    Job,
    Ready,
    Stopped,
    TableJob,
    Unit,
    decode_from_worker,
    encode,
)
from tournaments.runner.pipes import start_worker, tail, to_the_end
from tournaments.runner.report import RunnerError, RunReport
from tournaments.schedule import EntrantId

MAX_ATTEMPTS = 3
"""How often a table is begun in one run before it stays void."""
MAX_LOST_WORKERS = 5
"""How many workers may be lost before a table comes to an end again; then the run is given up."""
GROUP_TIME = 0.1
"""Seconds for which finished tables wait for others, to be stored with them."""


class Runner:
    """Plays tables with worker processes.

    Attributes:
        report: What became of the run so far.
    """

    def __init__(
        self,
        job: Job,
        tables: Iterable[Unit],
        *,
        workers: int,
        on_results: Callable[[Sequence[TableResult]], None],
        say: Callable[[str], None] = lambda _: None,
        more: Callable[[], Iterable[TableJob]] | None = None,
        report: RunReport | None = None,
    ) -> None:
        """Prepares a run.

        Args:
            job: What the tables have in common.
            tables: What to play, tables or blocks, in the order in which to begin.
            workers: How many processes play.
            on_results: Takes results, in the order in which they came; void tables are not among
                them. Raises to end the run.
            say: Takes news about how it is played, in words.
            more: Asked for further tables each time that all there were are over and handed on;
                none ends the run. Not asked any more after `drain` or `abort`.
            report: Where what becomes of the run is told; a new one if the caller has none.
        """
        self.report = report or RunReport()
        self._job = job
        self._todo: deque[Unit] = deque()
        self._last: dict[int, int] = {}
        self._add(tables)
        self._more = more
        self._count = max(1, workers if more is not None else min(workers, len(self._todo)))
        self._on_results = on_results
        self._say = say
        cores = len(os.sched_getaffinity(0)) / self._count
        self._flight = Flight(job.tables_in_flight, job.clock.move_time, cores, say)
        self._fresh: list[TableResult] = []
        self._flush: asyncio.TimerHandle | None = None
        self._lost = 0
        self._draining = False
        self._aborted = False
        self._failure: BaseException | None = None
        self._workers: set[_Worker] = set()
        self._bots_checked = asyncio.Event()

    @property
    def limit(self) -> int:
        """How many tables a worker plays at the same time by now; in rounds, its share at most."""
        if self._more is None:
            return self._flight.limit
        share = -(-(len(self._todo) + self.in_play) // self._count)
        return max(1, min(self._flight.limit, share))

    @property
    def in_play(self) -> int:
        """How many tables are in play."""
        return sum(worker.in_play for worker in self._workers)

    def drain(self) -> None:
        """Begins no more tables; `run` returns when those in play are over.

        Workers that are still on their way up are ended at once.
        """
        self.report.stopped = self.report.stopped or bool(self._todo)
        self._draining = True
        self._more = None
        for worker in self._workers:
            worker.finish()

    def withdraw(self, is_unwanted: Callable[[Unit], bool]) -> None:
        """Begins none of the tables that *is_unwanted* says yes to."""
        self._todo = deque(table for table in self._todo if not is_unwanted(table))

    def abort(self) -> None:
        """Ends the workers at once; what is in play is lost, and will be played again."""
        self.report.stopped = True
        self._draining = True
        self._aborted = True
        self._more = None
        self._todo.clear()
        for worker in self._workers:
            worker.kill()

    async def run(self) -> RunReport:
        """Plays until nothing is left to play, or until `drain` or `abort`.

        Raises:
            BotError: if a bot does not start.
            RunnerError: if workers fail again and again.
            Exception: whatever `on_results` raises, after the workers were ended.
        """
        workers = [
            asyncio.create_task(self._keep_worker(checks_bots=number == 0))
            for number in range(self._count)
        ]
        try:
            await asyncio.gather(*workers)
        except BaseException:
            self.abort()
            await asyncio.gather(*workers, return_exceptions=True)
            raise
        finally:
            if self._flush is not None:
                self._flush.cancel()
            self._hand_on()
            # A table that was in play may have come back void after the last was begun.
            self.report.stopped = self.report.stopped or bool(self._todo)
        if self._failure is not None:
            raise self._failure
        return self.report

    async def _keep_worker(self, *, checks_bots: bool) -> None:
        """Runs a worker, and a new one when it is lost, until nothing is left to begin."""
        try:
            while (self._todo or self.may_grow) and not self._draining:
                worker = _Worker(self, checks_bots=checks_bots and not self._bots_checked.is_set())
                self._workers.add(worker)
                try:
                    problem = await worker.run()
                finally:
                    self._workers.discard(worker)
                    worker.kill()
                if problem is not None and not self._aborted:
                    self._take_lost(worker, problem)
        except BaseException:
            self.abort()
            raise
        finally:
            if checks_bots:
                self._bots_checked.set()  # nobody will check them any more; let nobody wait

    def _take_lost(self, worker: _Worker, problem: str) -> None:
        if self._draining and not worker.tables:
            return  # it was to end anyway
        self._lost += 1
        self.report.complain(problem)
        self._say(f"a worker was lost, and another one takes its place: {problem.splitlines()[-1]}")
        for table in worker.tables.values():
            self.try_again(table)
        if self._draining:
            self.report.stopped = self.report.stopped or bool(self._todo)
            return
        if self._lost >= MAX_LOST_WORKERS:
            raise RunnerError(
                f"{self._lost} workers were lost, the last one like this: {problem}; what was "
                "finished is stored, run the same again to continue"
            )
        self._grow()

    async def wait_for_check(self) -> None:
        """Returns once every bot is known to start: a bot that does not must not forfeit tables."""
        await self._bots_checked.wait()

    def pass_check(self) -> None:
        """Takes note that every bot has started once."""
        self._bots_checked.set()

    @property
    def may_grow(self) -> bool:
        """Whether more tables may come once all there are now are over."""
        return self._more is not None

    def _add(self, tables: Iterable[Unit]) -> None:
        for table in tables:
            self._todo.append(table)
            self._last[table.number] = table.attempt + MAX_ATTEMPTS - 1

    def _grow(self) -> None:
        """Asks for more tables once all are over, and lets the workers that wait begin them."""
        if self._more is None or self._todo or self.in_play:
            return
        self._hand_on()
        if self._failure is None and self._more is not None:
            try:
                self._add(self._more())
            except BaseException as error:  # noqa: BLE001 - raised again by run, as in _hand_on
                self._failure = error
                self.abort()
        if not self._todo:
            self._more = None
        for worker in tuple(self._workers):
            worker.begin()

    def next_table(self) -> Unit | None:
        """Returns the next table to begin, or ``None`` if there is none now."""
        return self._todo.popleft() if self._todo and not self._draining else None

    def try_again(self, unit: Unit) -> None:
        """Puts a table, or a block, that we broke back, or gives it up."""
        if unit.attempt < self._last[unit.number]:
            self._todo.appendleft(unit.again())
            return
        for table in unit.tables:
            seats = tuple(map(EntrantId, table.seats))
            self.report.void.append(
                TableResult(table.number, table.block, table.lane, seats, attempt=table.attempt)
            )

    def take(self, unit: Unit, outcome: Done | BlockDone) -> None:
        """Takes what became of *unit*."""
        if outcome.problem:
            what = "table" if isinstance(unit, TableJob) else "block"
            self.report.complain(f"{what} {unit.id}: {outcome.problem}")
            self.try_again(unit)
            self._grow()
            return
        self._lost = 0
        self._flight.learn(outcome.thinking)
        self._fresh += [outcome.result] if isinstance(outcome, Done) else outcome.results
        if self._flush is None:
            self._flush = asyncio.get_running_loop().call_later(GROUP_TIME, self._hand_on)
        self._grow()

    def _hand_on(self) -> None:
        if self._flush is not None:
            self._flush.cancel()
            self._flush = None
        fresh, self._fresh = self._fresh, []
        if not fresh or self._failure is not None:
            return
        try:
            self._on_results(fresh)
        except BaseException as error:  # noqa: BLE001 - raised again by run, once all is ended
            self._failure = error
            self.abort()
            return
        self.report.played += len(fresh)

    @property
    def job(self) -> Job:
        """What the tables have in common."""
        return self._job


class _Worker:
    """One worker process, as the runner sees it."""

    def __init__(self, runner: Runner, *, checks_bots: bool) -> None:
        self.tables: dict[int, Unit] = {}
        self._checks_bots = checks_bots
        self._runner = runner
        self._is_ready = False
        self._process: asyncio.subprocess.Process | None = None
        self._finishing = False
        self._killed = False

    async def run(self) -> str | None:
        """Runs the process to its end; returns what went wrong if it was lost."""
        try:
            self._process = process = await start_worker()
        except OSError as error:
            return f"a worker could not be started ({error})"
        if self._killed:
            self.kill()
        assert process.stderr is not None
        stderr = asyncio.create_task(tail(process.stderr))
        try:
            self._send(msgspec.structs.replace(self._runner.job, check_bots=self._checks_bots))
            stopped = await self._listen(process)
        except BaseException:
            self.kill()
            raise
        finally:
            code = await process.wait()
            wrote = (await stderr).rstrip()
            await to_the_end(process)
        if not stopped or code != 0:
            # Its keeper ends its bots; if that was killed too, nobody else would before the end.
            await asyncio.to_thread(sweep_leftovers)
            return f"a worker ended (exit code {code})\n{wrote}".rstrip()
        if wrote:
            self._runner.report.complain(f"a worker complained:\n{wrote}")
        return None

    async def _listen(self, process: asyncio.subprocess.Process) -> bool:
        """Takes what the worker says, until it ends; returns whether it said good-bye."""
        assert process.stdout is not None
        failed: BotError | None = None
        while line := await process.stdout.readline():
            if not line.endswith(b"\n"):
                return False
            match decode_from_worker(line):
                case Ready(grace, echo, introductions):
                    self._runner.report.introductions.update(introductions)
                    self._runner.report.measured.add(Measured(grace, echo))
                    if self._checks_bots:
                        self._runner.pass_check()
                    await self._runner.wait_for_check()
                    self._is_ready = True
                    self.begin()
                case Failed(problem, exit_code):
                    failed = BotError(problem, exit_code)  # it clears up and ends by itself
                case Done() as outcome:
                    table = self.tables.pop(outcome.result.number)
                    self._runner.take(table, outcome)
                    self.begin()
                case BlockDone() as outcome:
                    block = self.tables.pop(outcome.results[0].number)
                    self._runner.take(block, outcome)
                    self.begin()
                case Stopped(stalls, stalled, strays, cpu):
                    measured = Measured(stalls=stalls, stalled=stalled, cpu=cpu)
                    self._runner.report.measured.add(measured)
                    self._runner.report.strays.update(strays)
                    return True
        if failed is not None:
            raise failed
        return False

    @property
    def in_play(self) -> int:
        """How many tables it plays."""
        return sum(len(unit.tables) for unit in self.tables.values())

    def begin(self) -> None:
        """Begins as many tables as there may be, and ends when there are none, nor will be."""
        if not self._is_ready:
            return
        while not self._finishing and self.in_play < self._runner.limit:
            table = self._runner.next_table()
            if table is None:
                break
            self.tables[table.number] = table
            self._send(table)
        if not self.tables and not self._runner.may_grow:
            self.finish()

    def finish(self) -> None:
        """Lets the worker end once its tables are over, or at once if it is on its way up."""
        self._finishing = True
        if not self._is_ready:
            self.kill()
            return
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()

    def kill(self) -> None:
        """Ends the process at once; its keeper ends the bots."""
        self._killed = True
        if self._process is not None and self._process.returncode is None:
            self._process.kill()

    def _send(self, message: Job | Unit) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(encode(message) + b"\n")
