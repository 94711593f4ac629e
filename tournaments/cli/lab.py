"""`moon lab`: what bidding is worth."""

from __future__ import annotations

import click

from tournaments.cli.lazy import Lazy, LazyGroup

COMMANDS = {
    "cross": Lazy("tournaments.cli.lab_cross:cross", "Cross how bots bid with how they play."),
}


@click.group(cls=LazyGroup, lazy=COMMANDS)
def lab() -> None:
    """Study how everybody bids, and what it is worth."""
