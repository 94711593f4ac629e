"""The folder of a gateway: tokens, sockets, and a lock, closed to everybody else."""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from referee.bots.remotes import SOCKETS, socket_of
from referee.bots.rundir import SOCKET_PATH_LIMIT
from referee.bots.tokens import TOKENS
from referee.errors import ConfigError


@contextmanager
def owned(folder: Path) -> Iterator[None]:
    """Holds *folder* for one gateway, without the sockets of one that is gone.

    Raises:
        ConfigError: if it cannot be had, or somebody else keeps something in it.
    """
    if len(os.fsencode(socket_of(folder, "x" * 32))) > SOCKET_PATH_LIMIT:
        raise ConfigError(folder, None, "is too long for the path of a socket; give --dir another")
    try:
        _check_ours(folder)
        for path in (folder, folder / TOKENS, folder / SOCKETS):
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.chmod(0o700)
        lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise ConfigError(error.filename, None, (error.strerror or "").lower()) from None
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ConfigError(folder, None, "another moon serve-bots is using it") from None
        for path in (folder / SOCKETS).iterdir():
            with suppress(OSError):
                if stat.S_ISSOCK(path.lstat().st_mode):
                    path.unlink()
        yield
    finally:
        os.close(lock)


def _check_ours(folder: Path) -> None:
    """Refuses a folder that somebody else keeps something in: it is to be closed to others.

    Raises:
        ConfigError: if so.
    """
    known = {"lock", TOKENS, SOCKETS}
    names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    if strange := sorted(names - known):
        raise ConfigError(
            folder, None, f"holds other things ({strange[0]}); give --dir a folder of its own"
        )
