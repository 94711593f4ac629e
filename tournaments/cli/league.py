"""`moon league`: the office of a league."""

from __future__ import annotations

import click

from tournaments.cli.lazy import Lazy, LazyGroup

COMMANDS = {
    "init": Lazy("tournaments.cli.league_init:init", "Make the folder of a new league."),
    "submit": Lazy("tournaments.cli.league_submit:submit", "Take a bot in, if it plays cleanly."),
    "bots": Lazy("tournaments.cli.league_bots:bots", "List the entries, and say who plays."),
}


@click.group(cls=LazyGroup, lazy=COMMANDS)
def league() -> None:
    """Keep a league: its terms, its entries and its nights, in a folder."""
