"""`moon league`: the office of a league."""

from __future__ import annotations

import click

from tournaments.cli.lazy import Lazy, LazyGroup

COMMANDS = {
    "init": Lazy("tournaments.cli.league_init:init", "Make the folder of a new league."),
    "submit": Lazy("tournaments.cli.league_submit:submit", "Take a bot in, if it plays cleanly."),
    "bots": Lazy("tournaments.cli.league_bots:bots", "List the entries, and say who plays."),
    "seal": Lazy("tournaments.cli.league_seal:seal", "Publish a commitment to the next deals."),
    "night": Lazy("tournaments.cli.league_night:night", "Play a night, round by round."),
    "standings": Lazy("tournaments.cli.league_standings:standings", "Rank all over all nights."),
    "history": Lazy("tournaments.cli.league_standings:history_command", "Follow one entry."),
    "nights": Lazy("tournaments.cli.league_standings:nights", "List the nights."),
    "challenge": Lazy("tournaments.cli.league_challenge:challenge", "Let entries meet, unrated."),
    "rescind": Lazy("tournaments.cli.league_seal:rescind_command", "Take a table out of it all."),
}


@click.group(cls=LazyGroup, lazy=COMMANDS)
def league() -> None:
    """Keep a league: its terms, its entries and its nights, in a folder."""
