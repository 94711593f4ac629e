"""How the file of a new run comes to be, whole or not at all, and which files can be used."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import insert

from referee.crashes import crash_point
from referee.errors import StoreError
from tournaments.files import sync_folder
from tournaments.store import database, schema
from tournaments.store.runs import RunInfo, run_row


def now() -> str:
    """Returns the time for a label: UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def check_folder(path: Path) -> None:
    """Checks that the folder of the store at *path* is there.

    Raises:
        StoreError: if it is not: a misspelt path must not make folders.
    """
    if not path.parent.is_dir():
        raise StoreError(f"{path}: there is no folder {path.parent}; make it, or choose another")


def check_version(path: Path, version: str, *, readonly: bool) -> None:
    """Checks that tables of *version* can be used: read as they are, or brought to the newest.

    Raises:
        StoreError: if not.
    """
    if version > schema.SCHEMA_VERSION:
        raise StoreError(
            f"{path}: was written by a newer version of this program (tables {version}, "
            f"this one knows {schema.SCHEMA_VERSION}); update moon"
        )
    if readonly and version not in schema.READABLE:
        raise StoreError(
            f"{path}: was written by an older version of this program; continue the run "
            "once to bring it up to date"
        )


def make(path: Path, info: RunInfo) -> None:
    """Makes the store of a new run at *path*, for which the caller has the lock.

    Raises:
        StoreError: if the file is there already, or cannot be made.
    """
    if path.exists():
        raise StoreError(f"{path}: is there already; continue that run, or choose another file")
    draft = path.with_name(path.name + ".new")
    try:
        _remove(draft)
        with database.guard(path):
            _fill(draft, info)
        crash_point("store.before_rename")
        draft.rename(path)
        crash_point("store.after_rename")
        sync_folder(path.parent)
    except OSError as error:
        raise StoreError(f"{path}: cannot be made: {(error.strerror or '').lower()}") from None
    finally:
        _remove(draft)


def _fill(draft: Path, info: RunInfo) -> None:
    engine = database.writing_engine(draft, create=True)
    try:
        with database.writing(engine) as connection:
            connection.exec_driver_sql(f"PRAGMA application_id = {database.APPLICATION_ID}")
            database.upgrade(connection)
            connection.execute(insert(schema.run).values(run_row(info)))
            connection.execute(
                insert(schema.notes).values(at=now(), kind="created", text=info.code_version)
            )
    finally:
        engine.dispose()


def _remove(draft: Path) -> None:
    """Removes what a killed program may have left, the journal too: it would be played back."""
    for end in ("", "-journal"):
        draft.with_name(draft.name + end).unlink(missing_ok=True)
