"""The SQLite file under a store: how it is opened, and what its complaints mean."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import Connection, Engine, QueuePool, create_engine, event
from sqlalchemy.exc import DBAPIError, OperationalError

from referee.errors import StoreError
from tournaments.store.rows import DamageError
from tournaments.store.schema import SCHEMA_VERSION

APPLICATION_ID = 0x4D4F4F4E
"""Stands in the header of every store: "MOON"."""

BUSY_MS = 30_000
"""How long to wait for another program that has the file locked for a moment."""

_MAGIC = b"SQLite format 3\0"
_WRITE = "moon_write"


def check_ordinary(path: Path) -> None:
    """Refuses what is there but is no file, like a pipe: to open one may take for ever.

    Raises:
        StoreError: if it is that. A folder passes, as opening one fails at once.
    """
    if not path.is_file() and not path.is_dir() and path.exists():
        raise StoreError(f"{path}: is no ordinary file")


def check_file(path: Path) -> bytes:
    """Returns the header of the store at *path*.

    Raises:
        StoreError: if there is no file, or it is something else.
    """
    try:
        check_ordinary(path)
        with path.open("rb") as file:
            header = file.read(100)
    except FileNotFoundError:
        raise StoreError(f"{path}: there is no such store") from None
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {(error.strerror or '').lower()}") from None
    application = int.from_bytes(header[68:72], "big")
    if len(header) < 100 or not header.startswith(_MAGIC) or application != APPLICATION_ID:
        raise StoreError(f"{path}: is not a store of this program")
    return header


def reading_engine(path: Path, header: bytes) -> Engine:
    """Returns an engine that changes nothing and creates no file, beside a writer or without."""
    return _engine(path, "mode=ro&immutable=1" if _is_asleep(path, header) else "mode=ro")


def undo_halves(path: Path) -> None:
    """Undoes what somebody was killed over while he put everything into the one file.

    Only a connection that may write can do that, so nobody could read the file before. Somebody who
    is at it still is waited for.
    """
    if path.with_name(path.name + "-journal").exists():
        with (
            contextlib.suppress(sqlite3.Error),  # if it stays, the reader says why
            contextlib.closing(_connect(path, "mode=rw")) as connection,
        ):
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()


def writing_engine(path: Path, *, create: bool = False) -> Engine:
    """Returns an engine for the one writer; *create* makes the file."""
    return _engine(path, "mode=rwc" if create else "mode=rw")


def writing(engine: Engine) -> contextlib.AbstractContextManager[Connection]:
    """Opens a transaction that writes; it waits for its turn at once and not half-way through."""
    return engine.execution_options(**{_WRITE: True}).begin()


def _is_asleep(path: Path, header: bytes) -> bool:
    """Returns whether the file is in WAL mode but has no log: nobody writes, and all is in it.

    SQLite would make the log's files even for reading, or fail where it cannot. A writer may start
    right afterwards, but its results reach the file itself only after thousands of pages.
    """
    log, index = (path.with_name(path.name + end) for end in ("-wal", "-shm"))
    if header[18] != 2:
        return False
    return not log.exists() or (log.stat().st_size == 0 and not index.exists())


def _engine(path: Path, how: str) -> Engine:
    engine = create_engine(
        "sqlite+pysqlite://", creator=lambda: _connect(path, how), poolclass=QueuePool
    )

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get(_WRITE)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _connect(path: Path, how: str) -> sqlite3.Connection:
    uri = f"file:{quote(str(path))}?{how}"
    # Transactions are begun by hand; the driver's own way leaves some statements outside of them.
    connection = sqlite3.connect(uri, uri=True, check_same_thread=False, isolation_level=None)
    # Text that was damaged is found by its checksum, and must come that far.
    connection.text_factory = partial(str, encoding="utf-8", errors="replace")
    try:
        connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
        connection.execute("PRAGMA foreign_keys = ON")
        # A result is announced when it is committed; then a power cut must not take it back.
        connection.execute("PRAGMA synchronous = FULL")
    except BaseException:
        connection.close()
        raise
    return connection


def start_log(path: Path) -> None:
    """Puts the file into WAL mode, so that reading and writing do not wait for each other.

    Raises:
        StoreError: if that is not possible, as on some network file systems.
    """
    with guard(path), contextlib.closing(_connect(path, "mode=rw")) as connection:
        mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    if mode != "wal":
        raise StoreError(
            f"{path}: this file system does not allow write-ahead logging (is it a network "
            "folder?); keep the store on a local disk"
        )


def end_log(path: Path) -> None:
    """Puts everything into the one file, so that it can be copied, and read from anywhere.

    Not possible while somebody else reads; then the log files stay, and nothing is lost.
    """
    with (
        contextlib.suppress(sqlite3.Error),
        contextlib.closing(_connect(path, "mode=rw")) as connection,
    ):
        connection.execute("PRAGMA busy_timeout = 0")
        connection.execute("PRAGMA journal_mode = DELETE")


def version_of(connection: Connection) -> str:
    """Returns the version of the tables, empty if there are none."""
    try:
        return str(connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar())
    except OperationalError as error:
        if "no such table" in str(error.orig):
            return ""
        raise


def upgrade(connection: Connection) -> None:
    """Brings the tables to the newest version, within the open transaction."""
    # Imported here because it costs more than all that a reading command does.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    folder = Path(__file__).with_name("migrations")
    config = Config()
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, SCHEMA_VERSION)


@contextlib.contextmanager
def guard(path: Path) -> Iterator[None]:
    """Turns the complaints of SQLite into ones that a person can act on."""
    try:
        yield
    except DamageError as error:
        raise StoreError(f"{path}: {error}") from None
    except UnicodeDecodeError:
        # A complaint of SQLite that quotes what is damaged; the driver cannot pass it on.
        damaged = _PROBLEMS[sqlite3.SQLITE_CORRUPT].format("it cannot be read")
        raise StoreError(f"{path}: {damaged}") from None
    except (DBAPIError, sqlite3.Error) as error:
        origin = error.orig if isinstance(error, DBAPIError) else error
        code = getattr(origin, "sqlite_errorcode", 0) & 0xFF  # without the extended part
        problem = _PROBLEMS.get(code)
        if problem is None:
            raise
        locked = code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
        raise StoreError(f"{path}: {problem.format(origin)}", locked=locked) from error


_KEPT = "every table announced as finished is kept"
_PROBLEMS = {
    sqlite3.SQLITE_BUSY: "another program has it locked ({}); try again when it is done",
    sqlite3.SQLITE_LOCKED: "another program has it locked ({}); try again when it is done",
    sqlite3.SQLITE_FULL: f"the disk is full; free some space and run the same again: {_KEPT}",
    sqlite3.SQLITE_IOERR: f"the disk does not read or write ({{}}); {_KEPT}",
    sqlite3.SQLITE_CORRUPT: "is damaged ({}); go back to a copy, or run into a new file",
    # Our own statements are right, so a name that is unknown was damaged.
    sqlite3.SQLITE_ERROR: "is damaged ({}); go back to a copy, or run into a new file",
    sqlite3.SQLITE_NOTADB: "is damaged ({}); go back to a copy, or run into a new file",
    sqlite3.SQLITE_READONLY: "cannot be written ({}); if there is a file of the same name ending "
    "in -journal, open it once where it can be",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened ({}); if there is a file of the same name ending in "
    "-wal, it belongs to it: keep them together, and open it once where it can be written",
}
