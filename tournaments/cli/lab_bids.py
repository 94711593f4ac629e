"""`moon lab bids`: every number of the laboratory."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable
from dataclasses import asdict, fields

import click

from referee.rules import Bid
from tournaments.cli.formats import one_format
from tournaments.cli.lab_findings import finding_lines, findings_document
from tournaments.cli.lab_stores import csv_option, heading, of_option, stores_argument, studied
from tournaments.cli.options import json_option
from tournaments.cli.terminal import console, print_json
from tournaments.lab import GROUPINGS, MEASURES, TOPICS, Figure, Laboratory
from tournaments.lab.observing import ALL
from tournaments.rating.student import FEW
from tournaments.reports.grids import Column, Grid

PARTS = {
    "bids": (("bid",),),
    "contracts": (("played",), ("made", "tricks", "surplus", "points", "net")),
    "exchange": (("taken",), ("kept", "gain"), ("made", "net")),
    "trumps": (("named",), ("made", "net")),
    "defence": (("set",),),
    "choices": (("more",),),
    "moon": (("right", "more"),),
    "missed": (("missed",), ("cost",)),
}
"""By topic: the measures that stand in one table, as they are means of the same observations."""


@click.command()
@stores_argument
@of_option
@click.option("--topic", "topics", type=click.Choice(list(TOPICS)), multiple=True,
              help="Show only this; may be given several times.")  # fmt: skip
@click.option("--by", type=click.Choice(list(GROUPINGS)), multiple=True,
              help="Tell apart places in the auction, seats, or states of the match.")  # fmt: skip
@json_option
@csv_option
def bids(
    stores: tuple[str, ...],
    named: tuple[str, ...],
    only: str | None,
    topics: tuple[str, ...],
    by: tuple[str, ...],
    as_json: bool,
    as_csv: bool,
) -> None:
    """Show how everybody bids, and what it is worth, number by number.

    Shares are from 0 to 1. Net points are the points of a side less the mean of the other sides'.
    Deals with a fault are left out. `--by score` tells apart how a match stands for the bidder:
    open, near (it can reach the target with one contract), threatened (others can), or both.
    """
    one_format(as_json=as_json, as_csv=as_csv)
    laboratory = studied((*stores, *named), only, by)
    wanted = [topic for topic in TOPICS if not topics or topic in topics]
    found = [row for topic in wanted for row in laboratory.figures(topic, entrant=only or "")]
    if as_json:
        counts = asdict(laboratory.counts)
        body = {"read": counts, "by": list(by), "figures": [asdict(row) for row in found]}
        print_json("moon.lab.bids/1", {**body, "findings": findings_document(laboratory, only)})
    elif as_csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(field.name for field in fields(Figure))
        writer.writerows(asdict(row).values() for row in found)
    else:
        _print(laboratory, wanted, found, only)


def _print(
    laboratory: Laboratory, topics: Iterable[str], found: list[Figure], only: str | None
) -> None:
    screen = console()
    screen.print(heading(laboratory), soft_wrap=True)
    for topic in topics:
        parts = [
            [row for row in found if row.topic == topic and row.measure in part]
            for part in PARTS[topic]
        ]
        if any(parts):
            screen.print(f"\n{TOPICS[topic]}", style="bold", soft_wrap=True)
        for part in filter(None, parts):
            screen.print()
            screen.print(_grid(part, is_grouped=bool(laboratory.by)))
    screen.print()
    shown = {row.measure for row in found}
    legend = legend_lines(name for name in MEASURES if name in shown)
    if any(row.what == str(Bid.MOON) for row in found):
        legend.append(f"{Bid.MOON}: the moon")
    for line in (*legend, "", *finding_lines(laboratory, only)):
        screen.print(line, soft_wrap=True)


def _grid(rows: list[Figure], *, is_grouped: bool) -> Grid:
    """Returns a table of numbers, those of the same observations in one line."""
    measures = [name for name in MEASURES if any(row.measure == name for row in rows)]
    is_against = any(row.against for row in rows)
    grid = Grid(
        Column("entrant", is_text=True),
        *([Column("against", is_text=True)] if is_against else []),
        *([Column("when", is_text=True)] if is_grouped else []),
        Column("what", is_text=True),
        *(Column(f"{name} (95 %)", spare=at) for at, name in enumerate(measures)),
        Column("count"),
        Column("blocks", spare=1),
    )
    lines: dict[tuple[str, ...], dict[str, Figure]] = {}
    for row in rows:
        lines.setdefault((row.entrant, row.against, row.group, row.what), {})[row.measure] = row
    for (entrant, against, group, what), line in lines.items():
        first = next(iter(line.values()))
        grid.add_row(
            entrant,
            *([against or ALL] if is_against else []),
            *([group] if is_grouped else []),
            what,
            *(cell(line[name]) for name in measures),
            str(first.count),
            str(first.blocks),
        )
    return grid


def cell(row: Figure) -> str:
    """Returns a number and its interval, as people read them.

    Of fewer than `FEW` blocks there is none: it would be about as wide as what is possible.
    """
    if row.low is None or row.high is None or row.blocks < FEW:
        return f"{row.value:z.2f} (-)"
    return f"{row.value:z.2f} ({row.low:z.2f} to {row.high:z.2f})"


def legend_lines(measures: Iterable[str]) -> list[str]:
    """Returns a line for each of *measures* that says what it is, and one for the intervals."""
    lines = [f"{name} ({MEASURES[name].unit}): {MEASURES[name].about}" for name in measures]
    return [*lines, f"(-): no interval, of fewer than {FEW} blocks, or as all are alike"]
