"""The private directories of running bots: short, closed to others, and never left behind.

One directory belongs to one keeper and is named after the process that owns it, so that whoever
comes next can tell a directory in use from one whose owner died before it could tidy up.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import secrets
import signal
import stat
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from referee.bots.keeper.kept import SWEEP_LIMIT
from referee.bots.keeper.processes import all_processes, kill_process, mark_of, read_process
from referee.bots.keeper.service import SWEEP_PAUSE
from referee.errors import MoonError

SOCKET_PATH_LIMIT = 100
"""Longest path of a socket that every system accepts, with some room."""

LEAST_SPACE = 1 << 20
"""Bytes that a bot has to find free; with less, what goes wrong may be for want of room."""
LEAST_FILES = 16
"""How many files a bot has to be able to make."""
LEAST_DESCRIPTORS = 8
"""How many files we must be able to open to start a bot and to talk to it."""

_MORE_ROOM = "free some space there"
_NAME = re.compile(r"moon-(\d+)-(\d+)-[0-9a-f]{6}")
_LOCK = "lock"
_LONGEST_SOCKET = "/99999/s"


@dataclass(frozen=True, slots=True)
class Place:
    """Where one bot lives: its socket, its home and its temporary files."""

    path: Path

    @property
    def socket(self) -> Path:
        """The path at which the bot listens."""
        return self.path / "s"

    @property
    def home(self) -> Path:
        """The bot's own home directory."""
        return self.path / "home"

    @property
    def temporary(self) -> Path:
        """The bot's own directory for temporary files."""
        return self.path / "tmp"

    def closed(self) -> Path | None:
        """Returns what of it is there and does not let its owner in any more; None if nothing."""
        for path in (self.path, self.home, self.temporary):
            try:
                mode = path.lstat().st_mode
            except OSError:  # it is missed elsewhere
                return None
            if mode & stat.S_IRWXU != stat.S_IRWXU:
                return path
        return None


