"""Which files are ours: a store, and what stands beside it while it is made and written."""

from __future__ import annotations

from pathlib import Path

from referee.errors import StoreError
from tournaments.store.database import check_file
from tournaments.store.digest import SUFFIX

LOGS = ("-wal", "-shm", "-journal")
"""What SQLite adds to the name of a store for the files that belong to it."""
MAKING = (".lock", ".new", ".new-journal")
"""What we add: the lock of the writer, and a store that is being made."""


def is_ours(path: Path) -> bool:
    """Returns whether *path* is a store, or a file that we keep or may have left beside one.

    A store is known by what is in it, whatever its name; another program's database is not ours.
    While a store is made it is not there yet, and the usual name ``*.sqlite`` has to do.
    """
    if _is_store(path) or path.name.endswith(tuple(f".sqlite{end}" for end in MAKING)):
        return True
    names = (path.name.removesuffix(end) for end in (*LOGS, *MAKING, SUFFIX))
    return any(_is_store(path.with_name(name)) for name in names if name)


def _is_store(path: Path) -> bool:
    try:
        return path.is_file() and bool(check_file(path))
    except StoreError:
        return False
