"""`moon tournament`: plans and runs one, and reads what came of it."""

from __future__ import annotations

import click

from tournaments.cli.lazy import Lazy, LazyGroup

COMMANDS = {
    "plan": Lazy("tournaments.cli.plan:plan", "Show who will meet whom, how evenly, how long."),
    "run": Lazy("tournaments.cli.run:run", "Play what is missing of a tournament."),
    "standings": Lazy("tournaments.cli.standings:standings", "Show who is ahead, and how surely."),
    "h2h": Lazy("tournaments.cli.h2h:h2h", "Show how everybody did against everybody."),
    "show": Lazy("tournaments.cli.show:show", "Show one table, or the run as a whole."),
    "close": Lazy("tournaments.cli.close:close", "End a run for good and publish its seed."),
    "export": Lazy("tournaments.cli.export:export", "Write all results as JSON lines or CSV."),
}


@click.group(cls=LazyGroup, lazy=COMMANDS)
def tournament() -> None:
    """Plan and run a tournament, and read what came of it."""
