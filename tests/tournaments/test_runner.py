"""Spreading tables over workers: the same records however it is done, and a clean end."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from referee.bots.terms import CallStyle, ClockTerms
from referee.errors import BotError
from tests.e2e.inprocess import FOLDER, play, table_jobs, told
from tests.e2e.processes import Process, below, command_line, wait_gone, worker_pids
from tournaments.results import TableResult
from tournaments.runner.arena import broken
from tournaments.runner.jobs import Job, TableJob
from tournaments.runner.report import RunnerError
from tournaments.runner.runner import MAX_ATTEMPTS, MAX_LOST_WORKERS, Runner

FAULTY = Path(__file__).parents[1] / "faulty_bots"
PATIENT = ClockTerms(move_time=60.0, first_move=60.0, startup=60.0)
THREE = Job(
    rules="tournament-3p",
    entrants={"ann": ("./meek.py",), "bob": ("./tall.py",), "cyd": ("./dice.py",)},
    base=str(FOLDER),
    deals=2,
    clock=PATIENT,
)
INSIDE = msgspec.structs.replace(
    THREE,
    entrants={
        "ann": ("inproc:meek:Meek",),
        "bob": ("inproc:tall:Tall",),
        "cyd": ("inproc:dice:Dice",),
    },
)
PAIRS = msgspec.structs.replace(
    THREE,
    rules="tournament-4p",
    entrants={"ann": ("./tall.py", "./dice.py"), "bob": ("./dice.py",) * 2},
)


@pytest.fixture(autouse=True)
def no_bot_left_behind(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Gives the bots of a test a place of their own, and waits for it to be empty afterwards."""
    with tempfile.TemporaryDirectory(prefix="m") as name:
        monkeypatch.setenv("XDG_RUNTIME_DIR", name)
        yield


class Run:
    """A run, and everything that it handed on."""

    def __init__(
        self,
        job: Job,
        tables: Sequence[TableJob],
        *,
        workers: int = 1,
        then: Callable[[Run], None] = lambda run: None,
    ) -> None:
        self.results: list[TableResult] = []
        self.processes: set[Process] = set()
        self._then = then
        self.runner = Runner(job, tables, workers=workers, on_results=self._take)

    def _take(self, results: Sequence[TableResult]) -> None:
        self.results += results
        self.processes |= below(os.getpid())
        self._then(self)

    async def play(self) -> None:
        """Plays, and checks that afterwards no process is left, whatever came of it."""
        watch = asyncio.create_task(self._watch())
        try:
            await self.runner.run()
        finally:
            watch.cancel()
            await asyncio.to_thread(wait_gone, self.processes)

    async def _watch(self) -> None:
        while True:
            self.processes |= below(os.getpid())
            await asyncio.sleep(0.05)


async def in_play(run: Run) -> None:
    """Returns once a table is in play."""
    while not run.runner.in_play:  # noqa: ASYNC110 - a runner tells nobody
        await asyncio.sleep(0.01)


def changed(job: Job, **fields: object) -> Job:
    return msgspec.structs.replace(job, **fields)


@pytest.mark.parametrize(
    ("job", "rounds", "workers", "tables_in_flight", "max_batch", "call"),
    [
        (THREE, 1, 1, 1, 1, CallStyle.UNARY),
        (THREE, 2, 2, 16, 32, CallStyle.STREAM),
        (THREE, 2, 1, 16, 32, CallStyle.UNARY),
        (THREE, 1, 2, 2, 1, CallStyle.STREAM),
        (THREE, 20, 1, 256, 256, CallStyle.STREAM),
        (INSIDE, 20, 8, None, 256, CallStyle.AUTO),
        (PAIRS, 2, 2, 16, 32, CallStyle.STREAM),
    ],
)
async def test_however_tables_are_spread_and_asked_the_records_are_those_of_one_process(
    job: Job,
    rounds: int,
    workers: int,
    tables_in_flight: int | None,
    max_batch: int,
    call: CallStyle,
) -> None:
    job = changed(job, tables_in_flight=tables_in_flight, max_batch=max_batch, call=call)
    tables = table_jobs(job, rounds=rounds)
    run = Run(job, tables, workers=workers)
    await run.play()
    assert told(run.results) == told(play(job, table) for table in tables)
    report = run.runner.report
    assert (report.played, report.void, report.problems) == (len(tables), [], [])
    assert not report.stopped


