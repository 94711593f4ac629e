"""What a bot may use, and whether it uses more: memory, processes, threads, room on the disk."""

from __future__ import annotations

import contextlib
import math
import os
import stat
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from referee.bots.keeper.processes import PROC, read_use

FASTEST = 2 << 30
"""Bytes a second in which memory can be filled: what the next look is planned by."""
SOONEST, LATEST = 0.05, 0.5
"""The bounds of the time between two looks at the memory of a bot, in seconds."""
DISK_PAUSE = 1.0
"""Seconds between two walks through what a bot has written."""
LONGEST_LOOK = 0.02
"""Seconds of the processor after which a walk goes on with the next look."""
DEEPEST = 32
"""How many directories may lie in one another below a bot's own."""
MOST_SOCKETS = 128
"""How many sockets a bot may have, all its processes together. What waits in them is memory of the
system, up to 8 MiB each where its buffers may be large, and stands in no count of the bot's own."""
DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Allowed(NamedTuple):
    """The most that a bot may use, all its processes together. Sizes are bytes."""

    memory: int
    processes: int
    threads: int
    disk: int
    files: int


class Watchdog:
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
        self._walk: Iterator[int] | None = None
        self._written = self._files = 0
        self._wrote = ""
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
        sockets = len(frozenset().union(*map(_sockets, pids)))
        if sockets > MOST_SOCKETS:
            return f"had {sockets} sockets, {MOST_SOCKETS} allowed"
        return self._look_at_disk(pids, now)

    def _look_at_disk(self, pids: Sequence[int], now: float) -> str:
        """Walks on through what was written; a look takes no longer than others can wait."""
        if self._walk is None:
            if now < self._disk_due or self.place is None:
                return self._wrote
            self._walk, self._written, self._files = _blocks_below(self.place), 0, 0
        allowed, until = self._allowed, time.thread_time() + LONGEST_LOOK
        try:
            for blocks in self._walk:
                self._written += 512 * blocks
                self._files += 1
                if self._files > allowed.files:
                    self._walk, self._disk_due = None, math.inf
                    self._wrote = f"made more than {allowed.files} files"
                    return self._wrote
                if time.thread_time() > until:
                    self.due = now + SOONEST
                    return ""
        except _TooDeepError:
            self._walk, self._disk_due = None, math.inf
            self._wrote = f"nested directories more than {DEEPEST} deep"
            return self._wrote
        self._walk = None
        self._disk_due = time.monotonic() + DISK_PAUSE
        written = self._written + sum(map(_nameless, pids))
        is_over = written > allowed.disk
        self._wrote = f"wrote {size(written)}, {size(allowed.disk)} allowed" if is_over else ""
        return self._wrote


class _TooDeepError(Exception):
    """There are more directories in one another than anybody needs."""


def _blocks_below(place: Path) -> Iterator[int]:
    """Yields the blocks, of 512 bytes each, of everything below *place*; follows no link."""
    with contextlib.ExitStack() as stack:
        trail = []
        with contextlib.suppress(OSError):
            trail.append(stack.enter_context(_Directory(os.open(place, DIRECTORY))))
        while trail:
            entry = trail[-1].next_entry()
            if entry is None:
                trail.pop().close()
                continue
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            yield status.st_blocks
            if stat.S_ISDIR(status.st_mode):
                if len(trail) >= DEEPEST:
                    raise _TooDeepError
                below = _open_below(entry.name, trail[-1].fd)
                if below is not None:
                    trail.append(stack.enter_context(_Directory(below)))


class _Directory(contextlib.AbstractContextManager["_Directory"]):
    """An open directory, read entry by entry."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self._entries = os.scandir(fd)
        self._is_open = True

    def next_entry(self) -> os.DirEntry[str] | None:
        """Returns the next entry, or None after the last."""
        return next(self._entries, None)

    def close(self) -> None:
        """Closes it; again does nothing."""
        if self._is_open:
            self._is_open = False
            self._entries.close()
            os.close(self.fd)

    def __exit__(self, *_: object) -> None:
        self.close()


def _open_below(name: str, above: int) -> int | None:
    """Opens the directory *name* in *above*, a locked one too: a bot may have locked its own."""
    try:
        return os.open(name, DIRECTORY, dir_fd=above)
    except PermissionError:
        pass
    except OSError:
        return None
    with contextlib.suppress(OSError):
        pin = os.open(name, DIRECTORY | os.O_PATH, dir_fd=above)
        try:  # by its inode, whatever the bot puts in its place meanwhile
            Path(f"/proc/self/fd/{pin}").chmod(0o700)
            return os.open(f"/proc/self/fd/{pin}", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        finally:
            os.close(pin)
    return None


def _sockets(pid: int) -> frozenset[str]:
    """Returns the sockets that *pid* has open; those of several processes may be the same."""
    found = set()
    with contextlib.suppress(OSError), os.scandir(PROC / str(pid) / "fd") as handles:
        for handle in handles:
            with contextlib.suppress(OSError):
                found.add(os.readlink(handle.path))  # noqa: PTH115 - it is a name, and no path
    return frozenset(name for name in found if name.startswith("socket:"))


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
