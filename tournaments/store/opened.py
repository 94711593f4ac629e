"""The file of a run while it is open: its lock, its transactions, and who may still write."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Self

from sqlalchemy import Connection, Engine, select

from referee.crashes import crash_point
from referee.errors import StoreError
from tournaments.config import TournamentConfig
from tournaments.lock import WriterLock
from tournaments.store import database, places, queries, schema
from tournaments.store.making import check_folder, check_version, make, now
from tournaments.store.runs import RunInfo, run_of


class OpenStore:
    """One run in one SQLite file, open for reading or writing; what holds for both.

    Attributes:
        path: The file.
        readonly: Whether it was opened for reading only.
        run: The run as a whole.
    """

    def __init__(self, path: Path, engine: Engine, lock: WriterLock | None) -> None:
        """Not for callers: see `create` and `open`."""
        self.path = path
        self.readonly = lock is None
        self._engine = engine
        self._lock = lock
        there = path.stat()
        self._inode = (there.st_dev, there.st_ino)
        try:
            self._version = self._check_version()
            self.run = self._read_run()
        except BaseException:
            engine.dispose()
            raise

    @classmethod
    def create(
        cls,
        path: str | Path,
        config: TournamentConfig,
        *,
        code_version: str,
        host: Mapping[str, object] | None = None,
    ) -> Self:
        """Returns the store of a new run, open for writing. It is there whole, or not at all.

        Args:
            path: The file, in a folder that is there.
            config: The tournament, seeded and described.
            code_version: The version of this program.
            host: What is to be remembered of this machine.

        Raises:
            StoreError: if the file is there already, or cannot be made.
        """
        if config.seed is None:
            raise ValueError("a run needs a seed")
        info = RunInfo(config.name, config.identity(), code_version, now(), host or {})
        path = places.real(path)
        check_folder(path)
        return cls._locked(path, lambda path: make(path, info))

    @classmethod
    def open(cls, path: str | Path, *, readonly: bool = True) -> Self:
        """Returns the store at *path*.

        For reading it is never changed, and no file appears beside it; a run may write meanwhile.
        Only what a writer was killed over at its very end is undone first.
        For writing, older tables are brought to the newest version; a run that was closed is not
        written to any more.

        Raises:
            StoreError: if it is not there, not ours, damaged, of a newer version, closed, or if
                somebody else is writing (``locked``).
        """
        path = places.real(path)
        database.check_file(path)
        if readonly:
            database.undo_halves(path)
            return cls(path, database.reading_engine(path, database.check_file(path)), None)
        return cls._locked(path, check_unclosed)

    @classmethod
    def _locked(cls, path: Path, prepare: Callable[[Path], object]) -> Self:
        """Returns the store for writing; *prepare* is done first, when nobody else can write."""
        places.check_is_local(path)
        lock = WriterLock(path)
        try:
            prepare(path)
            database.start_log(path)
            return cls(path, database.writing_engine(path), lock)
        except BaseException:
            lock.release()
            raise

    def close(self) -> None:
        """Closes the store; harmless when done before."""
        self._engine.dispose()
        if self._lock is not None:
            if not self._trespass():
                database.end_log(self.path)
            self._lock.release()
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _trespass(self) -> str:
        """Returns why nothing may be written here any more; empty while it may."""
        assert self._lock is not None
        try:
            now_there = self.path.stat()
        except OSError:
            return "was deleted or moved while it was written to"
        if (now_there.st_dev, now_there.st_ino) != self._inode:
            return "another file has taken its place"
        if not self._lock.is_held:
            return "its lock was removed, and somebody else may be writing to it by now"
        return ""

    def _check_version(self) -> str:
        """Returns the version of the tables, which the code can use."""
        with self._reading() as connection:
            version = database.version_of(connection)
        check_version(self.path, version, readonly=self.readonly)
        if self.readonly or version == schema.SCHEMA_VERSION:
            return version
        with self._writing() as connection:
            database.upgrade(connection)
            queries.note(
                connection, "upgraded", f"tables {version or '-'} -> {schema.SCHEMA_VERSION}"
            )
        return schema.SCHEMA_VERSION

    def _read_run(self) -> RunInfo:
        with self._reading() as connection:
            row = connection.execute(select(schema.run)).mappings().one_or_none()
        try:
            if row is None:
                raise ValueError("no run")
            return run_of(row)
        except (ValueError, TypeError):
            raise StoreError(
                f"{self.path}: is damaged (what it says of the run is not what was written); "
                "go back to a copy"
            ) from None

    @contextlib.contextmanager
    def _reading(self) -> Iterator[Connection]:
        with database.guard(self.path), self._engine.begin() as connection:
            yield connection

    @contextlib.contextmanager
    def _writing(self) -> Iterator[Connection]:
        if self._lock is None:
            raise StoreError(f"{self.path}: is open for reading only")
        with database.guard(self.path), database.writing(self._engine) as connection:
            # Looked at when it is our turn: who takes our place writes after us, and sees what we
            # wrote; and what we would write after him is refused.
            if trespass := self._trespass():
                raise StoreError(f"{self.path}: {trespass}; run the same again to continue")
            yield connection
            crash_point("store.before_commit")
        crash_point("store.after_commit")


def check_unclosed(path: Path) -> None:
    """Checks that the run in the store at *path* may be written to.

    Raises:
        StoreError: if it was closed, or is no store.
    """
    engine = database.reading_engine(path, database.check_file(path))
    try:
        with database.guard(path), engine.begin() as connection:
            if database.version_of(connection) and queries.is_closed(connection):
                raise StoreError(
                    f"{path}: this run was closed and its seed published, so nothing more can be "
                    "played in it; moon tournament standings shows it, --store begins another run"
                )
    finally:
        engine.dispose()
