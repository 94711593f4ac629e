"""`moon bot`: what the author of a bot, and who lets strangers' bots play, needs."""

from __future__ import annotations

import click

from tournaments.cli.lazy import Lazy, LazyGroup

COMMANDS = {
    "new": Lazy("tournaments.cli.bot_new:new", "Begin a bot, in Python or for Node."),
    "check": Lazy("tournaments.cli.bot_check:check", "Try whether a bot does what it must."),
    "zoo": Lazy("tournaments.cli.zoo:zoo", "Try hostile bots on this machine."),
    "cert": Lazy("tournaments.cli.bot_cert:cert", "Make the certificates of remote bots."),
    "token": Lazy("tournaments.cli.bot_token:token", "Make the token of a bot that dials in."),
}


@click.group(cls=LazyGroup, lazy=COMMANDS)
def bot() -> None:
    """Work on a bot, and try what hostile ones can do here."""
