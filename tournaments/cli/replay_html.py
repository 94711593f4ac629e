"""`moon replay html`: a match as a page for a browser."""

from __future__ import annotations

from pathlib import Path

import click

from tournaments.cli.page_files import page_option, write_page
from tournaments.cli.replay import STORE, TABLE, place_of
from tournaments.pages.loading import load_replay
from tournaments.pages.match_page import match_page
from tournaments.reports.reading import STDIN


@click.command()
@click.argument("where", required=False, metavar="[FILE | STORE | -]")
@STORE
@TABLE
@page_option
def html(where: str | None, named: str | None, table: str | None, out: str | None) -> None:
    """Write a match as one page that needs nothing else, not even a network.

    It is watched decision by decision from above the table, with the arrow keys, or read deal by
    deal without any script. An address that ends in #d3.58 opens at decision 58, in deal 3.
    """
    place = place_of(where, named)
    replay = load_replay(place, table)
    stem = "replay" if place == STDIN else Path(place).stem
    name = f"{stem}-{replay.table}.html" if replay.table else f"{stem}.html"
    write_page(match_page(replay), out, name)
