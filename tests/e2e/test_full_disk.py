"""A disk that is full ends a run clearly, nobody is charged, and it goes on once there is room."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.events import Run
from tests.e2e.league import League, league
from tests.e2e.processes import wait_until, worker_pids
from tournaments.store import Store

MIB = 1 << 20
DISK = 20
"""MiB of the disk; four more than have to be free for a run."""
INSIDERS = ("inproc:dice:Dice", "inproc:tall:Tall")
MEEK = "inproc:meek:Meek"


class Disk:
    """A small disk that only commands within its namespace see, and whoever looks through it."""

    def __init__(self, name: Path, holder: int) -> None:
        self.name = name
        self.seen = Path(f"/proc/{holder}/root{name}")

    @property
    def free(self) -> int:
        disk = os.statvfs(self.seen)
        return disk.f_bavail * disk.f_frsize

    def fill(self, *, leave: int = 0) -> None:
        """Fills it with one file, but for *leave* bytes."""
        with (
            contextlib.suppress(OSError),  # full, whoever took the last of it
            (self.seen / "ballast").open("ab", buffering=0) as file,
        ):
            while not leave or self.free > leave:
                file.write(bytes(4096 if self.free < MIB else min(MIB, self.free - leave)))

    def empty(self) -> None:
        (self.seen / "ballast").unlink()

    def copy(self, folder: Path) -> Path:
        """Returns a copy in *folder* of the store on the disk, with its log."""
        for file in folder.glob("night.sqlite*"):
            file.unlink()
        for file in self.seen.glob("night.sqlite*"):
            shutil.copy(file, folder)
        return folder / "night.sqlite"


@contextmanager
def small_disk(home: League, name: str) -> Iterator[Disk]:
    """A disk at the folder *name* of *home*; commands of *home* run where it is mounted."""
    place = home.folder / name
    place.mkdir()
    is_root = os.geteuid() == 0
    private = ["unshare", "--mount"] if is_root else ["unshare", "-U", "-c", "--keep-caps", "-m"]
    mount = f"mount -t tmpfs -o size={DISK}m none {place} && echo mounted && exec cat"
    with subprocess.Popen(
        [*private, "sh", "-c", mount], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        if holder.stdout.readline() != "mounted\n":
            pytest.skip("a disk of our own cannot be mounted here")
        users = () if is_root else ("--user", "--preserve-credentials")
        there = (f"--target={holder.pid}", f"--wd={home.folder}")
        home.before = ("nsenter", *there, *users, "--mount")
        try:
            yield Disk(place, holder.pid)
        finally:
            home.before = ()
            holder.kill()


@pytest.fixture
def home() -> Iterator[League]:
    with league() as made:
        yield made


def fingerprint(path: Path) -> str:
    with Store.open(path) as store:
        return store.fingerprint()


def test_a_run_begins_no_table_without_room_and_loses_none_when_it_runs_out(home: League) -> None:
    file = home.write("night.toml", bots=(*INSIDERS, MEEK), rounds=60, tables_in_flight=2)
    home.moon("tournament", "run", file, "--store", "through.sqlite")
    with small_disk(home, "disk") as disk:
        name = disk.name / "night.sqlite"
        disk.fill(leave=10 * MIB)
        refused = home.moon("tournament", "run", file, "--store", name, code=3)
        assert "only 9.9 MiB are free on its disk" in refused.stderr
        assert "no table is begun with less than 16 MiB" in refused.stderr
        disk.empty()

        run = Run(home, file, "--store", name)
        run.wait_for(2)
        disk.fill(leave=10 * MIB)  # too little to begin more, enough to end what was begun
        assert run.end() == 3, run.said
        assert "free some space and run the same again" in run.said
        assert "fault of moon's own" not in run.said
        told = {event["number"] for event in run.announced}
        with Store.open(disk.copy(home.folder)) as found:
            assert {result.number for result in found.results()} == told
        assert 2 <= len(told) < 360
        disk.empty()

        run = Run(home, file, "--store", name)
        run.wait_for(2)
        disk.fill()
        assert run.end() == 3, run.said
        assert "the disk is full; free some space and run the same again" in run.said
        assert "Traceback" not in run.said
        told |= {event["number"] for event in run.announced}
        with Store.open(disk.copy(home.folder)) as found:
            assert told <= {result.number for result in found.results()}
        assert len(told) < 360
        disk.empty()

        home.moon("tournament", "run", file, "--store", name)
        assert fingerprint(disk.copy(home.folder)) == fingerprint(home.folder / "through.sqlite")


def test_a_bot_that_fails_where_its_disk_is_full_is_not_charged(home: League) -> None:
    (home.folder / "writes.py").write_text(WRITES)
    file = home.write("night.toml", bots=(*INSIDERS, "./writes.py"), rounds=4, tables_in_flight=2)
    with small_disk(home, "disk") as disk, home.setting(XDG_RUNTIME_DIR=str(disk.name)):
        run = Run(home, file)
        wait_until(lambda: list(disk.seen.glob("moon-*/*/home/written")), "it has begun to write")
        [worker] = worker_pids(run.process.pid)
        disk.fill()
        wait_until(lambda: worker not in worker_pids(run.process.pid), "the worker has ended")
        disk.empty()
        assert run.end() == 0, run.said
        assert "the disk of the running bots is full" in run.said
        assert "; free some space there" in run.said
        assert "Traceback" not in run.said
    with Store.open(home.folder / "night.sqlite") as store:
        results = list(store.results())
    assert len(results) == 24
    assert not any(result.faults for result in results)


WRITES = """
import os, time
from pathlib import Path
from referee.sdk import Bot, serve

class Writes(Bot):
    "Keeps notes, and cannot do without."
    name = "writes"

    def decide(self, view):
        time.sleep(0.02)
        with open(Path.home() / "written", "ab") as file:
            file.write(bytes(8192))
        return view.legal[0]

serve(Writes())
"""
