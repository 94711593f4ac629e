"""`moon lab luck`: the luck of the deal, and what adjusting for it would save."""

from __future__ import annotations

from collections import deque

import click

from tournaments.cli.options import json_option
from tournaments.cli.stores import open_store, store_argument
from tournaments.cli.terminal import console, print_json
from tournaments.evidence.luck import LuckTerms
from tournaments.lab.adjusting import Adjusted, percent
from tournaments.reports.grids import Column, Grid
from tournaments.reports.numbers import number


@click.command()
@store_argument
@click.option("--coefficient", type=click.FloatRange(0, 21), metavar="POINTS",
              help="Points for a trick; that of the run if nothing is said.")  # fmt: skip
@json_option
def luck(where: str | None, named: str | None, coefficient: float | None, as_json: bool) -> None:
    """Show how lucky everybody was, and what adjusting for luck saves.

    Luck is in tricks a deal: what a hand promises by a count of trumps and doubles, less the mean
    of the table. The best coefficient of a run is for the file of a later one (`luck = 0.4`): one
    that is chosen after the fact makes of luck what one likes.
    """
    with open_store(where, named) as store:
        run = store.run
        terms = run.luck or LuckTerms.of(0.0)
        if coefficient is not None:
            terms = LuckTerms.of(coefficient)
        adjusted = Adjusted(run.rules, terms)
        deque(adjusted.watch(store.outcomes(records=True)), maxlen=0)
    if as_json:
        print_json("moon.lab.luck/1", {"name": run.name, **adjusted.document()})
        return
    grid = Grid(Column("entrant", is_text=True), Column("luck"), Column("adjusted"))
    for entrant in run.entrants:
        lucky = adjusted.luck_per_deal(entrant)
        cell = "-" if lucky is None else f"{lucky:+.3f}"
        grid.add_row(entrant, cell, number(adjusted.points_per_deal(entrant)))
    screen = console()
    screen.print(grid)
    screen.print(
        f"adjusted by {terms.coefficient:g} points a trick; variance saved: "
        f"{percent(adjusted.saved_of_tables)} of single tables, "
        f"{percent(adjusted.saved_of_blocks)} of complete blocks",
        soft_wrap=True,
    )
    best = number(adjusted.best_coefficient)
    screen.print(f"best for single tables here: {best}, for a later tournament", soft_wrap=True)
