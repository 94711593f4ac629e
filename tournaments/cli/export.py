"""`moon tournament export`: all results, for other programs."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable

import click
import msgspec

from tournaments.cli.stores import open_store, store_argument
from tournaments.results import TableResult

_TOGETHER = 50
"""How many lines are written at a time."""


@click.command()
@store_argument
@click.option(
    "--format", "form", type=click.Choice(["jsonl", "csv"]), default="jsonl", show_default=True,
    help="jsonl: one object for each table; csv: one line for each seat.",
)  # fmt: skip
@click.option("--times", is_flag=True, help="Add what was measured to each object (jsonl).")
def export(where: str | None, named: str | None, form: str, times: bool) -> None:
    """Write the results of a run to standard output, in schedule order."""
    with open_store(where, named) as store:
        if form == "csv":
            _write_csv(store.outcomes(), store.run.rules.side_count)
        else:
            _write_lines(store.results() if times else store.outcomes(records=True))


class _Fault(msgspec.Struct):
    """What is told of a fault."""

    seat: int
    entrant: str
    kind: str
    deal: int
    decision: int


class _Line(msgspec.Struct, omit_defaults=True):
    """What is told of a table. The record and the times are JSON already."""

    table: str
    number: int
    block: int
    lane: int
    seats: tuple[str, ...]
    ending: str
    scores: tuple[int, ...]
    places: tuple[int, ...]
    faults: list[_Fault]
    record: msgspec.Raw
    times: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


def _write_lines(results: Iterable[TableResult]) -> None:
    encoder = msgspec.json.Encoder()
    lines: list[str] = []
    for result in results:
        lines.append(encoder.encode(_line(result)).decode())
        if len(lines) == _TOGETHER:
            click.echo("\n".join(lines))
            lines.clear()
    if lines:
        click.echo("\n".join(lines))


def _line(result: TableResult) -> _Line:
    deals = ",".join(filter(None, result.record.split("\n")))
    return _Line(
        result.id,
        result.number,
        result.block,
        result.lane,
        result.seats,
        result.ending,
        result.scores,
        result.places,
        [_Fault(f.seat, f.entrant, f.kind, f.deal, f.decision) for f in result.faults],
        msgspec.Raw(f"[{deals}]".encode()),
        msgspec.Raw(result.timings.encode()) if result.timings else msgspec.UNSET,
    )


def _write_csv(results: Iterable[TableResult], sides: int) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["table", "block", "lane", "seat", "entrant", "score", "place", "ending"])
    for result in results:
        writer.writerows(
            (result.id, result.block, result.lane, seat, entrant, result.scores[seat % sides],
             result.places[seat % sides], result.ending)
            for seat, entrant in enumerate(result.seats)
        )  # fmt: skip
