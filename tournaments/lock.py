"""Only one program at a time writes to a store or a league: an OS lock on a file beside it."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from pathlib import Path

from referee.errors import StoreError


class WriterLock:
    """Held from construction to `release`, or until the process ends in whatever way.

    The lock is the kernel's, so a killed run leaves none behind. The file holds the number of the
    process, for the message to whoever comes second.
    """

    def __init__(self, store: Path) -> None:
        """Takes the lock for *store*.

        Raises:
            StoreError: if another process holds it (``locked``), or locking is not possible here.
        """
        self._store = store
        self.path = store.with_name(store.name + ".lock")
        self._file: int | None = None
        while self._file is None:
            self._file = self._try()

    @property
    def is_held(self) -> bool:
        """Whether it keeps others out: not if somebody has removed its file."""
        return self._file is not None and self._is_still_there(self._file)

    def release(self) -> None:
        """Gives the lock back and removes the file; harmless when done before."""
        if self._file is None:
            return
        # Removed while it is held: whoever opened it before that finds out in `_try`.
        if self.is_held:
            with contextlib.suppress(OSError):
                self.path.unlink()
        os.close(self._file)
        self._file = None

    def _try(self) -> int | None:
        """Returns the locked file, or ``None`` if its last holder removed it in the meantime."""
        try:
            file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise self._unwritable(error) from None
        try:
            self._lock(file)
            if not self._is_still_there(file):
                os.close(file)
                return None
            self._sign(file)
        except BaseException:
            os.close(file)
            raise
        return file

    def _sign(self, file: int) -> None:
        """Writes the number of this process into the locked *file*, or takes it away again."""
        try:
            os.ftruncate(file, 0)
            os.write(file, f"{os.getpid()}\n".encode())
        except OSError as error:
            with contextlib.suppress(OSError):
                self.path.unlink()
            raise self._unwritable(error) from None

    def _unwritable(self, error: OSError) -> StoreError:
        reason = (error.strerror or "").lower()
        todo = "; free some space" if error.errno in (errno.ENOSPC, errno.EDQUOT) else ""
        return StoreError(f"{self._store}: cannot be written: {self.path.name}: {reason}{todo}")

    def _lock(self, file: int) -> None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                reason = (error.strerror or "").lower()
                raise StoreError(
                    f"{self._store}: files cannot be locked here ({reason}); keep the store on a "
                    "local disk"
                ) from None
            holder = os.pread(file, 32, 0).decode(errors="replace").strip()
            who = f"process {holder}" if holder.isdigit() else "another process"
            raise StoreError(
                f"{self._store}: {who} is writing to it; wait for it to end, or stop it",
                locked=True,
            ) from None

    def _is_still_there(self, file: int) -> bool:
        try:
            named, ours = self.path.stat(), os.fstat(file)
        except FileNotFoundError:
            return False
        return (named.st_dev, named.st_ino) == (ours.st_dev, ours.st_ino)
