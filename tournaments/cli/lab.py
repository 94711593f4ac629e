"""`moon lab`: how everybody bids, and what it is worth."""

from __future__ import annotations

import click

from tournaments.cli.lazy import Lazy, LazyGroup

COMMANDS = {
    "report": Lazy("tournaments.cli.lab_report:report", "Show who bids too much or too little."),
    "bids": Lazy("tournaments.cli.lab_bids:bids", "Show all numbers, with how sure each is."),
    "deals": Lazy("tournaments.cli.lab_deals:deals", "List the deals that show it."),
    "luck": Lazy("tournaments.cli.lab_luck:luck", "Show what adjusting for luck would save."),
    "cross": Lazy("tournaments.cli.lab_cross:cross", "Cross how bots bid with how they play."),
}


@click.group(cls=LazyGroup, lazy=COMMANDS)
def lab() -> None:
    """Study how everybody bids, from the stores of finished or running tournaments, or by playing.

    The tables of a block replay the same deals with the seats turned, so that two entrants hold the
    same hand at the same place of the auction: what another choice was worth is compared there.
    """
