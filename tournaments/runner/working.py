"""What a worker does: it reads tables from its standard input and plays them.

What became of them goes to its standard output. The end of the input means: finish what is in
play, end the bots, and end. When nobody reads the output the runner is gone, and it ends at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import gc
import os
import signal
import sys

from referee.bots.asks import StalledError
from referee.bots.exits import KeeperError
from referee.bots.keeper.processes import read_process
from referee.crashes import crash_point
from referee.errors import BotError, MoonError
from tournaments.runner.arena import Arena, broken
from tournaments.runner.jobs import (
    BlockDone,
    BlockJob,
    Done,
    Failed,
    FromWorker,
    Job,
    Ready,
    Stopped,
    decode_to_worker,
    encode,
)
from tournaments.runner.orphans import end_everything_below

LINE_LIMIT = 1 << 24
_NO_ROOM = {
    errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.ENOSPC, errno.EDQUOT,
}  # fmt: skip


async def work(reader: asyncio.StreamReader, output: int) -> None:
    """Plays the tables that *reader* brings, and writes what became of them to *output*."""
    job = decode_to_worker(await reader.readline())
    assert isinstance(job, Job), "the first message is the job"
    async with Arena(job) as arena:
        try:
            introductions = await _check(arena) if job.check_bots else {}
            spare_the_collector()
            _say(output, Ready(arena.clock_terms.grace or 0.0, arena.echo, introductions))
            await _play_all(arena, reader, output)
        except BotError as error:
            _say(output, Failed(str(error), error.exit_code))
            return
        except KeeperError:
            if read_process(arena.keeper.pid) is None:
                end_everything_below()  # those that hid from all but their keeper are ours now
            raise
        except asyncio.CancelledError:
            arena.keeper.tell("shutdown")  # nobody waits for us: no time for good manners
            raise
        strays, cpu = dict(arena.pool.strays), arena.pool.cpu
    _say(output, Stopped(arena.clock.stalls, arena.clock.stalled, strays, cpu))


def spare_the_collector() -> None:
    """Has the garbage collector leave alone what is there by now: it stays as long as the worker.

    A full collection would look at all of it again for nothing, and takes tens of milliseconds, for
    which every bot that has answered has to wait.
    """
    gc.collect()
    gc.freeze()


async def _check(arena: Arena) -> dict[str, str]:
    """Starts every bot once.

    Raises:
        BotError: if one cannot be started here, whatever the reason: it would fail at every table.
        StalledError: if this host stood still, which another worker may not meet.
    """
    try:
        return await arena.start_all()
    except (KeeperError, StalledError):
        raise
    except MoonError as error:
        raise BotError(str(error), error.exit_code) from None


async def _play_all(arena: Arena, reader: asyncio.StreamReader, output: int) -> None:
    in_play = 0
    idle = asyncio.Event()
    idle.set()

    def done(outcome: Done | BlockDone) -> None:
        nonlocal in_play
        in_play -= 1
        line = encode(outcome) + b"\n"
        crash_point("worker.result", before=lambda: _write(output, line[: len(line) // 2]))
        _write(output, line)
        if in_play == 0:
            idle.set()

    while line := await arena.unless_broken(reader.readline()):
        unit = decode_to_worker(line)
        assert not isinstance(unit, Job), "every further message is a table, or a block"
        in_play += 1
        idle.clear()
        if isinstance(unit, BlockJob):
            arena.play_block(unit, done)
            continue
        try:
            arena.play(unit, done)
        except Exception as error:  # noqa: BLE001 - the other tables play on
            done(broken(unit, error))
    await arena.unless_broken(idle.wait())


def _say(output: int, message: FromWorker) -> None:
    _write(output, encode(message) + b"\n")


def _write(output: int, line: bytes) -> None:
    data = memoryview(line)
    with contextlib.suppress(BrokenPipeError):  # then `main` ends all this
        while data:
            data = data[os.write(output, data) :]


def start() -> None:
    """Works, and says in a line what stops it."""
    try:
        asyncio.run(main())
    except MoonError as error:
        sys.exit(str(error))
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        sys.exit(f"this machine has no room for a worker: {(error.strerror or '').lower()}")
    finally:
        end_everything_below()


async def main() -> None:
    """Connects the standard streams and works."""
    output = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    reader = asyncio.StreamReader(limit=LINE_LIMIT)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    working = asyncio.create_task(work(reader, output))
    is_gone = asyncio.Event()

    def runner_is_gone() -> None:
        is_gone.set()
        loop.remove_reader(output)
        working.cancel()

    # A pipe that is written becomes readable when its reader is gone, even a killed one.
    loop.add_reader(output, runner_is_gone)
    loop.add_signal_handler(signal.SIGTERM, runner_is_gone)
    try:
        await working
    finally:
        if is_gone.is_set():
            end_everything_below()
            os._exit(1)  # nobody waits for us, and what gRPC still has to put away takes its time
