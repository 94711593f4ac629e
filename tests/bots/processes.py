"""The process table as tests see it: written apart from the code under test, and simply."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

FAULTY_BOTS = Path(__file__).resolve().parent.parent / "faulty_bots"
PATIENCE = 60.0
"""Seconds until a wait is a failure; a slow machine needs a few of them."""


def faulty_bot(name: str, *arguments: str) -> list[str]:
    """Returns the command that runs the program *name* of the faulty bots."""
    return [sys.executable, str(FAULTY_BOTS / f"{name}.py"), *arguments]


def is_running(pid: int) -> bool:
    """Returns whether *pid* is a process that has not ended."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def environment(pid: int) -> dict[str, str]:
    """Returns the environment *pid* was started with, empty if it may not be read."""
    try:
        text = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return {}
    pairs = (os.fsdecode(part).partition("=") for part in text.split(b"\0") if part)
    return {name: value for name, _, value in pairs}


def marked(token: str) -> list[int]:
    """Returns the running processes whose mark begins with *token*."""
    pids = (int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit())
    return [
        pid
        for pid in pids
        if environment(pid).get("MOON_BOT_MARK", "").startswith(token) and is_running(pid)
    ]


def wait_until(condition: Callable[[], object], what: str) -> None:
    """Returns once *condition* holds; fails if it does not for too long."""
    patience = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < patience, f"still not so: {what}"
        time.sleep(0.005)


def memory_peak(pid: int) -> int:
    """Returns the most memory that *pid* ever had, in KiB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0])


def children(pid: int) -> list[int]:
    """Returns the processes whose parent is *pid*, those that only wait to be reaped too."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def open_files(pid: int) -> int:
    """Returns how many files *pid* has open."""
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))