async def test_who_stops_before_anything_is_in_play_does_not_wait_for_bots_to_start() -> None:
    """The bot would be given five minutes, and the test has three."""
    silent = (str(FAULTY / "never_listens.py"),)
    job = changed(
        THREE,
        entrants={**THREE.entrants, "ann": silent},
        clock=replace(THREE.clock, startup=300.0),
    )
    run = Run(job, table_jobs(job), workers=2)

    async def stop() -> None:
        while not any("never_listens" in command_line(p.pid) for p in run.processes):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        run.runner.drain()

    await asyncio.gather(run.play(), stop())
    report = run.runner.report
    assert (report.stopped, report.played, report.problems) == (True, 0, [])


async def test_tables_lost_with_a_killed_worker_are_played_again_and_nothing_else_changes() -> None:
    job = changed(THREE, deals=10, tables_in_flight=2)
    tables = table_jobs(job, rounds=2)
    killed: list[int] = []

    def kill_one(run: Run) -> None:
        if not killed:
            killed.extend(worker_pids(os.getpid())[:1])
            os.kill(killed[0], signal.SIGKILL)

    run = Run(job, tables, workers=2, then=kill_one)
    await run.play()
    assert told(run.results) == told(play(job, table) for table in tables)
    assert len(run.results) == len(tables), "a table was handed on twice"
    assert {result.attempt for result in run.results} == {1, 2}
    [problem] = run.runner.report.problems
    assert "exit code -9" in problem


@pytest.mark.parametrize("begun", [0, 3], ids=["in the first run", "in a later run"])
async def test_a_table_whose_worker_is_lost_every_time_stays_void_and_says_so(begun: int) -> None:
    job = changed(
        THREE, entrants={**THREE.entrants, "ann": (str(FAULTY / "sleeps.py"),)}, tables_in_flight=1
    )
    [table, *_] = table_jobs(job)
    table = msgspec.structs.replace(table, attempt=begun + 1)
    run = Run(job, [table])
    running = asyncio.create_task(run.play())
    killed: set[int] = set()
    while not running.done():
        for pid in worker_pids(os.getpid()):
            if pid not in killed and run.runner.in_play:
                killed.add(pid)
                os.kill(pid, signal.SIGKILL)
        await asyncio.sleep(0.02)
    await running
    report = run.runner.report
    assert (run.results, report.played) == ([], 0)
    assert [void.id for void in report.void] == [table.id]
    assert report.void[0].attempt == begun + MAX_ATTEMPTS
    assert len(report.problems) == MAX_ATTEMPTS


