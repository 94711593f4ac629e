"""`moon lab luck`: the luck of the deal, and what adjusting for it would save."""

from __future__ import annotations

from collections import deque

import click

from tournaments.cli.options import NumberRange, json_option
from tournaments.cli.stores import open_store, store_argument
from tournaments.cli.terminal import console, print_json
from tournaments.evidence.luck import LuckTerms
from tournaments.lab.adjusting import Adjusted
from tournaments.reports.luck_report import luck_document, luck_parts

LEGEND = (
    "luck: tricks a deal that its hands promised beyond the mean of its tables",
    "adjusted: points a deal, less what that luck is worth at so many points a trick",
    "variance saved: by how much less scores vary once they are adjusted",
    "best: the points a trick that save most",
)
"""What the numbers are, and in which unit."""


@click.command()
@store_argument
@click.option("--coefficient", type=NumberRange(0, 21), metavar="POINTS",
              help="Points for a trick; that of the run if nothing is said.")  # fmt: skip
@json_option
def luck(where: str | None, named: str | None, coefficient: float | None, as_json: bool) -> None:
    """Show how lucky everybody was, and what adjusting for luck saves.

    Luck is in tricks a deal: what a hand promises by a count of trumps and doubles, less the mean
    of the table. The best coefficient of a run is for the file of a later one (`luck = 0.4`): one
    that is chosen after the fact makes of luck what one likes. Where partners change nobody's luck
    is told: it is that of a side.
    """
    with open_store(where, named) as store:
        run = store.run
        terms = run.luck or LuckTerms.of(0.0)
        if coefficient is not None:
            terms = LuckTerms.of(coefficient)
        adjusted = Adjusted(run.rules, terms)
        deque(adjusted.watch(store.outcomes(records=True)), maxlen=0)
    if as_json:
        print_json("moon.lab.luck/1", {"name": run.name, **luck_document(adjusted)})
        return
    screen = console()
    for part in luck_parts(adjusted, run.entrants):
        screen.print(part, soft_wrap=isinstance(part, str))
    for line in LEGEND:
        screen.print(line, soft_wrap=True)
    if run.luck is None and coefficient is None:
        screen.print(
            "adjusted is the score itself: the file of this run fixes no number (`luck = POINTS`); "
            "--coefficient POINTS shows what one would do",
            soft_wrap=True,
        )