@dataclass(frozen=True, slots=True)
class RunDirectory:
    """The places of the bots of one keeper; locked for as long as its owner lives."""

    path: Path
    _lock: int
    _numbers: count[int] = field(default_factory=lambda: count(1))

    @classmethod
    def make(cls, base: Path | None = None) -> RunDirectory:
        """Makes a directory of the calling process in *base*, or where such things belong.

        Raises:
            MoonError: If there is nowhere to make one, or only where the path would be too long
                for a socket.
        """
        bases = _bases() if base is None else [base]
        short = [b for b in bases if _fits(b)]
        if not short:
            raise MoonError(
                f"{bases[-1]}: too long for the path of a socket"
                f" (at most {SOCKET_PATH_LIMIT} bytes); set TMPDIR to a shorter directory"
            )
        problems: list[str] = []
        for choice in short:
            try:
                return cls.make_in(choice)
            except OSError as error:
                problems.append(f"{choice}: {error.strerror}")
        raise MoonError(
            f"cannot make a directory for running bots ({'; '.join(problems)});"
            " set TMPDIR to a directory that can be written"
        )

    @classmethod
    def make_in(cls, base: Path) -> RunDirectory:
        """Makes a directory of the calling process in *base*, whatever the length of its path."""
        path = base / _new_name()
        path.mkdir(mode=0o700)
        path.chmod(_open_mode())  # which a umask would close again
        lock = os.open(path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return cls(path, lock)

    @property
    def token(self) -> str:
        """What the marks of all processes that belong here start with."""
        return f"{self.path.name}."

    def place(self) -> Place:
        """Makes the place of one more bot."""
        place = Place(self.path / str(next(self._numbers)))
        for path in (place.path, place.home, place.temporary):
            path.mkdir(mode=0o700)
        return place

    def remove(self) -> None:
        """Removes the directory with all that is in it."""
        remove_tree(self.path)
        os.close(self._lock)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Makes a folder for the block; what a killed process leaves is swept as places of bots are.

    Signals that would end the process at once end the block first, so that the folder goes.

    Raises:
        OSError: if it cannot be made.
        SystemExit: if a signal ends the process, with 128 and its number.
    """
    with _ending_tidily():
        made = RunDirectory.make_in(Path(tempfile.gettempdir()))
        try:
            yield made.path
        finally:
            made.remove()


@contextmanager
def _ending_tidily() -> Iterator[None]:
    """Has SIGTERM and SIGHUP raise `SystemExit` in the block, where nothing else heeds them."""

    def end(number: int, _: object) -> None:
        raise SystemExit(128 + number)

    heeded = []
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is signal.SIG_DFL:
                heeded.append(number)
                signal.signal(number, end)
    try:
        yield
    finally:
        for number in heeded:
            if signal.getsignal(number) is end:  # and nobody has taken it over
                signal.signal(number, signal.SIG_DFL)


def shortage(directory: Path) -> str:
    """Returns what this machine lacks for a bot to live in *directory*; empty if nothing.

    Raises:
        OSError: if there is no such directory.
    """
    missing = _open_mode() & ~stat.S_IMODE(directory.stat().st_mode)
    if missing:
        return f"the directory of the running bots was closed: {directory}"
    disk = os.statvfs(directory)
    if disk.f_blocks and disk.f_bavail * disk.f_frsize < LEAST_SPACE:
        return f"the disk of the running bots is full: {directory}; {_MORE_ROOM}"
    if disk.f_files and disk.f_favail < LEAST_FILES:
        return f"the disk of the running bots takes no more files: {directory}; {_MORE_ROOM}"
    if not descriptors_left(LEAST_DESCRIPTORS):
        return "too many files are open; allow more (ulimit -n), or play fewer tables at a time"
    return ""


def _open_mode() -> int:
    """Returns the permissions of a run directory.

    The bots of root have users of their own, who have to get to their places through it.
    """
    return 0o711 if os.geteuid() == 0 else 0o700


def descriptors_left(wanted: int) -> bool:
    """Returns whether this process can open *wanted* more files."""
    taken: list[int] = []
    try:
        taken.extend(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC) for _ in range(wanted))
    except OSError:
        return False
    finally:
        for file in taken:
            os.close(file)
    return True


def sweep_leftovers(base: Path | None = None) -> tuple[str, ...]:
    """Removes what dead owners left: their bots, then their directories. Returns their names."""
    swept: list[str] = []
    for directory in _bases() if base is None else [base]:
        with contextlib.suppress(OSError):
            names = [path.name for path in directory.iterdir()]
            swept.extend(name for name in names if _sweep_one(directory / name))
    return tuple(swept)


def _sweep_one(path: Path) -> bool:
    match = _NAME.fullmatch(path.name)
    if match is None:
        return False
    try:
        status = path.lstat()
    except OSError:
        return False
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        return False
    if _is_alive(int(match[1]), int(match[2])):
        return False
    with contextlib.ExitStack() as stack:
        # The owner may live where its pid cannot be seen, in another container; its lock is seen.
        try:
            lock = os.open(path / _LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
            stack.callback(os.close, lock)
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except FileNotFoundError:
            pass
        except OSError:
            return False
        kill_marked(f"{path.name}.")
        remove_tree(path)
    return True


def kill_marked(token: str) -> tuple[int, ...]:
    """Ends every process whose mark starts with *token*, and returns the pids that live on."""
    deadline = time.monotonic() + SWEEP_LIMIT
    while True:
        found = [e for e in all_processes() if e.living and mark_of(e.pid).startswith(token)]
        if not found or time.monotonic() > deadline:
            return tuple(entry.pid for entry in found)
        for entry in found:
            kill_process(entry)
        time.sleep(SWEEP_PAUSE)


_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def remove_tree(path: Path) -> None:
    """Removes the directory *path* with everything below, however deep, odd or locked up it is.

    Links are removed, not followed. What cannot be removed stays, for a later sweep.
    """
    with contextlib.suppress(OSError):
        if stat.S_ISDIR(path.lstat().st_mode):
            path.chmod(0o700)
            _empty(os.open(path, _DIRECTORY))
            path.rmdir()


def _empty(fd: int) -> None:
    """Removes all that is in the directory *fd* and closes it; never holds more than two open."""
    trail: list[tuple[str, tuple[int, int], list[str]]] = []
    try:
        todo = _unlink_files(fd)
        while todo or trail:
            if todo:
                name = todo.pop()
                below = _enter(name, fd)
                if below is not None:
                    trail.append((name, _identity(fd), todo))
                    os.close(fd)
                    fd = below
                    todo = _unlink_files(fd)
            else:
                name, identity, todo = trail.pop()
                above = os.open("..", _DIRECTORY, dir_fd=fd)
                os.close(fd)
                fd = above
                if _identity(fd) != identity:
                    return  # somebody moves directories about: what is above is not ours to empty
                with contextlib.suppress(OSError):
                    os.rmdir(name, dir_fd=fd)
    finally:
        os.close(fd)


def _unlink_files(fd: int) -> list[str]:
    """Removes what is no directory from the directory *fd*, and returns the directories in it."""
    directories: list[str] = []
    with os.scandir(fd) as entries:
        for entry in list(entries):
            with contextlib.suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    directories.append(entry.name)
                else:
                    os.unlink(entry.name, dir_fd=fd)
    return directories


def _enter(name: str, fd: int) -> int | None:
    try:
        os.chmod(name, 0o700, dir_fd=fd)
        return os.open(name, _DIRECTORY, dir_fd=fd)
    except OSError:
        return None


def _identity(fd: int) -> tuple[int, int]:
    status = os.fstat(fd)
    return status.st_dev, status.st_ino


def _bases() -> list[Path]:
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    bases = [Path(runtime)] if runtime and Path(runtime).is_absolute() else []
    return [*bases, Path(tempfile.gettempdir()).absolute()]


def _fits(base: Path) -> bool:
    longest = base / f"moon-{2**22}-{10**12}-000000"
    return len(os.fsencode(longest)) + len(_LONGEST_SOCKET) < SOCKET_PATH_LIMIT


def _new_name() -> str:
    return f"moon-{os.getpid()}-{_born(os.getpid())}-{secrets.token_hex(3)}"


def _born(pid: int) -> int:
    entry = read_process(pid)
    return entry.born if entry is not None else 0


def _is_alive(pid: int, born: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return _born(pid) == born
