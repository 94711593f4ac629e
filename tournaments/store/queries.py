"""What is asked of the tables of a store, each on an open connection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Delete, delete, func, insert, literal, select

from tournaments.identity import canonical
from tournaments.results import TableResult
from tournaments.schedule import Schedule
from tournaments.store.making import now
from tournaments.store.rows import (
    COLUMNS,
    FAULT_COLUMNS,
    PLAYED,
    VOIDED,
    DamageError,
    Fingerprint,
    RowReader,
    Values,
    sha256,
)
from tournaments.store.runs import Note
from tournaments.store.schema import READABLE, SCHEMA_VERSION, faults, notes, tables

CLOSED = "closed"
"""The kind of the note that ends a run for good; its text is what was published then."""

_CHUNK = 500
"""How many results are read at a time."""


def results(
    connection: Connection,
    *wanted: ColumnElement[bool],
    reader: RowReader | None = None,
    fingerprint: Fingerprint | None = None,
    version: str = SCHEMA_VERSION,
) -> Iterator[TableResult]:
    """Yields the results of the *wanted* tables in schedule order.

    Args:
        connection: To the store.
        wanted: Conditions on the columns.
        reader: What makes results of rows, if not all of each is needed.
        fingerprint: What takes every row, once it has been found to hold.
        version: That of the tables.

    Raises:
        DamageError: at one that is not what was written; the message names the table.
    """
    reader = reader or RowReader()
    query = select(*_columns(version)).where(*wanted).order_by(tables.c.number)
    streaming = connection.execution_options(yield_per=_CHUNK)
    for rows in streaming.execute(query).partitions():
        found = _faults_of(connection, rows[0][0], rows[-1][0])
        for row in rows:
            result = reader.result(row, found.get(row[0], ()))
            if fingerprint is not None:
                fingerprint.add(row)
            yield result


def _columns(version: str) -> list[ColumnElement[Any]]:
    """Returns what `RowReader` takes, of tables of a *version*."""
    known = {column.name: column for column in tables.columns}
    if version == READABLE[0]:
        known["figures"] = literal("").label("figures")  # type: ignore[assignment]
    return [known[name] for name in COLUMNS]


def damages(connection: Connection, version: str) -> tuple[str, ...]:
    """Returns what is wrong with the file, a line each."""
    checked = connection.exec_driver_sql("PRAGMA integrity_check").scalars().all()
    lines = [] if list(checked) == ["ok"] else list(map(str, checked))
    query = select(tables.c.number, tables.c.record_sha256).order_by(tables.c.number)
    for number, told in connection.execute(query).all():
        try:
            for result in results(connection, tables.c.number == number, version=version):
                if sha256(result.record.encode()) != told:
                    lines.append(
                        f"table {result.id} (number {number}): the record has another hash"
                    )
        except DamageError as error:
            lines.append(str(error))
    return tuple(lines)


def played(connection: Connection, schedule: Schedule) -> set[int]:
    """Returns the numbers of the tables that are played.

    Raises:
        DamageError: if a table is stored that *schedule* does not have.
    """
    columns = (tables.c.number, tables.c.block, tables.c.lane, tables.c.seats, tables.c.state)
    found: set[int] = set()
    for number, block, lane, seats, state in connection.execute(select(*columns)):
        planned = schedule.tables[number] if number < len(schedule.tables) else None
        if planned is None or (block, lane, seats) != (
            planned.block,
            planned.lane,
            canonical(planned.seats),
        ):
            raise DamageError(
                f"table {block}.{lane} is stored, but the schedule has no such table; the bots, "
                "the rules or the rounds are not those of the run"
            )
        if state == PLAYED:
            found.add(number)
    return found


def stored(connection: Connection, numbers: Sequence[int]) -> dict[int, Values]:
    """Returns the rows of the tables with these *numbers*, as far as they are there."""
    query = select(tables).where(tables.c.number.in_(numbers))
    return {row["number"]: row for row in connection.execute(query).mappings()}


def states(connection: Connection) -> Counter[str]:
    """Returns how many tables are in each state."""
    query = select(tables.c.state, func.count()).group_by(tables.c.state)
    return Counter({row[0]: row[1] for row in connection.execute(query)})


def void_attempts(connection: Connection) -> dict[int, int]:
    """Returns the attempt of each void table, by its number."""
    query = select(tables.c.number, tables.c.attempt).where(tables.c.state == VOIDED)
    return {row[0]: row[1] for row in connection.execute(query)}


def forget(numbers: Sequence[int]) -> Delete:
    """Returns the statement that takes out tables with their faults."""
    return delete(tables).where(tables.c.number.in_(numbers))


def note(connection: Connection, kind: str, text: str) -> None:
    """Writes down that something happened to the run."""
    connection.execute(insert(notes).values(at=now(), kind=kind, text=text))


def all_notes(connection: Connection) -> tuple[Note, ...]:
    """Returns what happened to the run, oldest first."""
    query = select(notes.c.at, notes.c.kind, notes.c.text).order_by(notes.c.id)
    return tuple(Note(*row) for row in connection.execute(query))


def is_closed(connection: Connection) -> bool:
    """Returns whether the run was ended for good."""
    query = select(func.count()).where(notes.c.kind == CLOSED)
    return bool(connection.execute(query).scalar())


def first_table_at(connection: Connection) -> str | None:
    """Returns when the first of the tables that are stored was stored; ``None`` if none is."""
    found: str | None = connection.execute(select(func.min(tables.c.finished_at))).scalar()
    return found


def _faults_of(
    connection: Connection, first: int, last: int
) -> dict[int, list[tuple[object, ...]]]:
    """Returns the faults of the tables from number *first* to *last*, by number."""
    columns = [faults.c[name] for name in FAULT_COLUMNS]
    query = select(faults.c.table_number, *columns).where(
        faults.c.table_number.between(first, last)
    )
    found: dict[int, list[tuple[object, ...]]] = {}
    ordered = query.order_by(faults.c.table_number, faults.c.seq)
    for number, *fault in connection.execute(ordered):
        found.setdefault(number, []).append(tuple(fault))
    return found
