"""What a bot may use, and whether it uses more: memory, processes, threads, room on the disk."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from referee.bots.keeper.processes import PROC, read_use

FASTEST = 2 << 30
"""Bytes a second in which memory can be filled: what the next look is planned by."""
SOONEST, LATEST = 0.05, 0.5
"""The bounds of the time between two looks at the memory of a bot, in seconds."""
DISK_PAUSE = 1.0
"""Seconds between two looks at what a bot has written."""


class Allowed(NamedTuple):
    """The most that a bot may use, all its processes together. Sizes are bytes."""

    memory: int
    processes: int
    threads: int
    disk: int
    files: int


class Watch:
    """Looks at what one bot uses.

    Attributes:
        due: When to look next, by the monotonic clock.
        peak: The most memory that was seen, in bytes.
        place: The directory below which it writes, if there is one.
    """

    def __init__(self, allowed: Allowed, place: Path | None) -> None:
        """Watches over *allowed*, and over what is written below *place* if there is one."""
        self._allowed = allowed
        self.place = place
        self._disk_due = 0.0
        self.due = 0.0
        self.peak = 0

    def look(self, pids: Sequence[int], now: float) -> str:
        """Returns what is used too much, `used 1.2 GiB of memory, 1.0 GiB allowed`; else empty."""
        allowed = self._allowed
        memory, threads = map(sum, zip(*map(read_use, pids), strict=True)) if pids else (0, 0)
        self.peak = max(self.peak, memory)
        room = max(0, allowed.memory - memory)
        self.due = now + min(LATEST, max(SOONEST, room / FASTEST))
        if memory > allowed.memory:
            return f"used {size(memory)} of memory, {size(allowed.memory)} allowed"
        if len(pids) > allowed.processes:
            return f"had {len(pids)} processes, {allowed.processes} allowed"
        if threads > allowed.threads:
            return f"had {threads} threads, {allowed.threads} allowed"
        return self._look_at_disk(pids, now)

    def _look_at_disk(self, pids: Sequence[int], now: float) -> str:
        if now < self._disk_due or self.place is None:
            return ""
        self._disk_due = now + DISK_PAUSE
        allowed = self._allowed
        try:
            written, files = _below(self.place, allowed.files)
        except _TooDeepError:
            return "made directories too deep to look into"
        written += sum(map(_nameless, pids))
        if files > allowed.files:
            return f"made more than {allowed.files} files"
        if written > allowed.disk:
            return f"wrote {size(written)}, {size(allowed.disk)} allowed"
        return ""


class _TooDeepError(Exception):
    """A path is longer than the system takes."""


def _below(place: Path, most: int) -> tuple[int, int]:
    """Returns the bytes of all that lies below *place*, and its number, as far as *most*."""
    total = count = 0
    todo = [os.fspath(place)]
    while todo and count <= most:
        for entry in _entries(todo.pop()):
            count += 1
            with contextlib.suppress(OSError):
                total += 512 * entry.stat(follow_symlinks=False).st_blocks
                if entry.is_dir(follow_symlinks=False):
                    todo.append(entry.path)
            if count > most:
                break
    return total, count


def _entries(path: str) -> list[os.DirEntry[str]]:
    if len(os.fsencode(path)) > 4000:
        raise _TooDeepError
    for _ in range(2):
        try:
            with os.scandir(path) as entries:
                return list(entries)
        except PermissionError:  # a bot may have locked its own directory
            with contextlib.suppress(OSError):
                Path(path).chmod(0o700)
        except OSError:
            break
    return []


def _nameless(pid: int) -> int:
    """Returns the bytes of files that *pid* has open and that no directory names any more."""
    total = 0
    with contextlib.suppress(OSError), os.scandir(PROC / str(pid) / "fd") as handles:
        for handle in handles:
            with contextlib.suppress(OSError):
                found = Path(handle.path).stat()
                if found.st_nlink == 0 and stat.S_ISREG(found.st_mode):
                    total += 512 * found.st_blocks
    return total


def size(count: int) -> str:
    """Returns *count* bytes as people write them.

    >>> size(96 << 20), size(1288490188), size(800)
    ('96 MiB', '1.2 GiB', '800 bytes')
    """
    for unit, scale in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= scale:
            number = f"{count / scale:.1f}".removesuffix(".0")
            return f"{number} {unit}"
    return f"{count} bytes"
