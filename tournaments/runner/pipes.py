"""What stands between the runner and a worker process: its pipes, and its environment."""

from __future__ import annotations

import asyncio
import os

from referee.bots.environment import import_roots


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


def environment() -> dict[str, str]:
    """Returns the environment of a worker: ours, and the way to our own packages."""
    roots = [*import_roots(), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, roots))}
