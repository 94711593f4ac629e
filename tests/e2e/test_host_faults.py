"""What befalls the machine or the program itself is held against no bot, and ends the same."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e.events import Run
from tests.e2e.league import ROOT, League, league
from tests.e2e.processes import (
    Process,
    below,
    command_line,
    running,
    wait_gone,
    wait_until,
    worker_pids,
)
from tournaments.store import Store

INSIDERS = ("inproc:dice:Dice", "inproc:tall:Tall")
BOTS = (*INSIDERS, "frail=./frail.py?hide=true")
TABLES = 36
STOP = 1.5
"""Seconds for which somebody is stopped: three times what a bot may think."""
CLOCK = {"move_time": "500ms", "strikes": 3}


@pytest.fixture(scope="module")
def home() -> Iterator[League]:
    with league() as made:
        made.write("night.toml", bots=BOTS, rounds=TABLES // 6, tables_in_flight=2, clock=CLOCK)
        yield made


@pytest.fixture(scope="module")
def undisturbed(home: League) -> str:
    """What is left of the run when nothing befalls it."""
    home.moon("tournament", "run", "night.toml", "--store", "through.sqlite")
    return outcome(home.folder / "through.sqlite")


@pytest.fixture
def store(home: League) -> Iterator[Path]:
    path = home.folder / "night.sqlite"
    yield path
    try:
        home.check_nothing_runs()
    finally:
        path.unlink()


def outcome(path: Path) -> str:
    """Returns the fingerprint of a run in which the frail bot was charged, and nobody else."""
    with Store.open(path) as store:
        results = list(store.results())
        faults = {(fault.entrant, fault.kind) for result in results for fault in result.faults}
        assert len(results) == TABLES
        assert faults == {("frail", "crashed")}
        return store.fingerprint()


def keeper_pids(run: Run) -> list[int]:
    return [p.pid for p in below(run.process.pid) if "keeper/__main__.py" in command_line(p.pid)]


def stop_for_a_while(pid: int) -> None:
    os.kill(pid, signal.SIGSTOP)
    time.sleep(STOP)
    os.kill(pid, signal.SIGCONT)


def test_nobody_is_charged_while_we_are_stopped_and_a_stopped_run_keeps_its_store(
    home: League, undisturbed: str, store: Path
) -> None:
    run = Run(home, "night.toml")
    run.wait_for(1)
    os.kill(run.process.pid, signal.SIGSTOP)
    began = time.monotonic()
    refused = home.moon("tournament", "run", "night.toml", code=75)
    assert f"process {run.process.pid} is writing to it" in refused.stderr
    time.sleep(max(0.0, began + STOP - time.monotonic()))
    os.kill(run.process.pid, signal.SIGCONT)
    for pids in (worker_pids, lambda _: keeper_pids(run)):
        run.wait_for(len(run.announced) + 1)
        for pid in pids(run.process.pid):
            stop_for_a_while(pid)
    assert run.end() == 0, run.said
    assert "this host stood still for" in run.said
    assert outcome(store) == undisturbed


JUMPING_CLOCK = """
import datetime, itertools, time

HOUR = 3600
jumps = itertools.cycle((0, 3 * HOUR, -5 * HOUR, 40 * 366 * 24 * HOUR))
the_time, a_moment = time.time, datetime.datetime

class Moment(a_moment):
    @classmethod
    def now(cls, tz=None):
        return a_moment.fromtimestamp(time.time(), tz)

