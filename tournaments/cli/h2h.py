"""`moon tournament h2h`: how everybody did against everybody."""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence
from dataclasses import asdict

import click

from referee.errors import ConfigError, NotFoundError, did_you_mean
from tournaments.cli.formats import one_format
from tournaments.cli.options import json_option
from tournaments.cli.stores import open_store, store_argument
from tournaments.cli.terminal import console, print_json
from tournaments.meetings import Partnership, Versus
from tournaments.rating.partners import OwnPartner
from tournaments.rating.student import FEW
from tournaments.reports.grids import Column, Grid
from tournaments.standings import Results


@click.command()
@store_argument
@click.option("--of", "only", metavar="ENTRANT", help="Show only how ENTRANT did.")
@click.option(
    "--partners", is_flag=True, help="Show how everybody did with everybody as its partner."
)
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Write one line for each two as CSV.")
def h2h(
    where: str | None,
    named: str | None,
    only: str | None,
    partners: bool,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Show how everybody did against everybody, or with --partners, with everybody.

    The difference is in points a deal, as the first of the two sees it, with a 95 % interval over
    blocks. With three at a table the third sat at the same tables; with partners that change, they
    and their luck are in it. Who was its own partner now and then stands there with itself, and
    with what that is worth beyond how good it is: beside itself a strong bot has a strong partner.
    """
    one_format(as_json=as_json, as_csv=as_csv)
    with open_store(where, named) as store:
        run = store.run
        results = Results(run.rules, *run.pattern(), store.outcomes())
        order = results.order()
        name = run.name
    if only is not None and only not in order:
        raise NotFoundError(f"{only!r} is no entrant{did_you_mean(only, order)}")
    if partners and not results.has_partners:
        raise ConfigError(None, "--partners", f"nobody changes partners in {name}; leave it out")
    rows: Sequence[Versus | Partnership]
    chosen = [entrant for entrant in order if only in (None, entrant)]
    if partners:
        each = [results.partnership(entrant, other) for entrant in chosen for other in order]
        rows = [row for row in each if row.tables or row.entrant != row.partner]
    else:
        rows = [results.versus(x, other) for x in chosen for other in order if other != x]
    own = [results.own_partner(entrant) for entrant in chosen] if partners else []
    if as_json:
        document: dict[str, object] = {"name": name, "rows": [asdict(row) for row in rows]}
        if partners:
            document["own_partner"] = [asdict(row) for row in own]
        print_json("moon.tournament.h2h/1", document)
    elif as_csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(asdict(rows[0]))
        writer.writerows(asdict(row).values() for row in rows)
    else:
        _print_rows(rows)
        _print_own(own)


def _print_rows(rows: Sequence[Versus | Partnership]) -> None:
    grid = Grid(
        Column("entrant", is_text=True),
        Column("against" if isinstance(rows[0], Versus) else "with", is_text=True),
        Column("blocks", spare=5),
        Column("tables", spare=2),
        Column("ahead", spare=1),
        Column("level", spare=3),
        Column("behind", spare=4),
        Column("pts/deal"),
        Column("95%"),
    )
    for row in rows:
        grid.add_row(
            row.entrant,
            row.other if isinstance(row, Versus) else row.partner,
            str(row.blocks),
            str(row.tables),
            str(row.ahead),
            str(row.level),
            str(row.tables - row.ahead - row.level),
            "-" if row.difference is None else f"{row.difference:+z.2f}",
            _interval(row.low, row.high),
        )
    out = console()
    out.print(grid)
    ahead = "the entrant was ahead of the other"
    if isinstance(rows[0], Partnership):
        ahead = "the two were ahead of the other side"
    out.print(
        f"pts/deal: by how much {ahead}, in points a deal; not the entrant's own points, as in "
        "the standings"
    )
    out.print(
        "a short match counts as much as a long one: it is the mean over tables, then over blocks, "
        "while the standings share all points among all deals"
    )
    out.print(
        f"95%: a block is one observation; - with fewer than {FEW} blocks, or if all are alike"
    )


def _print_own(rows: Sequence[OwnPartner]) -> None:
    known = [row for row in rows if row.bonus is not None]
    if not known:
        return
    grid = Grid(Column("entrant", is_text=True), Column("bonus"), Column("95%"))
    for row in known:
        grid.add_row(row.entrant, f"{row.bonus:+.2f}", _interval(row.low, row.high))
    out = console()
    out.print("\nas its own partner, points a deal beyond what skills of partners add up to:")
    out.print(grid)


def _interval(low: float | None, high: float | None) -> str:
    return "-" if low is None or high is None else f"{low:+z.2f} to {high:+z.2f}"
