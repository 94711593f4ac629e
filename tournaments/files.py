"""Files that are there whole or not at all, and folders whose names survive a power cut."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from referee.errors import StoreError


def write_whole(path: Path, text: str, *, errors: str = "strict") -> None:
    """Writes *text* to *path*, in place of what may be there, so that no reader sees half of it.

    A link stays one: what it leads to is replaced. A terminal, a pipe or a device is written to as
    it is.

    Args:
        path: The file.
        text: What is to be in it, as UTF-8.
        errors: What becomes of characters that UTF-8 has no bytes for, as `open` takes it.

    Raises:
        OSError: if it cannot be written; then *path* is as it was, and no draft is left.
    """
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8", errors=errors)
        return
    place = path.resolve()
    with _draft_of(place, errors) as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    sync_folder(place.parent)


def sync_folder(folder: Path) -> None:
    """Makes sure that the names in *folder* survive a power cut.

    Raises:
        OSError: if that is not possible.
    """
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


@contextlib.contextmanager
def _draft_of(place: Path, errors: str) -> Iterator[TextIO]:
    """Gives a file that takes the place of *place* after the block, unless that fails.

    Its name is always the same, so that what a killed program has left is used up by the next one;
    the lock keeps two that write to one place from having the same draft.
    """
    draft = place.with_name(f".{place.name}.new")
    while True:
        file = draft.open("a", encoding="utf-8", errors=errors)
        with contextlib.suppress(OSError):  # not every file system has locks
            fcntl.flock(file, fcntl.LOCK_EX)
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(draft.stat(), os.fstat(file.fileno())):
                break
        file.close()
    with file:
        try:
            file.truncate(0)
            yield file
            draft.replace(place)
        except BaseException:
            with contextlib.suppress(OSError):
                draft.unlink()
            raise


def paths_in(folder: Path) -> tuple[Path, ...]:
    """Returns what is in *folder*, by name; nothing if it is not there.

    Tools that copy leave folders out that are empty, so one that is missing is one of these.

    Raises:
        StoreError: if it cannot be read.
    """
    try:
        return tuple(sorted(folder.iterdir()))
    except FileNotFoundError:
        return ()
    except OSError as error:
        raise StoreError(f"{folder}: cannot be read: {(error.strerror or '').lower()}") from None
