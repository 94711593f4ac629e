"""`moon bot cert`: certificates for remote bots."""

from __future__ import annotations

from pathlib import Path

import click

from referee.bots.certificates import BOT_DAYS, MOST_DAYS, make_arena, make_bot
from referee.errors import ConfigError, MoonError
from referee.text import counted


@click.command()
@click.argument("name", required=False)
@click.option("--dir", "folder", type=click.Path(file_okay=False, path_type=Path), default="tls",
              show_default=True, metavar="DIR", help="Where the arena keeps them.")  # fmt: skip
@click.option("--host", "hosts", multiple=True, metavar="HOST",
              help="The bot's machine, for other programs that call it; repeatable.")  # fmt: skip
@click.option("--days", type=click.IntRange(1, MOST_DAYS), default=BOT_DAYS, show_default=True,
              help="How long a bot's certificate is good for.")  # fmt: skip
def cert(name: str | None, folder: Path, hosts: tuple[str, ...], days: int) -> None:
    """Make the certificates of an arena, or with NAME those of one bot.

    Without NAME: the arena's own authority and the referee's certificate, where they are missing.
    With NAME: a folder for the author of that bot, who serves with it; the name is the one in
    front of its address, far=grpc://HOST:PORT. Nothing that is there is overwritten.

    Needs the package cryptography: pip install 'moon-league[remote]', or in a checkout
    pip install '.[remote]'.
    """
    _require_library()
    if name is not None:
        home, life = make_bot(folder, name, hosts, days), counted(days, "day")
        click.echo(f"{home}: good for {life}; hand this folder to the author of {home.name}")
        click.echo(f"  the bot:     python bot.py --host 0.0.0.0 --port 5042 --tls {home.name}")
        click.echo(f"  the referee: --tls {folder}, and the bot is {home.name}=grpc://HOST:5042")
        return
    if hosts:
        raise ConfigError(None, "--host", "belongs to the certificate of a bot; give its NAME")
    made = make_arena(folder)
    click.echo(f"{folder}: the arena's certificates are {'made' if made else 'there already'}")


def _require_library() -> None:
    """Says how to install what makes certificates, if it is not here.

    Raises:
        MoonError: with both ways, that of a checkout too.
    """
    try:
        import cryptography  # noqa: F401, PLC0415 - only an organiser needs it
    except ImportError:
        raise MoonError(
            "certificates are made with the package cryptography; pip install "
            "'moon-league[remote]', or in a checkout pip install '.[remote]'"
        ) from None
