"""The process table: who is whose child, whose mark it carries, what it uses, and its end."""

from __future__ import annotations

import contextlib
import os
import re
import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

MARK = "MOON_BOT_MARK"
"""The environment variable by which a process is known as a bot's, whoever its parent is now."""

PROC = Path("/proc")


class Entry(NamedTuple):
    """A line of the process table."""

    pid: int
    parent: int
    session: int
    born: int
    living: bool


def read_process(pid: int | str) -> Entry | None:
    """Returns what the system says about *pid*, or None if there is no such process."""
    try:
        text = (PROC / str(pid) / "stat").read_bytes()
    except OSError:
        return None
    fields = text[text.rindex(b")") + 2 :].split()
    # A process whose first thread has ended is shown as a zombie while its other threads run on.
    living = fields[0] not in {b"Z", b"X"} or int(fields[17]) > 1
    return Entry(int(pid), int(fields[1]), int(fields[3]), int(fields[19]), living)


def all_processes() -> Iterator[Entry]:
    """Yields every process that can be seen; none where the system has no process files."""
    names = [path.name for path in PROC.iterdir()] if PROC.is_dir() else []
    for name in names:
        if name.isdigit() and (entry := read_process(name)) is not None:
            yield entry


def family(root: int) -> Iterator[tuple[int, Entry]]:
    """Yields every living descendant of *root* with the child of *root* that it comes from."""
    children: dict[int, list[Entry]] = {}
    for entry in all_processes():
        children.setdefault(entry.parent, []).append(entry)
    queue = [(child.pid, child) for child in children.get(root, ())]
    while queue:
        top, entry = queue.pop()
        queue.extend((top, child) for child in children.get(entry.pid, ()))
        if entry.living:
            yield top, entry


def process_count() -> int:
    """Returns a number that changes when a process begins or ends; 0 if the system has none."""
    try:
        return PROC.stat().st_nlink
    except OSError:
        return 0


def mark_of(pid: int) -> str:
    """Returns the mark that *pid* was started with, empty if it has none or may not be read."""
    try:
        variables = (PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return ""
    start = MARK.encode() + b"="
    return next((os.fsdecode(v[len(start) :]) for v in variables if v.startswith(start)), "")


_USED = re.compile(
    rb"^(RssAnon|RssShmem|HugetlbPages|VmPTE|VmSwap|Threads|Seccomp):\s+(\d+)", re.MULTILINE
)
_SHARED = re.compile(
    rb"^([0-9a-f]+)-([0-9a-f]+) .*/(?:dev/zero|memfd:.*|SYSV.*) \(deleted\)$", re.MULTILINE
)


def read_use(pid: int) -> tuple[int, int]:
    """Returns the bytes of memory that are *pid*'s own, resident or swapped out, and its threads.

    The tables of its pages count too: to look at much that is empty fills them. Pages of files do
    not count: the system takes them back when it needs to. Where no filter of calls keeps a
    process from memory that it could share, all that it has of it counts: pages of it that were
    given back are in no count of the system's, and stay.
    """
    try:
        text = (PROC / str(pid) / "status").read_bytes()
    except OSError:
        return 0, 0
    found = {name: int(number) for name, number in _USED.findall(text)}
    threads = found.pop(b"Threads", 0)
    if found.pop(b"Seccomp", 0) == 0:
        found[b"RssShmem"] = max(found.get(b"RssShmem", 0), _shared(pid) // 1024)
    return 1024 * sum(found.values()), threads


def _shared(pid: int) -> int:
    """Returns the bytes that *pid* has mapped of memory without a file, filled or not."""
    try:
        text = (PROC / str(pid) / "maps").read_bytes()
    except OSError:
        return 0
    return sum(int(end, 16) - int(start, 16) for start, end in _SHARED.findall(text))


def user_of(pid: int) -> int | None:
    """Returns the user that *pid* runs as, whoever its files in the process table belong to."""
    try:
        text = (PROC / str(pid) / "status").read_bytes()
    except OSError:
        return None
    found = re.search(rb"^Uid:\s+(\d+)", text, re.MULTILINE)
    return int(found[1]) if found else None


def kill_process(entry: Entry, number: signal.Signals = signal.SIGKILL) -> None:
    """Signals exactly the process of *entry*, never another one that got its number since."""
    with contextlib.ExitStack() as stack, contextlib.suppress(OSError):
        end = partial(os.kill, entry.pid)
        with contextlib.suppress(AttributeError, OSError):  # Linux before 5.3 has no such handles
            handle = os.pidfd_open(entry.pid)
            stack.callback(os.close, handle)
            end = partial(signal.pidfd_send_signal, handle)
        now = read_process(entry.pid)
        if now is not None and now.born == entry.born:
            end(number)


def signal_group(leader: int, number: int) -> None:
    """Signals the process group of *leader*, a child that was not yet waited for."""
    with contextlib.suppress(OSError):
        os.killpg(leader, number)
