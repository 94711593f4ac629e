"""`moon tournament export`: all results, for other programs."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable

import click

from tournaments.cli.stores import open_store, store_argument
from tournaments.results import TableResult


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
            _write_csv(store.results(), store.run.rules.side_count)
        else:
            for result in store.results():
                click.echo(_line(result, times))


def _line(result: TableResult, times: bool) -> str:
    fields: dict[str, object] = {
        "table": result.id,
        "number": result.number,
        "block": result.block,
        "lane": result.lane,
        "seats": result.seats,
        "ending": result.ending,
        "scores": result.scores,
        "places": result.places,
        "faults": [
            {"seat": f.seat, "entrant": f.entrant, "kind": f.kind, "deal": f.deal,
             "decision": f.decision}
            for f in result.faults
        ],
        "record": [json.loads(line) for line in result.record.splitlines()],
    }  # fmt: skip
    if times:
        fields["times"] = json.loads(result.timings)
    return json.dumps(fields, separators=(",", ":"), ensure_ascii=False)


def _write_csv(results: Iterable[TableResult], sides: int) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["table", "block", "lane", "seat", "entrant", "score", "place", "ending"])
    for result in results:
        for seat, entrant in enumerate(result.seats):
            side = seat % sides
            writer.writerow(
                [result.id, result.block, result.lane, seat, entrant, result.scores[side],
                 result.places[side], result.ending]
            )  # fmt: skip
