"""No bot passes its processes off as another's, whatever mark they wear."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from referee.bots.keeper.processes import MARK, mark_of
from referee.bots.keeper.watch import Allowed
from referee.bots.keeper_client import Keeper, KeptProcess

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows processes so")

AMPLE = Allowed(memory=1 << 29, processes=16, threads=64, disk=1 << 26, files=1000)
WAIT = "import time\ntime.sleep(60)"
DISGUISED = """import os, sys
uid, mark = int(sys.argv[1]), sys.argv[2]
if uid >= 0:
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    if note := sys.argv[3:]:
        with open(note[0] + ".new", "w") as file:
            file.write(str(os.getpid()))
        os.rename(note[0] + ".new", note[0])
    os.execve("/bin/sleep", ["sleep", "60"], {"MOON_BOT_MARK": mark})
"""


@pytest.fixture
async def keeper() -> AsyncIterator[Keeper]:
    with tempfile.TemporaryDirectory(prefix="m") as base:
        async with Keeper(Path(base)) as keeper:
            yield keeper


async def start(
    keeper: Keeper, code: str, *words: str, place: Path, user: int | None = None
) -> KeptProcess:
    command = [sys.executable, "-I", "-S", "-c", code, *words]
    return await keeper.spawn(command, cwd=Path("/"), env={}, allowed=AMPLE, place=place, user=user)


async def has(process: KeptProcess, count: int) -> None:
    async with asyncio.timeout(60):
        while len(process.pids) < count:
            await process.stderr_tail()


async def test_no_mark_can_be_told_from_another(keeper: Keeper, tmp_path: Path) -> None:
    found = [await start(keeper, WAIT, place=tmp_path) for _ in range(3)]
    marks = [mark_of(process.pid).removeprefix(keeper.directory.token) for process in found]
    assert all(len(mark) == 16 for mark in marks), marks
    assert len(set(marks)) == 3


async def test_what_wears_a_mark_that_is_nobodys_is_ended(keeper: Keeper, tmp_path: Path) -> None:
    victim = await start(keeper, WAIT, place=tmp_path)
    notes = [tmp_path / str(number) for number in range(1, 4)]
    for note in notes:
        mark = f"{keeper.directory.token}{note.name}"
        await start(keeper, DISGUISED + WAIT, "-1", mark, str(note), place=tmp_path)
    async with asyncio.timeout(60):
        while not all(note.exists() and is_gone(int(note.read_text())) for note in notes):
            assert victim.pids == (victim.pid,)
            await asyncio.sleep(0.05)


def is_gone(pid: int) -> bool:
    return not Path(f"/proc/{pid}").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives bots users of their own")
async def test_a_user_decides_before_a_mark(keeper: Keeper, tmp_path: Path) -> None:
    uid = keeper.users.take()
    assert uid is not None
    victim = await start(keeper, WAIT, place=tmp_path)
    mark = mark_of(victim.pid)
    assert mark, MARK
    other = await start(keeper, DISGUISED + WAIT, str(uid), mark, place=tmp_path, user=uid)
    await has(other, 2)
    assert victim.pids == (victim.pid,)
