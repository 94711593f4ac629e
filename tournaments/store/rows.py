"""Results as rows and back, with the checksums that find a flipped bit."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, fields
from typing import Any, TypeAlias

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
    }
    return {**row, "checksum": row_checksum(row, [astuple(fault) for fault in result.faults])}


def fault_rows(result: TableResult) -> list[dict[str, object]]:
    """Returns the rows of the faults of *result*."""
    return [
        {"table_number": result.number, "seq": seq}
        | dict(zip(FAULT_COLUMNS, astuple(fault), strict=True))
        for seq, fault in enumerate(result.faults)
    ]


def result_of(row: Values, faults: Sequence[Values]) -> TableResult:
    """Returns the result in *row* with its *faults*.

    Raises:
        DamageError: if it is not what was written; the message names the table.
    """
    found = [tuple(fault[name] for name in FAULT_COLUMNS) for fault in faults]
    try:
        if row_checksum(row, found) != row["checksum"]:
            raise ValueError("checksum")
        return TableResult(
            number=row["number"],
            block=row["block"],
            lane=row["lane"],
            seats=tuple(map(EntrantId, json.loads(row["seats"]))),
            ending=row["ending"],
            scores=tuple(json.loads(row["scores"])),
            places=tuple(json.loads(row["places"])),
            record=zlib.decompress(row["record"]).decode(),
            timings=zlib.decompress(row["timings"]).decode(),
            faults=tuple(FaultRow(*fault) for fault in found),
            attempt=row["attempt"],
            finished_at=row["finished_at"],
        )
    except (ValueError, TypeError, zlib.error):
        where = f"table {row['block']}.{row['lane']} (number {row['number']})"
        raise DamageError(f"{where} is damaged: it is not what was written") from None


_CHECKED = (
    "number", "block", "lane", "seats", "state", "attempt", "ending", "scores", "places",
    "record_sha256", "finished_at",
)  # fmt: skip


def row_checksum(row: Values, faults: Iterable[tuple[object, ...]]) -> str:
    """Returns the hash of all that is stored of one table."""
    digest = hashlib.sha256(canonical([[row[name] for name in _CHECKED], [*faults]]).encode())
    for name in ("record", "timings"):
        blob = row[name]
        if not isinstance(blob, bytes):
            raise TypeError(name)
        digest.update(len(blob).to_bytes(8, "big") + blob)
    return digest.hexdigest()


def same_result(row: Values, other: Values) -> bool:
    """Returns whether two rows tell the same of a table, measured things and labels apart."""
    told = ("block", "lane", "seats", "ending", "scores", "places", "record_sha256")
    return all(row[name] == other[name] for name in told)


def sha256(data: bytes) -> str:
    """Returns the hash of *data* as hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()
