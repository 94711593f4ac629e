"""`moon bot`: what belongs to one bot."""

from __future__ import annotations

import click

from tournaments.cli.lazy import Lazy, LazyGroup

COMMANDS = {
    "cert": Lazy("tournaments.cli.bot_cert:cert", "Make the certificates of remote bots."),
    "token": Lazy("tournaments.cli.bot_token:token", "Make the token of a bot that dials in."),
}


@click.group(cls=LazyGroup, lazy=COMMANDS)
def bot() -> None:
    """Make what a bot needs to take part."""
