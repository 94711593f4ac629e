"""`moon league submit`: takes a bot into a league."""

from __future__ import annotations

from pathlib import Path

import click

from referee.bots.sandbox import Tier, check_tier, close_to_bots
from referee.bots.terms import freezes_idle_bots
from tournaments.cli.league_options import league_option, open_league
from tournaments.cli.options import json_option
from tournaments.cli.signals import run_tidily
from tournaments.cli.terminal import print_json
from tournaments.holding import held_text, unkept_lines
from tournaments.league.entries import figures
from tournaments.league.qualifying import TABLES_IN_FLIGHT
from tournaments.league.submitting import Submitted
from tournaments.league.submitting import submit as submit_bot


@click.command()
@click.argument("bot", metavar="PATH")
@click.option("--as", "name", metavar="NAME", help="What it is called; else as it calls itself.")
@click.option(
    "--author", metavar="WHO", help="Whose it is; of a new version, whose the last one is."
)
@league_option
@json_option
def submit(
    bot: str, name: str | None, author: str | None, folder: Path | None, as_json: bool
) -> None:
    """Take the bot at PATH into the league, if it plays without a fault.

    PATH is a folder with a bot.toml, a .py file, or a bot that comes with the program. Its files
    are copied, its build command is run once, it is checked as by `moon bot check`, and it plays
    against itself and every bot that comes with the program, all held by the sandbox and the clock
    of the league. Whoever passes is
    entered as that very copy; a name that is there already becomes a new version. Otherwise it is
    said what went wrong, and the league stays as it was.
    """
    league = open_league(folder)
    close_to_bots()
    tier = league.config.sandbox.tier
    probe = check_tier(tier)
    freezes = freezes_idle_bots(league.config.clock, TABLES_IN_FLIGHT, ponder=False)
    _say(held_text(league.config.sandbox, freezes=freezes))
    for line in unkept_lines(probe) if tier is not Tier.NONE else ():
        _say(line)
    done = run_tidily(
        submit_bot(league, bot, Path().absolute(), name=name, author=author, say=_say)
    )
    if as_json:
        print_json("moon.league.submit/1", _document(done))
        return
    entry = done.entry
    click.echo(f"{entry.id} by {entry.author} is entered: content {entry.content[:12]}")


def _say(text: str) -> None:
    click.echo(f"moon: {text}", err=True)


def _document(done: Submitted) -> dict[str, object]:
    matches = [
        {"seats": list(result.seats), "ending": result.ending, "scores": list(result.scores)}
        for result in done.results
    ]
    return {**figures(done.entry), "check": done.check.to_json(), "matches": matches}
