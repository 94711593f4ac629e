"""Results as rows and back, with the checksums that find a flipped bit."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import astuple, fields
from functools import lru_cache
from typing import Any, TypeAlias

import msgspec

from tournaments.figures import table_figures
from tournaments.identity import canonical
from tournaments.results import FaultRow, TableResult
from tournaments.schedule import EntrantId

Values: TypeAlias = Mapping[Any, Any]
"""A row as the database gives it: column to value."""


class DamageError(Exception):
    """What is stored cannot be used. `database.guard` adds the file to the message."""


PLAYED, VOIDED = "played", "void"

FAULT_COLUMNS = tuple(f.name for f in fields(FaultRow))
"""The columns of a fault, in the order of the fields."""


COLUMNS = (
    "number", "block", "lane", "seats", "state", "attempt", "ending", "scores", "places",
    "record_sha256", "finished_at", "figures", "checksum", "record", "timings",
)  # fmt: skip
"""What is read of a table, in the order in which `RowReader` takes it."""
_CHECKED = COLUMNS[:12]

_quoted = lru_cache(maxsize=64)(canonical)
_encode = msgspec.json.Encoder().encode
_decode_seats = lru_cache(maxsize=1 << 14)(msgspec.json.Decoder(tuple[EntrantId, ...]).decode)
_decode_numbers = lru_cache(maxsize=1 << 14)(msgspec.json.Decoder(tuple[int, ...]).decode)


def table_row(result: TableResult, finished_at: str = "") -> dict[str, object]:
    """Returns the row of *result*; its faults are apart."""
    row: dict[str, object] = {
        "number": result.number,
        "block": result.block,
        "lane": result.lane,
        "seats": canonical(result.seats),
        "state": VOIDED if result.is_void else PLAYED,
        "attempt": result.attempt,
        "ending": result.ending,
        "scores": canonical(result.scores),
        "places": canonical(result.places),
        "record": zlib.compress(result.record.encode()),
        "record_sha256": sha256(result.record.encode()),
        "timings": zlib.compress(result.timings.encode()),
        "finished_at": finished_at,
        "figures": _figures_text(result.record),
    }
    told = [row[name] for name in _CHECKED]
    faults = [astuple(fault) for fault in result.faults]
    return {**row, "checksum": row_checksum(told, faults, row["record"], row["timings"])}


def _figures_text(record: str) -> str:
    """Returns the figures of a record; empty if it cannot be read, as of a void table."""
    try:
        return table_figures(record).to_text()
    except (msgspec.MsgspecError, ValueError, LookupError, AssertionError):
        return ""


def fault_rows(result: TableResult) -> list[dict[str, object]]:
    """Returns the rows of the faults of *result*."""
    return [
        {"table_number": result.number, "seq": seq}
        | dict(zip(FAULT_COLUMNS, astuple(fault), strict=True))
        for seq, fault in enumerate(result.faults)
    ]


class RowReader:
    """Makes results of rows, each once its checksum has been found to hold."""

    def __init__(self, *, records: bool = True, timings: bool = True) -> None:
        """Makes a reader.

        Args:
            records: Whether records are wanted where there are figures.
            timings: Whether what was measured is wanted.
        """
        self._records = records
        self._timings = timings

    def result(self, row: Sequence[Any], faults: Sequence[tuple[Any, ...]] = ()) -> TableResult:
        """Returns the result in *row* with its *faults*.

        Raises:
            DamageError: if it is not what was written; the message names the table.
        """
        (
            number, block, lane, seats, _, attempt, ending, scores, places,
            _, finished_at, figures, checksum, record, timings,
        ) = row  # fmt: skip
        try:
            if row_checksum(row[:12], faults, record, timings) != checksum:
                raise ValueError("checksum")
            is_read = self._records or not figures
            return TableResult(
                number,
                block,
                lane,
                _decode_seats(seats),
                ending,
                _decode_numbers(scores),
                _decode_numbers(places),
                zlib.decompress(record).decode() if is_read else "",
                zlib.decompress(timings).decode() if self._timings else "",
                tuple(FaultRow(*fault) for fault in faults),
                attempt,
                finished_at,
                figures=figures,
            )
        except (ValueError, TypeError, zlib.error):
            raise damage_of(row) from None


def damage_of(row: Sequence[Any]) -> DamageError:
    """Returns the complaint about a row that is not what was written."""
    number, block, lane = row[:3]
    return DamageError(
        f"table {block}.{lane} (number {number}) is damaged: it is not what was written"
    )


def row_checksum(
    told: Sequence[object], faults: Sequence[tuple[object, ...]], record: object, timings: object
) -> str:
    """Returns the hash of all that is stored of one table.

    Args:
        told: Its columns from the number to the figures, in the order of `COLUMNS`.
        faults: Its faults, in order.
        record: The compressed record.
        timings: The compressed timings.

    Raises:
        TypeError: if one of the two is no bytes.
    """
    if not told[-1]:  # as before there were figures
        told = told[:-1]
    parts = [_canonical([told, faults])]
    for name, blob in (("record", record), ("timings", timings)):
        if not isinstance(blob, bytes):
            raise TypeError(name)
        parts += len(blob).to_bytes(8, "big"), blob
    return hashlib.sha256(b"".join(parts)).hexdigest()


def _canonical(value: object) -> bytes:
    """Returns what `canonical` returns, ten times as fast where nothing has to be escaped."""
    text = _encode(value)
    return text if text.isascii() and b"\\u" not in text else canonical(value).encode()


def same_result(row: Values, other: Values) -> bool:
    """Returns whether two rows tell the same of a table, measured things and labels apart."""
    told = ("block", "lane", "seats", "ending", "scores", "places", "record_sha256")
    return all(row[name] == other[name] for name in told)


def sha256(data: bytes) -> str:
    """Returns the hash of *data* as hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


class Fingerprint:
    """The hash of what was to be played and all that was, taken table by table in order."""

    def __init__(self, identity: Mapping[str, Any]) -> None:
        self._digest = hashlib.sha256(canonical(identity).encode())

    def add(self, row: Sequence[Any]) -> None:
        """Takes the next table; its row, as `COLUMNS` says, was found to hold."""
        number, _, _, seats, _, _, ending, scores, places, record_sha256, *_ = row
        # Seats, scores and places are stored as the canonical text that they have in the list.
        line = f'\n[{number},{seats},{_quoted(ending)},{scores},{places},"{record_sha256}"]'
        self._digest.update(line.encode())

    def hexdigest(self) -> str:
        """Returns the fingerprint of what was taken so far."""
        return self._digest.hexdigest()
