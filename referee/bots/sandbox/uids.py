"""Lends users that belong to nobody to the bots of a referee that runs as root.

A user without a name, a process or a file of its own is the one wall between a bot and a referee
that every Linux has. Each bot that runs gets another one; what says so is a locked file, so two
runs on one machine never lend the same.
"""

from __future__ import annotations

import contextlib
import fcntl
import grp
import os
import pwd
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from referee.bots.sandbox.tiers import Tier, TierUnavailableError

CANDIDATES = range(58000, 60000)
"""The numbers that are tried: no distribution gives them to people or to services."""

PROC = Path("/proc")
_LOCKS = "moon-users"


class UidSlots:
    """The users that this process has lent; leaving the block gives all of them back."""

    def __init__(self) -> None:
        self._held: dict[int, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for uid in list(self._held):
            self.give(uid)

    def take(self) -> int | None:
        """Returns a user, and group, that nobody else has; None if we are not root.

        Raises:
            TierUnavailableError: If there is none, or no place to write down that it is lent.
        """
        if sys.platform != "linux" or os.geteuid() != 0:
            return None
        directory = _lock_directory()
        busy = users_with_processes()
        mapped = _mapped()
        for uid in mapped:
            if uid in busy or uid in self._held or _has_name(uid):
                continue
            if (lock := _lock(directory / str(uid))) is not None:
                self._held[uid] = lock
                return uid
        problem = "all of them are in use" if mapped else "this container has no such numbers"
        raise TierUnavailableError(
            Tier.BASIC,
            f"no user {CANDIDATES[0]}-{CANDIDATES[-1]} is free for a bot: {problem};"
            " run as an ordinary user",
        )

    def give(self, uid: int | None) -> None:
        """Takes *uid* back, once nothing of the bot is left; None is nobody."""
        lock = self._held.pop(uid, None) if uid is not None else None
        if lock is not None:
            os.close(lock)


def users_with_processes() -> frozenset[int]:
    """Returns every user, real, effective or saved, of the processes that can be seen."""
    return frozenset(uid for pid in _pids() for uid in _users_of(pid))


def processes_of(uid: int) -> tuple[int, ...]:
    """Returns the processes that belong to the user *uid*, those that have ended included."""
    return tuple(pid for pid in _pids() if uid in _users_of(pid))


def _pids() -> Iterator[int]:
    return (int(path.name) for path in PROC.iterdir() if path.name.isdigit())


def _users_of(pid: int) -> set[int]:
    # Not the owner of the directory, which is root where a process hides its memory.
    with contextlib.suppress(OSError):
        for line in (PROC / str(pid) / "status").read_bytes().splitlines():
            if line.startswith(b"Uid:"):
                return set(map(int, line.split()[1:]))
    return set()


def _has_name(uid: int) -> bool:
    with contextlib.suppress(KeyError):
        pwd.getpwuid(uid)
        return True
    with contextlib.suppress(KeyError):
        grp.getgrgid(uid)
        return True
    return False


def _mapped() -> list[int]:
    """Returns the candidates that exist here: a container may have fewer users and groups."""
    uids, gids = (_ranges(PROC / "self" / name) for name in ("uid_map", "gid_map"))
    return [
        number
        for number in CANDIDATES
        if any(number in numbers for numbers in uids) and any(number in numbers for numbers in gids)
    ]


def _ranges(path: Path) -> list[range]:
    lines = (tuple(map(int, line.split())) for line in path.read_text().splitlines())
    return [range(first, first + length) for first, _, length in lines]


def _lock_directory() -> Path:
    problems: list[str] = []
    for base in dict.fromkeys(("/run", tempfile.gettempdir())):
        path = Path(base) / _LOCKS
        try:
            with contextlib.suppress(FileExistsError):
                path.mkdir(mode=0o700)
            status = path.lstat()
        except OSError as error:
            problems.append(f"{path}: {(error.strerror or '').lower()}")
            continue
        if stat.S_ISDIR(status.st_mode) and status.st_uid == 0 and not status.st_mode & 0o022:
            return path
        problems.append(f"{path}: is not a directory of root alone; remove it")
    raise TierUnavailableError(Tier.BASIC, f"cannot lend users to bots ({'; '.join(problems)})")


def _lock(path: Path) -> int | None:
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    descriptor = os.open(path, flags, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor
