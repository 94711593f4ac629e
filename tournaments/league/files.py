"""Files of a league that are there whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from referee.errors import StoreError


def write_whole(path: Path, text: str) -> None:
    """Writes *text* to *path*, in place of what may be there, so that no reader sees half of it.

    Raises:
        OSError: if it cannot be written; then *path* is as it was.
    """
    draft = path.with_name(f".{path.name}.new")
    try:
        with draft.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Makes sure that the names in the folder *path* survive a power cut."""
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


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
