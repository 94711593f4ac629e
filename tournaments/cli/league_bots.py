"""`moon league bots`: who is in a league, and who plays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import click

from referee.text import visible
from tournaments.cli.league_options import league_option, open_league
from tournaments.cli.options import json_option
from tournaments.cli.terminal import console, print_json
from tournaments.league.entries import Entry, Event, Status, concerns, figures
from tournaments.league.folder import League
from tournaments.reports.grids import Column, Grid

ENTRY = click.argument("entry", metavar="ENTRY")
_REASON = "The reason; it is published with the entry."
WHY = click.option("--why", default="", metavar="TEXT", help=_REASON)
NEEDED_WHY = click.option("--why", required=True, metavar="TEXT", help=_REASON)


@click.group(invoke_without_command=True)
@click.option("--all", "everybody", is_flag=True, help="Show those too that are retired.")
@league_option
@json_option
@click.pass_context
def bots(context: click.Context, everybody: bool, folder: Path | None, as_json: bool) -> None:
    """List the entries of the league, or change who plays.

    An ENTRY is named by name and version, tall#2, or by its name alone for the newest version.
    """
    context.obj = folder
    if context.invoked_subcommand is not None:
        return
    league = open_league(folder)
    shown = [e for e in league.entries if everybody or e.status is not Status.RETIRED]
    if as_json:
        entries = [figures(entry) for entry in shown]
        print_json("moon.league.bots/1", {"league": league.config.name, "entries": entries})
        return
    _print(league, shown)


@bots.command()
@ENTRY
@league_option
@json_option
@click.pass_obj
def show(given: Path | None, entry: str, folder: Path | None, as_json: bool) -> None:
    """Show one entry, what was done with it, and whether its files are still what was entered."""
    league = open_league(folder or given)
    found = league.entry(entry)
    place = league.bot(found).cwd
    history = _history(league, found)
    if as_json:
        body = {**figures(found), "folder": str(place), "history": history}
        print_json("moon.league.bots.show/1", body)
        return
    screen = console()
    for title, text in (
        ("entry", f"{found.id} by {found.author}, {_state(found)}"),
        ("content", found.content),
        ("files", f"{place} (as they were entered)"),
        (
            "started with",
            " ".join(f"{name}={visible(value)}" for name, value in found.params) or "nothing",
        ),
    ):
        screen.print(f"{title + ':':<14}{text}", soft_wrap=True)
    for event in history:
        why = f": {event['reason']}" if event["reason"] else ""
        screen.print(f"{event['at']}  {event['event']}{why}", soft_wrap=True)


Option: TypeAlias = Callable[[Callable[..., None]], Callable[..., None]]


def _changing(schema: str, event: Event, why: Option, text: str) -> None:
    """Adds a command that changes an entry by *event*, with the option *why*, and writes *schema*.

    It is called by the last word of the schema.
    """
    name = schema.removesuffix("/1").rpartition(".")[2]

    @bots.command(name=name, help=text)
    @ENTRY
    @why
    @league_option
    @json_option
    @click.pass_obj
    def change(
        given: Path | None, entry: str, why: str, folder: Path | None, as_json: bool
    ) -> None:
        changed = open_league(folder or given).change(event, entry, why)
        if as_json:
            print_json(schema, figures(changed))
            return
        click.echo(f"{changed.id} by {changed.author} is {_state(changed)}")


_changing(
    "moon.league.bots.retire/1", Event.RETIRED, WHY,
    "Let an entry play no more; what it has played stays.",
)  # fmt: skip
_changing(
    "moon.league.bots.restore/1", Event.RESTORED, WHY,
    "Let an entry play again that is retired, suspended or disqualified.",
)  # fmt: skip
_changing(
    "moon.league.bots.disqualify/1", Event.DISQUALIFIED, NEEDED_WHY,
    "Throw an entry out of the league, for a reason that is published with it.",
)  # fmt: skip


def _history(league: League, entry: Entry) -> list[dict[str, str]]:
    """Returns what the log says of *entry*, in order."""
    lines = [line for line in league.audit.lines if concerns(line, entry)]
    return [
        {"at": line.at, "event": line.event, "reason": str(line.details.get("reason", ""))}
        for line in lines
    ]


def _state(entry: Entry) -> str:
    return f"{entry.status}: {entry.reason}" if entry.reason else str(entry.status)


def _print(league: League, entries: Sequence[Entry]) -> None:
    screen = console()
    grid = Grid(
        Column("entry"), Column("author"), Column("state", is_text=True),
        Column("content", spare=1), Column("entered", spare=2),
    )  # fmt: skip
    for entry in entries:
        content = entry.content[:12]
        grid.add_row(entry.id, entry.author, _state(entry), content, entry.entered_at[:10])
    if entries:
        screen.print(grid)
    hidden = len(league.entries) - len(entries)
    more = f"; retired and not shown: {hidden} (--all)" if hidden else ""
    text = f"entries shown: {len(entries)}, of which play: {len(league.active)}{more}"
    screen.print(f"{league.config.name}: {text}", soft_wrap=True)