time.time = lambda: the_time() + next(jumps)
time.time_ns = lambda: int(time.time() * 1e9)
datetime.datetime = Moment
"""


def test_a_wall_clock_that_jumps_by_hours_and_past_2038_changes_nothing_but_labels(
    home: League, undisturbed: str, store: Path
) -> None:
    folder = home.folder / "clock"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(JUMPING_CLOCK)
    search = os.pathsep.join(map(str, (folder, ROOT, ROOT / "proto")))
    with home.setting(PYTHONPATH=search):
        home.moon("tournament", "run", "night.toml")
    shutil.rmtree(folder)
    assert outcome(store) == undisturbed
    with Store.open(store) as reader:
        years = {int(result.finished_at[:4]) for result in reader.results()}
    assert len(years) > 1
    assert max(years) > 2038


def kill_keeper(home: League, run: Run) -> None:
    [keeper] = keeper_pids(run)
    doomed = below(keeper)
    assert any("time.sleep" in command_line(process.pid) for process in doomed)
    os.kill(keeper, signal.SIGKILL)
    wait_gone(doomed)


def remove_directories(home: League, run: Run) -> None:
    for path in home.folder.glob("moon-*"):
        shutil.rmtree(path)


def take_descriptors(home: League, run: Run) -> None:
    [worker] = worker_pids(run.process.pid)
    files = len(list(Path(f"/proc/{worker}/fd").iterdir()))
    _, most = resource.prlimit(worker, resource.RLIMIT_NOFILE)
    resource.prlimit(worker, resource.RLIMIT_NOFILE, (files + 2, most))


@pytest.mark.parametrize(
    ("befalls", "said"),
    [
        (kill_keeper, "the keeper of the bots ended (signal 9); no bot is to blame"),
        (remove_directories, "the directory of the bots is gone"),
        (take_descriptors, "too many "),  # files are open, whoever notices first
    ],
)
def test_a_worker_that_lost_what_it_needs_is_replaced_and_no_bot_is_charged(
    home: League,
    undisturbed: str,
    store: Path,
    befalls: Callable[[League, Run], None],
    said: str,
) -> None:
    run = Run(home, "night.toml")
    run.wait_for(1)
    befalls(home, run)
    assert run.end() == 0, run.said
    assert run.said.count("a fault of moon's own") == 1
    assert said in run.said
    assert "Traceback" not in run.said
    assert outcome(store) == undisturbed


def test_when_everybody_is_killed_the_next_run_ends_the_bots_and_nobody_else(
    home: League, store: Path
) -> None:
    file = home.write("left.toml", bots=(*INSIDERS, "./frail.py"), tables_in_flight=2)
    run = Run(home, file, "--store", store)
    wait_until(lambda: left_behind(run), "a bot has left a process")
    struck = [run.process.pid, *worker_pids(run.process.pid), *keeper_pids(run)]
    bots: set[Process] = set()
    for number in (signal.SIGSTOP, signal.SIGKILL):  # so that nobody sees another one die
        for pid in struck:
            os.kill(pid, number)
        bots = bots or left_behind(run)
    run.end()
    assert bots <= running().keys(), "nobody was left to end them"
    with subprocess.Popen(["sleep", "600"], cwd="/", start_new_session=True) as stranger:
        home.moon("tournament", "run", file, "--store", store)
        wait_gone(bots)
        assert stranger.poll() is None
        stranger.kill()
    assert not [*home.folder.glob("moon-*")]


def left_behind(run: Run) -> set[Process]:
    """Returns the processes that a bot has left, each a program of its own by now."""
    return {p for p in below(run.process.pid) if "time.sleep" in command_line(p.pid)}


def test_tables_that_we_break_every_time_are_void_alone_and_played_when_we_are_mended(
    home: League, store: Path
) -> None:
    file = home.write("void.toml", bots=(*INSIDERS, "inproc:meek:Meek"), rounds=4)
    points = "table.begin.2.1:*:raise,table.end.3.0:*:EIO"
    with home.setting(MOON_TEST_CRASH=points):
        broken = home.moon("tournament", "run", file, "--store", store, code=1)
    for table in ("2.1", "3.0"):
        assert broken.stderr.count(f"a fault of moon's own: table {table}:") == 3
    assert "2 tables are void; run the same again to play them" in broken.stderr
    assert "22 of 24 tables" in broken.stdout
    mended = home.moon("tournament", "run", file, "--store", store)
    assert "24 of 24 tables" in mended.stdout


def test_where_no_files_can_be_opened_the_run_is_refused_and_says_what_to_do(home: League) -> None:
    file = home.write("few.toml", bots=(*INSIDERS, "inproc:meek:Meek"))
    home.before = ("prlimit", "--nofile=40")
    try:
        refused = home.moon("tournament", "run", file, code=1)
    finally:
        home.before = ()
    assert "a worker needs 64 files that it may open" in refused.stderr
    assert "allow more (ulimit -n)" in refused.stderr
    assert "Traceback" not in refused.stderr
