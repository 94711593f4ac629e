"""A worker process: reads tables from its standard input, plays them, writes what became of them.

Started as ``python -m tournaments.runner.worker``. The end of its input means: finish what is in
play, end the bots, and end. When nobody reads its output the runner is gone, and it ends at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys

from referee.errors import BotError, MoonError
from tournaments.runner.arena import Arena
from tournaments.runner.jobs import (
    Done,
    Failed,
    FromWorker,
    Job,
    Ready,
    Stopped,
    TableJob,
    decode_to_worker,
    encode,
)

LINE_LIMIT = 1 << 24


async def work(reader: asyncio.StreamReader, output: int) -> None:
    """Plays the tables that *reader* brings, and writes what became of them to *output*."""
    job = decode_to_worker(await reader.readline())
    assert isinstance(job, Job), "the first message is the job"
    in_play = 0
    idle = asyncio.Event()
    idle.set()

    def send(message: FromWorker) -> None:
        data = memoryview(encode(message) + b"\n")
        with contextlib.suppress(BrokenPipeError):  # then `main` ends all this
            while data:
                data = data[os.write(output, data) :]

    def done(outcome: Done) -> None:
        nonlocal in_play
        in_play -= 1
        send(outcome)
        if in_play == 0:
            idle.set()

    async with Arena(job) as arena:
        introductions: dict[str, str] = {}
        if job.check_bots:
            try:
                introductions = await arena.start_all()
            except BotError as error:
                send(Failed(str(error)))
                return
        send(Ready(arena.clock_terms.grace or 0.0, arena.echo, introductions))
        while line := await arena.unless_broken(reader.readline()):
            table = decode_to_worker(line)
            assert isinstance(table, TableJob), "every further message is a table"
            in_play += 1
            idle.clear()
            arena.play(table, done)
        await arena.unless_broken(idle.wait())
        strays, cpu = dict(arena.pool.strays), arena.pool.cpu
    send(Stopped(arena.clock.stalls, arena.clock.stalled, strays, cpu))


async def main() -> None:
    """Connects the standard streams and works."""
    output = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    reader = asyncio.StreamReader(limit=LINE_LIMIT)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    working = asyncio.create_task(work(reader, output))

    def runner_is_gone() -> None:
        loop.remove_reader(output)
        working.cancel()

    # A pipe that is written becomes readable when its reader is gone, even a killed one.
    loop.add_reader(output, runner_is_gone)
    try:
        await working
    except MoonError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    asyncio.run(main())
