"""`moon league seal` and `rescind`: what an organiser publishes before and after a night."""

from __future__ import annotations

from pathlib import Path

import click

from tournaments.cli.league_options import league_option, open_league
from tournaments.cli.options import json_option
from tournaments.cli.terminal import print_json
from tournaments.league.nights import TABLE, rescind, seal_night, settle


@click.command()
@league_option
@json_option
def seal(folder: Path | None, as_json: bool) -> None:
    """Publish a commitment to the deals of the next night, before anybody has played.

    The seed is drawn now and stays in the store of the night until that is over; then it is
    published and opens the seal. Until then the same is shown again.
    """
    league = open_league(folder)
    settle(league)
    night, commitment = seal_night(league)
    if as_json:
        told = {"league": league.config.name, "night": night.number, "commitment": commitment}
        print_json("moon.league.seal/1", told)
        return
    click.echo(f"{night.name}: {commitment}")


@click.command(name="rescind")
@click.argument("match", metavar=TABLE)
@click.option("--why", required=True, metavar="TEXT", help="The reason; it is published.")
@league_option
@json_option
def rescind_command(match: str, why: str, folder: Path | None, as_json: bool) -> None:
    """Take a table out of all standings, as in 2/17.1.

    Standings are worked out again without it. The record stays where it is, and a line in the log
    of the league says what was taken out and why.
    """
    league = open_league(folder)
    number, table = rescind(league, match, why)
    if as_json:
        print_json("moon.league.rescind/1", {"night": number, "table": table, "why": why})
        return
    click.echo(f"table {table} of night {number} counts no more: {why}")
