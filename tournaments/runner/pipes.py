"""What stands between the runner and a worker process: how it starts, and its pipes."""

from __future__ import annotations

import asyncio
import os
import sys

from referee.bots.environment import import_roots

LINE_LIMIT = 1 << 26
"""Bytes that a worker may say in one line."""


async def start_worker() -> asyncio.subprocess.Process:
    """Starts a worker, with pipes to its standard streams.

    Raises:
        OSError: if it cannot be started.
    """
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",  # else a random.py in the user's folder would be taken for Python's own
        "-m",
        "tournaments.runner.worker",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=LINE_LIMIT,
        env=_environment(),
        # What the terminal tells the group, Ctrl-C or a hang-up, is for the runner alone.
        start_new_session=True,
    )


async def to_the_end(process: asyncio.subprocess.Process) -> None:
    """Reads what a process that has ended still said: only then its pipes are closed."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    while await process.stdout.read(65536):
        pass


async def tail(stream: asyncio.StreamReader, size: int = 8192) -> str:
    """Reads *stream* to its end and returns the last of it."""
    kept = b""
    while chunk := await stream.read(65536):
        kept = (kept + chunk)[-size:]
    return kept.decode(errors="replace")


def _environment() -> dict[str, str]:
    """Returns the environment of a worker: ours, and the way to our own packages."""
    roots = [*import_roots(), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, roots))}