@pytest.mark.parametrize("program", ["#!/bin/sh\necho no luck >&2\nexit 3\n", None])
async def test_workers_that_never_come_up_end_the_run_with_what_they_said(
    program: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = tmp_path / "python"
    if program is not None:
        python.write_text(program)
        python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    run = Run(THREE, table_jobs(THREE), workers=2)
    with pytest.raises(RunnerError, match=f"{MAX_LOST_WORKERS} workers were lost") as error:
        await run.play()
    assert ("no luck" if program else str(python)) in str(error.value)
    assert not run.results


async def test_results_that_cannot_be_kept_end_the_run_with_that_error_and_everybody_goes() -> None:
    job = changed(THREE, deals=20, tables_in_flight=2)

    def disk_full(run: Run) -> None:
        raise OSError(28, "No space left on device")

    run = Run(job, table_jobs(job, rounds=4), workers=2, then=disk_full)
    with pytest.raises(OSError, match="No space left"):
        await run.play()
    assert run.runner.report.played == 0, "what could not be kept does not count as played"
    assert len(run.results) < len(table_jobs(job, rounds=4))


@pytest.mark.parametrize("workers", [1, 2])
async def test_a_bot_that_does_not_start_ends_the_run_before_any_table(workers: int) -> None:
    entrants = {
        "one_more": ("./meek.py",),
        **THREE.entrants,
        "bad": (str(FAULTY / "breaks_at_once.py"),),
    }
    job = changed(THREE, entrants=entrants)
    # The tables of the bad bot come first, so that a worker that does not wait plays them.
    tables = sorted(table_jobs(job), key=lambda table: "bad" not in table.seats)
    run = Run(job, tables, workers=workers)
    with pytest.raises(BotError, match="'bad' did not start") as error:
        await run.play()
    assert "no model file" in str(error.value), "what the bot said is shown"
    assert not run.results


async def test_drain_finishes_the_tables_in_play_and_begins_no_other() -> None:
    job = changed(THREE, deals=10, tables_in_flight=2)
    tables = table_jobs(job, rounds=4)
    then: list[int] = []

    def drain(run: Run) -> None:
        if not then:
            then.append(run.runner.in_play)
            run.runner.drain()

    run = Run(job, tables, workers=2, then=drain)
    await run.play()
    first = len(run.results) - then[0]
    assert then[0] > 0
    assert 0 < first < len(tables) - then[0]
    assert run.runner.report.stopped
    assert run.runner.report.played == len(run.results)
    assert run.runner.in_play == 0
    assert len({result.number for result in run.results}) == len(run.results)


async def test_drain_when_everything_is_begun_does_not_call_the_run_stopped() -> None:
    job = changed(THREE, tables_in_flight=16)
    run = Run(job, table_jobs(job), then=lambda run: run.runner.drain())
    await run.play()
    assert len(run.results) == 6
    assert not run.runner.report.stopped


async def test_a_worker_lost_while_draining_is_told_and_its_tables_count_as_unplayed() -> None:
    job = changed(
        THREE, entrants={**THREE.entrants, "ann": (str(FAULTY / "sleeps.py"),)}, tables_in_flight=16
    )
    run = Run(job, table_jobs(job))
    running = asyncio.create_task(run.play())
    await in_play(run)
    run.runner.drain()
    for pid in worker_pids(os.getpid()):
        os.kill(pid, signal.SIGKILL)
    await running
    assert run.runner.report.stopped
    assert len(run.runner.report.problems) == 1


async def test_abort_ends_at_once_and_keeps_what_was_handed_on() -> None:
    job = changed(THREE, entrants={**THREE.entrants, "ann": (str(FAULTY / "sleeps.py"),)})
    run = Run(job, table_jobs(job), workers=2)
    running = asyncio.create_task(run.play())
    await in_play(run)
    run.runner.abort()
    await running  # the bot alone would sleep for ten minutes
    assert run.runner.report.stopped
    assert run.runner.in_play == 0


@pytest.mark.parametrize("turns", range(6))
async def test_abort_before_a_worker_is_up_ends_it_too(turns: int) -> None:
    job = changed(THREE, entrants={"bad": (str(FAULTY / "never_listens.py"),), **THREE.entrants})
    run = Run(job, table_jobs(job), workers=2)
    running = asyncio.create_task(run.play())
    for _ in range(turns):  # at one of them the worker is being started and has no number yet
        await asyncio.sleep(0)
    run.runner.abort()
    await running


async def test_a_cancelled_run_leaves_no_process() -> None:
    run = Run(THREE, table_jobs(THREE), workers=2)
    running = asyncio.create_task(run.play())
    await in_play(run)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


async def test_nothing_to_play_is_played_without_a_worker() -> None:
    run = Run(THREE, [])
    await run.play()
    assert (run.results, run.processes) == ([], set())


class BreaksWhileDraining:
    """A worker whose only table comes back void after the run was asked to stop."""

    def __init__(self, runner: Runner, *, checks_bots: bool) -> None:
        self.tables: dict[int, TableJob] = {}
        self._runner = runner

    async def run(self) -> None:
        table = self._runner.next_table()
        assert table is not None
        self._runner.drain()
        self._runner.take(table, broken(table, RuntimeError("our own fault")))

    def finish(self) -> None:
        pass

    def kill(self) -> None:
        pass


async def test_a_run_that_stops_over_a_table_that_came_back_void_says_that_it_is_not_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tournaments.runner.runner._Worker", BreaksWhileDraining)
    tables = table_jobs(THREE)[:1]
    report = await Runner(THREE, tables, workers=1, on_results=lambda results: None).run()
    assert report.stopped
    assert (report.played, report.void) == (0, [])


async def test_a_worker_keeps_full_collections_of_garbage_from_stopping_its_tables() -> None:
    """Over all that a worker has loaded, one takes as long as hundreds of decisions."""
    job = changed(INSIDE, entrants=dict.fromkeys(INSIDE.entrants, ("inproc:spared:Spared",)))
    run = Run(job, table_jobs(job, rounds=1))
    await run.play()
    assert run.results
    assert not any(result.faults for result in run.results)
