"""`moon lab deals`: the deals that show how somebody bids."""

from __future__ import annotations

import csv
import sys

import click

from referee.errors import ConfigError
from tournaments.cli.formats import one_format
from tournaments.cli.lab_findings import replay_command
from tournaments.cli.lab_stores import csv_option, of_option, stores_argument, studied
from tournaments.cli.options import json_option
from tournaments.cli.terminal import console, print_json
from tournaments.lab import KINDS, Example
from tournaments.reports.grids import Column, Grid


@click.command()
@stores_argument
@click.option("--kind", type=click.Choice(list(KINDS)), default="over", show_default=True,
              help="over: bid more than another with the same hand, and was set; missed: bid less "
              "than another, who made it; moon: shot the moon.")  # fmt: skip
@of_option
@click.option("--level", metavar="BID", default="", help="Only this bid, such as 5 or 21.")
@click.option("--most", type=click.IntRange(1), default=5, show_default=True,
              help="How many for each entrant at each bid, the costliest first; the list is as "
              "long as all of them together.")  # fmt: skip
@json_option
@csv_option
def deals(
    stores: tuple[str, ...],
    named: tuple[str, ...],
    kind: str,
    only: str | None,
    level: str,
    most: int,
    as_json: bool,
    as_csv: bool,
) -> None:
    """List deals, with the command that draws each.

    The cost is in net points: what the entrant got less than the other with the same hand, or with
    a moon, what it lost to its table.
    """
    one_format(as_json=as_json, as_csv=as_csv)
    laboratory = studied((*stores, *named), only, examples=most)
    levels = [str(bid) for bid in laboratory.rules.bids]
    if level and level not in levels:
        problem = f"{level!r} is no bid of these rules; there are {', '.join(levels)}"
        raise ConfigError(None, "--level", problem)
    found = list(laboratory.shelf.examples(kind, only or "", level))
    if as_json:
        print_json("moon.lab.deals/1", {"deals": [example._asdict() for example in found]})
    elif as_csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(Example._fields)
        writer.writerows(found)
    elif found:
        screen = console()
        screen.print(_grid(found))
        screen.print()
        for line in _legend(kind):
            screen.print(line, soft_wrap=True)
    else:
        console().print(f"nobody {KINDS[kind]}" + (f" at {level}" if level else ""))


def _grid(found: list[Example]) -> Grid:
    grid = Grid(
        Column("entrant", is_text=True),
        Column("bid"),
        Column("the other", is_text=True, spare=2),
        Column("at", is_text=True, spare=2),
        Column("bid", spare=1),
        Column("cost"),
        Column("to see it", is_text=True),
    )
    for example in found:
        grid.add_row(
            example.entrant,
            example.bid,
            example.other or "-",
            example.other_table or "-",
            example.other_bid or "-",
            f"{example.cost:.1f}",
            replay_command(example),
        )
    return grid


def _legend(kind: str) -> list[str]:
    """Returns what the columns are, and in which unit."""
    net = "net points (its points less the mean of the other sides') of that deal"
    if kind == "moon":
        return [f"cost: what the entrant lost to its table, in {net}; below 0 it won"]
    return [
        "the other, at: who held the same hand at the same place of the auction, at which table",
        f"cost: what the entrant got less than the other, in {net}",
    ]
