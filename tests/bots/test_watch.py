"""What a bot may use: each limit ends the bot that is over it, says which, and spares the rest."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
import time
from pathlib import Path

import pytest

from referee.bots.exits import ExitReport
from referee.bots.keeper.watch import Allowed
from referee.bots.keeper_client import Keeper, KeptProcess
from tests.bots.processes import PATIENCE, is_running, wait_until

MIB = 1 << 20
FILL = "x = bytearray({} << 20); x[::4096] = b'x' * len(x[::4096])"
AMPLE = Allowed(memory=512 * MIB, processes=16, threads=64, disk=64 * MIB, files=1000)
WAIT = "import sys, time; sys.stderr.write('ready\\n'); sys.stderr.flush(); time.sleep(60)"


async def start(keeper: Keeper, code: str, allowed: Allowed, place: Path) -> KeptProcess:
    command = [sys.executable, "-I", "-S", "-c", code]
    return await keeper.spawn(command, cwd=place, env={}, allowed=allowed, place=place)


async def end_of(process: KeptProcess) -> ExitReport:
    return await asyncio.wait_for(asyncio.shield(process.exited), PATIENCE)


async def is_ready(process: KeptProcess) -> None:
    async with asyncio.timeout(PATIENCE):
        while "ready" not in await process.stderr_tail():
            pass


async def has_two(process: KeptProcess) -> None:
    async with asyncio.timeout(PATIENCE):
        while len(process.pids) < 2:
            await process.stderr_tail()


OVER = {
    "memory": (
        FILL.format(128),
        {"memory": 64 * MIB},
        r"used [\d.]+ MiB of memory, 64 MiB allowed",
    ),
    "memory of a child": (
        f"import os\nif os.fork() == 0: {FILL.format(128)}",
        {"memory": 64 * MIB},
        r"used [\d.]+ MiB of memory, 64 MiB allowed",
    ),
    "memory that was given back and stays": (
        """import mmap, time
x = mmap.mmap(-1, 128 << 20)
for at in range(0, 128 << 20, 1 << 20):
    for page in range(at, at + (1 << 20), 4096): x[page] = 1
    x.madvise(mmap.MADV_DONTNEED, at, 1 << 20)
time.sleep(5)""",
        {"memory": 64 * MIB},
        r"used [\d.]+ MiB of memory, 64 MiB allowed",
    ),
    "processes": (
        "import os\nfor _ in range(6):\n    if os.fork() == 0: os.setsid(); break",
        {"processes": 4},
        "had [567] processes, 4 allowed",
    ),
    "threads": (
        """from threading import Thread
from time import sleep
for _ in range(8): Thread(target=sleep, args=[60], daemon=True).start()""",
        {"threads": 4},
        "had 9 threads, 4 allowed",
    ),
    "disk": (
        "open('x', 'wb').write(b'x' * (4 << 20))",
        {"disk": MIB},
        r"wrote 4(\.\d)? MiB, 1 MiB allowed",
    ),
    "a file without a name": (
        "import os; f = open('x', 'wb', 0); os.unlink('x'); f.write(b'x' * (4 << 20))",
        {"disk": MIB},
        r"wrote 4(\.\d)? MiB, 1 MiB allowed",
    ),
    "files": (
        "for n in range(50): open(str(n), 'w').close()",
        {"files": 20},
        "made more than 20 files",
    ),
    "files in a locked directory": (
        """import os
