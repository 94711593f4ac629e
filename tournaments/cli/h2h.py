"""`moon tournament h2h`: how everybody did against everybody."""

from __future__ import annotations

import csv
import sys
from dataclasses import asdict

import click

from referee.errors import NotFoundError, did_you_mean
from tournaments.cli.options import json_option
from tournaments.cli.stores import open_store, store_argument
from tournaments.cli.terminal import console, print_json
from tournaments.reports.grids import Column, Grid
from tournaments.standings import Results, Versus


@click.command()
@store_argument
@click.option("--of", "only", metavar="ENTRANT", help="Show only how ENTRANT did.")
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Write one line for each two as CSV.")
def h2h(
    where: str | None, named: str | None, only: str | None, as_json: bool, as_csv: bool
) -> None:
    """Show how everybody did against everybody.

    The difference is in points a deal, as the first of the two sees it, with a 95 % interval over
    blocks. A third player sat at the same tables: nobody plays alone against anybody with three.
    """
    with open_store(where, named) as store:
        run = store.run
        results = Results(run.rules, *run.pattern(), store.outcomes())
        order = results.order()
        name = run.name
    if only is not None and only not in order:
        raise NotFoundError(f"{only!r} is no entrant{did_you_mean(only, order)}")
    rows = [
        results.versus(entrant, other)
        for entrant in order
        if only in (None, entrant)
        for other in order
        if other != entrant
    ]
    if as_json:
        print_json("moon.h2h/1", {"name": name, "rows": [asdict(row) for row in rows]})
    elif as_csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(asdict(rows[0]))
        writer.writerows(asdict(row).values() for row in rows)
    else:
        _print_rows(rows)


def _print_rows(rows: list[Versus]) -> None:
    grid = Grid(
        Column("entrant", is_text=True),
        Column("against", is_text=True),
        Column("tables", spare=2),
        Column("ahead", spare=1),
        Column("level", spare=3),
        Column("behind", spare=4),
        Column("pts/deal"),
        Column("95%"),
    )
    for row in rows:
        interval = "-"
        if row.low is not None and row.high is not None:
            interval = f"{row.low:+.2f} to {row.high:+.2f}"
        grid.add_row(
            row.entrant,
            row.other,
            str(row.tables),
            str(row.ahead),
            str(row.level),
            str(row.tables - row.ahead - row.level),
            "-" if row.difference is None else f"{row.difference:+.2f}",
            interval,
        )
    console().print(grid)
