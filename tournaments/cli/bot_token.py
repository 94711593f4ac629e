"""`moon bot token`: the token with which a bot dials in."""

from __future__ import annotations

from pathlib import Path

import click

from referee.bots.remotes import gateway_folder
from referee.bots.tokens import make_token


@click.command()
@click.argument("name")
@click.option("--dir", "folder", type=click.Path(file_okay=False), metavar="DIR",
              help="The folder of moon serve-bots; by default one of this user.")  # fmt: skip
@click.option("--renew", is_flag=True, help="Replace the token that the bot has.")
def token(name: str, folder: str | None, renew: bool) -> None:
    """Make the token with which the bot NAME dials in, and write it to standard output.

    Only a hash is kept, so it is shown this once. The bot then plays as dial:NAME.
    """
    click.echo(make_token(Path(gateway_folder(folder)), name, renew=renew))
