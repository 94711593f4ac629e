"""The store of one run: results go in whole or not at all, and come out in schedule order."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sqlalchemy import insert, update

from referee.errors import NotFoundError, StoreError
from tournaments.config import TournamentConfig
from tournaments.identity import binding, differences
from tournaments.results import TableResult
from tournaments.schedule import Schedule, Table, TableId
from tournaments.store import places, queries, schema
from tournaments.store.making import now
from tournaments.store.opened import OpenStore
from tournaments.store.rows import (
    PLAYED,
    VOIDED,
    DamageError,
    Fingerprint,
    RowReader,
    Values,
    fault_rows,
    same_result,
    table_row,
)
from tournaments.store.runs import Counts, Note, run_row

_NUMBER = re.compile(r"\d{1,18}")
"""A number that SQLite can compare: less than 64 bits."""


class Store(OpenStore):
    """One run in one SQLite file. Made by `create` or `open`; a context manager."""

    # Writing

    def add_results(self, results: Sequence[TableResult]) -> tuple[int, ...]:
        """Stores *results* in one transaction; when this returns, they survive a power cut.

        What is there already is left as it is. A void table is replaced by a later attempt; a void
        result never replaces a played one.

        Returns:
            The numbers of the tables that were new.

        Raises:
            StoreError: if a table is stored with another result, or writing is not possible; then
                nothing of *results* is stored.
        """
        if len({result.number for result in results}) != len(results):
            raise ValueError("two results of one table")
        at = now()
        with self._writing() as connection:
            stored = queries.stored(connection, [result.number for result in results])
            new = [r for r in results if self._is_new(r, stored.get(r.number))]
            numbers = [result.number for result in new]
            faults = [row for result in new for row in fault_rows(result)]
            if new:
                connection.execute(queries.forget(numbers))
                connection.execute(insert(schema.tables), [table_row(r, at) for r in new])
            if faults:
                connection.execute(insert(schema.faults), faults)
            for result in new:
                if result.is_void:
                    queries.note(connection, "void", f"table {result.id}, attempt {result.attempt}")
        return tuple(numbers)

    def shortage(self) -> str:
        """Returns why no table should be begun: too little room on the disk; empty if there is."""
        return places.shortage(self.path)

    def note(self, kind: str, text: str) -> None:
        """Writes down that something happened to the run as a whole."""
        with self._writing() as connection:
            queries.note(connection, kind, text)

    def accept(self, config: TournamentConfig, code_version: str) -> None:
        """Continues the run as *config* and *code_version* from here on, and writes that down.

        Raises:
            StoreError: if there are `obstacles`; then nothing is changed.
        """
        if not (lines := self.changes(config, code_version)):
            return
        if obstacles := self.obstacles(config):
            listed = "".join(f"\n  {line}" for line in obstacles)
            raise StoreError(
                f"{self.path}: what is stored would mean nothing:{listed}\nuse another store"
            )
        identity = config.seeded(self.run.seed).identity()
        info = replace(self.run, identity=identity, code_version=code_version)
        with self._writing() as connection:
            connection.execute(update(schema.run).values(run_row(info)))
            queries.note(connection, "changed", "; ".join(lines))
        self.run = info

    def extend(self, config: TournamentConfig, note: str = "") -> None:
        """Continues a league night as *config*: with more rounds, or with another field from here.

        Terms that may change, such as times, are written down if they do.

        Args:
            config: The night, seeded and described, with all stages that there were.
            note: What is to be written down of it; nothing if it is empty.

        Raises:
            StoreError: if the stored tables would mean nothing; then nothing is changed.
        """
        identity = config.seeded(self.run.seed).identity()
        schedule, old = config.schedule(), self.run.schedule()
        known = self.run.identity["entrants"]
        lines: tuple[str, ...] = ()
        if old.blocks:
            lines = self._unbound(identity)
            if schedule.blocks[: len(old.blocks)] != old.blocks:
                lines += ("the rounds that were begun are not those of the night",)
            if identity["entrants"][: len(known)] != known:  # type: ignore[index]
                lines += ("those who have played are not the same",)
        if lines:
            listed = "".join(f"\n  {line}" for line in lines)
            raise StoreError(
                f"{self.path}: the night cannot go on like this:{listed}\n"
                "go on with the terms that it was begun with, or end it and begin another"
            )
        changed = differences(*map(_terms, (self.run.identity, identity))) if old.blocks else ()
        info = replace(self.run, identity=identity)
        with self._writing() as connection:
            connection.execute(update(schema.run).values(run_row(info)))
            if changed:
                queries.note(connection, "changed", "; ".join(changed))
            if note:
                queries.note(connection, "field", note)
        self.run = info

    # Reading

    def changes(self, config: TournamentConfig, code_version: str) -> tuple[str, ...]:
        """Returns how *config* and *code_version* differ from the run, a line each."""
        lines = differences(self.run.identity, config.seeded(self.run.seed).identity())
        if code_version != self.run.code_version:
            lines += (f"version of moon: {self.run.code_version} -> {code_version}",)
        return lines

    def obstacles(self, config: TournamentConfig) -> tuple[str, ...]:
        """Returns why the stored tables would mean nothing under *config*, a line each.

        There are none while nothing is stored, and none if only such things change that do not
        touch what was played.
        """
        identity = config.seeded(self.run.seed).identity()
        with self._reading() as connection:
            try:
                played = queries.played(connection, config.schedule())
            except DamageError as error:
                return (*self._unbound(identity), str(error))
        return self._unbound(identity) if played else ()

    def _unbound(self, identity: Mapping[str, object]) -> tuple[str, ...]:
        return differences(binding(self.run.identity), binding(identity))

    def is_longer(self, config: TournamentConfig, code_version: str) -> bool:
        """Whether *config* is this run with more rounds, and nothing else has changed.

        The blocks of more rounds begin with those of fewer, so that it can simply go on.
        """
        rounds = int(self.run.identity["rounds"])
        same = replace(config, rounds=rounds)
        return config.rounds > rounds and not self.changes(same, code_version)

    def pending(self, schedule: Schedule) -> tuple[Table, ...]:
        """Returns the tables of *schedule* that are still to be played, in playing order.

        Raises:
            StoreError: if the stored tables belong to another schedule.
        """
        with self._reading() as connection:
            played = queries.played(connection, schedule)
        return tuple(table for table in schedule.tables if table.number not in played)

    def counts(self) -> Counts:
        """Returns how many tables are stored."""
        with self._reading() as connection:
            states = queries.states(connection)
        return Counts(states[PLAYED], states[VOIDED])

    def void_attempts(self) -> dict[int, int]:
        """Returns how often each table was begun that is void now, by its number."""
        with self._reading() as connection:
            return queries.void_attempts(connection)

    def results(self) -> Iterator[TableResult]:
        """Yields every played table, in schedule order, as they stand now.

        Raises:
            StoreError: at a table that is damaged; the message names it.
        """
        return self._played(None, None)

    def outcomes(
        self,
        *,
        records: bool = False,
        timings: bool = False,
        fingerprint: Fingerprint | None = None,
    ) -> Iterator[TableResult]:
        """Yields what `results` does, less what is not wanted.

        Args:
            records: Whether records are wanted also where there are figures.
            timings: Whether what was measured is wanted.
            fingerprint: What takes every table on the way, see `start_fingerprint`.

        Raises:
            StoreError: at a table that is damaged, in its record too; the message names it.
        """
        return self._played(RowReader(records=records, timings=timings), fingerprint)

    def _played(
        self, reader: RowReader | None, fingerprint: Fingerprint | None
    ) -> Iterator[TableResult]:
        wanted = schema.tables.c.state == PLAYED
        with self._reading() as connection:
            yield from queries.results(
                connection, wanted, reader=reader, fingerprint=fingerprint, version=self._version
            )

    def result(self, table: TableId) -> TableResult:
        """Returns what became of *table*, played or void.

        Raises:
            NotFoundError: if it is not stored. A `StoreError` if it is damaged.
        """
        block, _, lane = table.partition(".")
        if _NUMBER.fullmatch(block) and _NUMBER.fullmatch(lane):
            columns = schema.tables.c
            wanted = (columns.block == int(block), columns.lane == int(lane))
            with self._reading() as connection:
                for result in queries.results(connection, *wanted, version=self._version):
                    return result
        raise NotFoundError(f"{self.path}: table {table!r} is not stored")

    @property
    def is_closed(self) -> bool:
        """Whether the run was ended for good: its seed is public, and nothing more is played."""
        with self._reading() as connection:
            return queries.is_closed(connection)

    def first_table_at(self) -> str | None:
        """Returns when the first table was stored (UTC), played or void; ``None`` if none is."""
        with self._reading() as connection:
            return queries.first_table_at(connection)

    def notes(self) -> tuple[Note, ...]:
        """Returns what happened to the run as a whole, oldest first."""
        with self._reading() as connection:
            return queries.all_notes(connection)

    def fingerprint(self) -> str:
        """Returns the hash of what was to be played and all that was, in schedule order.

        Two runs with equal bots on equal deals have equal fingerprints, however many workers
        played them and however often they were interrupted.
        """
        fingerprint = self.start_fingerprint()
        deque(self.outcomes(fingerprint=fingerprint), maxlen=0)
        return fingerprint.hexdigest()

    def start_fingerprint(self) -> Fingerprint:
        """Returns the fingerprint of a run of which no table was looked at yet."""
        return Fingerprint(self.run.identity)

    def damages(self) -> tuple[str, ...]:
        """Returns what is wrong with the file, a line each; looks at every byte of it."""
        with self._reading() as connection:
            return queries.damages(connection, self._version)

    def _is_new(self, result: TableResult, row: Values | None) -> bool:
        if row is None:
            return True
        if row["state"] == VOIDED:
            return not result.is_void or result.attempt > row["attempt"]
        if result.is_void or same_result(row, table_row(result)):
            return False
        raise StoreError(
            f"{self.path}: table {result.id} is stored with another result; are the bots "
            "deterministic, and the same as before?"
        )


def _terms(identity: Mapping[str, object]) -> dict[str, object]:
    """Returns *identity* without who plays, which a night changes at any edge."""
    return {key: each for key, each in identity.items() if key not in ("entrants", "night")}