os.mkdir("d")
for n in range(50): open(f"d/{n}", "w").close()
os.chmod("d", 0)""",
        {"files": 20},
        "made more than 20 files",
    ),
}


@pytest.mark.parametrize("what", OVER)
async def test_a_bot_over_a_limit_is_ended_with_the_reason(
    keeper: Keeper, tmp_path: Path, what: str
) -> None:
    code, limit, reason = OVER[what]
    neighbour = await start(keeper, WAIT, AMPLE, tmp_path)
    process = await start(keeper, f"{code}\n{WAIT}", AMPLE._replace(**limit), tmp_path)
    report = await end_of(process)
    assert report.signal == signal.SIGKILL
    assert not report.killed, "it is the bot's own doing"
    assert re.search(reason, report.over), report.over
    assert str(report) == report.over
    assert await process.kill() == ()
    assert is_running(neighbour.pid)


async def test_a_bot_within_its_limits_is_left_alone_and_its_use_is_reported(
    keeper: Keeper, tmp_path: Path
) -> None:
    code = "x = bytearray(32 << 20); x[::4096] = b'x' * len(x[::4096])\n" + WAIT
    process = await start(keeper, code, AMPLE, tmp_path)
    await is_ready(process)
    await asyncio.sleep(1.2)  # several looks
    await process.kill(0)
    report = process.exited.result()
    assert (report.over, report.killed) == ("", True)
    assert 32 * MIB < report.peak < 200 * MIB
    assert report.cpu > 0
    assert report.written == len("ready\n")


async def test_the_processes_of_a_bot_become_known(keeper: Keeper, tmp_path: Path) -> None:
    code = "import os, time\nchild = os.fork()\nif child == 0: os.setsid()\n" + WAIT
    process = await start(keeper, code, AMPLE, tmp_path)
    await has_two(process)
    assert process.pids[0] == process.pid


def cpu_of(pids: tuple[int, ...]) -> float:
    return sum(time.clock_gettime((~pid << 3) | 2) for pid in pids)


async def test_a_frozen_bot_uses_no_cpu_and_runs_on_when_thawed(
    keeper: Keeper, tmp_path: Path
) -> None:
    code = "import os, sys, time\nos.fork()\nsys.stderr.write('ready\\n'); sys.stderr.flush()\n"
    code += "end = time.time() + 60\nwhile time.time() < end: pass"
    process = await start(keeper, code, AMPLE, tmp_path)
    await is_ready(process)
    await has_two(process)
    process.freeze()
    await process.stderr_tail()  # whose answer comes after that request was heard
    before = cpu_of(process.pids)
    await asyncio.sleep(0.3)
    assert cpu_of(process.pids) - before < 0.02
    process.thaw()
    wait_until(lambda: cpu_of(process.pids) > before + 0.05, "it runs on")
    process.freeze()
    assert await process.kill(PATIENCE) == (), "a frozen bot hears the polite signal too"
    assert process.exited.result().signal == signal.SIGTERM


async def test_a_bot_that_writes_without_end_is_cut_off(keeper: Keeper, tmp_path: Path) -> None:
    code = "import os\nwhile True: os.write(1, b'x' * 1048576)"
    process = await start(keeper, code, AMPLE, tmp_path)
    report = await end_of(process)
    assert report.code == 1
    assert b"BrokenPipeError" in report.stderr
    assert report.written < 300 * MIB


async def test_what_a_program_is_handed_can_be_read_from_a_descriptor_of_its_own(
    keeper: Keeper,
) -> None:
    code = "import os, sys; print(os.read(int(sys.argv[1]), 99), os.read(int(sys.argv[2]), 99))"
    command = [sys.executable, "-I", "-S", "-c", code, "@1", "@0"]
    process = await keeper.spawn(command, cwd=Path("/"), env={}, inputs=[b"one", b"two"])
    assert (await end_of(process)).stdout == b"b'two' b'one'\n"
    command[-2:] = ["@0", "@0"]
    process = await keeper.spawn(command, cwd=Path("/"), env={})
    assert b"ValueError" in (await end_of(process)).stderr, "words of its own are not touched"


async def test_a_sandbox_that_names_its_first_process_is_known_by_it(keeper: Keeper) -> None:
    code = """
import os, sys, time
child = os.fork()
if child == 0:
    os.close(int(sys.argv[2]))
    time.sleep(60)
os.write(int(sys.argv[2]), b'{"child-pid": %d}' % child)
os.close(int(sys.argv[2]))
os.waitpid(child, 0)
os._exit(139)
"""
    command = [sys.executable, "-I", "-S", "-c", code, "@0", "@info"]
    process = await keeper.spawn(command, cwd=Path("/"), env={}, inputs=[b""])
    inside = await asyncio.wait_for(asyncio.shield(process.inside), PATIENCE)
    assert is_running(inside)
    os.kill(inside, signal.SIGKILL)
    report = await end_of(process)
    assert report.signal == signal.SIGSEGV, "a sandbox tells of a signal as a shell does"
