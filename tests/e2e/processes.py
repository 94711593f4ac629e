"""Who runs: the processes below one or of a folder, and the proof that none is left."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

PATIENCE = 60.0
"""Seconds after which a test no longer believes that something will happen."""


class Process(NamedTuple):
    """A process, and when it was born: its number alone may be given to another one."""

    pid: int
    born: str


def running() -> dict[Process, int]:
    """Returns every process that runs, with its parent; not those that only wait to be reaped."""
    found = {}
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            fields = _read(path / "stat").rpartition(")")[2].split()
            if fields and fields[0] != "Z":
                found[Process(int(path.name), fields[19])] = int(fields[1])
    return found


def below(pid: int) -> set[Process]:
    """Returns the processes that *pid* has started, and those that they have started."""
    parents = running()
    found: set[Process] = set()
    layer = {pid}
    while layer:
        new = {process for process, parent in parents.items() if parent in layer} - found
        found |= new
        layer = {process.pid for process in new}
    return found


def belonging_to(folder: Path) -> set[Process]:
    """Returns the processes that work in *folder*, or whose environment names it."""
    return {process for process in running() if _belongs(process.pid, folder)}


def worker_pids(pid: int) -> list[int]:
    """Returns the worker processes of *pid*."""
    return [p.pid for p in below(pid) if "tournaments.runner.worker" in command_line(p.pid)]


def command_line(pid: int) -> str:
    """Returns the words with which *pid* was started; empty if it is gone."""
    return _read(Path(f"/proc/{pid}/cmdline")).replace("\0", " ").strip()


def wait_until(condition: Callable[[], object], what: str, limit: float = PATIENCE) -> None:
    """Returns once *condition* holds; fails if it does not within *limit* seconds."""
    patience = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < patience, f"still not so after {limit:g} s: {what}"
        time.sleep(0.005)


def wait_gone(processes: Iterable[Process], limit: float = PATIENCE) -> None:
    """Returns once none of *processes* runs; fails, and names them, if some do for too long."""
    left = set(processes)
    patience = time.monotonic() + limit
    while left := left & running().keys():
        names = [f"{process.pid}: {command_line(process.pid)}" for process in left]
        assert time.monotonic() < patience, f"running after {limit:g} s: {names}"
        time.sleep(0.01)


def _belongs(pid: int, folder: Path) -> bool:
    try:
        place = Path(f"/proc/{pid}/cwd").readlink()
        environment = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:  # it ended between two looks, or is not ours
        return False
    return str(place).startswith(str(folder)) or os.fsencode(folder) in environment


def _read(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:  # it ended between two looks
        return ""
