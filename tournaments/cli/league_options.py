"""How commands name the league that they work on."""

from __future__ import annotations

from pathlib import Path

import click

from tournaments.league.config import FILE
from tournaments.league.folder import League

league_option = click.option(
    "--league", "folder", type=click.Path(path_type=Path), metavar="DIR",
    help="The folder of the league; the one we are in if nothing is said.",
)  # fmt: skip


def open_league(folder: Path | None) -> League:
    """Returns the league at *folder*, or the one in or below whose folder we are.

    Raises:
        NotFoundError: if there is none.
    """
    if folder is not None:
        return League.open(folder)
    here = Path.cwd()
    found = (place for place in (here, *here.parents) if (place / FILE).is_file())
    return League.open(next(found, here))
