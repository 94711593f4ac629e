"""`moon report`: a run, or a night of a league, as a page for a browser."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import click
from rich.progress import Progress

from referee.errors import ConfigError
from tournaments.cli.page_files import page_option, write_page
from tournaments.cli.patience import Patience
from tournaments.cli.stores import league_at, night_at, store_named
from tournaments.cli.terminal import console
from tournaments.league.folder import League
from tournaments.league.nights import NightFile, last_night, night_of, rescinded
from tournaments.pages.night import Night, read_night
from tournaments.pages.report_page import report_page
from tournaments.schedule import TableId
from tournaments.store import Store


@click.command()
@click.argument("where", required=False, metavar="[STORE | FILE.toml | LEAGUE]")
@click.option("--store", "named", metavar="FILE", help="The store of the run.")
@click.option("--night", "number", type=click.IntRange(1), metavar="N",
              help="Which night of a league; the last one if nothing is said.")  # fmt: skip
@page_option
def report(where: str | None, named: str | None, number: int | None, out: str | None) -> None:
    """Write the report of a run as one page that needs nothing else, not even a network.

    Faults come first, then the standings and how sure they are, ratings over the night, who did how
    against whom, seats, bidding, times, and awards with the deals they are for. Of a league it is
    the report of a night, without the tables that were rescinded, in its folder reports.
    """
    folder = None if where is None or named is not None else league_at(where)
    if folder is not None:
        _report_night(League.open(folder), number, out)
        return
    if number is not None:
        raise ConfigError(None, "--night", "is for the folder of a league, and none is named")
    path = store_named(where, named)
    if (found := night_at(path)) is not None:
        write_page(_night_page(*found), out, f"{path.stem}.html")
        return
    with Store.open(path) as store:
        page = report_page(store.run, _read(store))
    write_page(page, out, f"{path.stem}.html")


def _report_night(league: League, number: int | None, out: str | None) -> None:
    night = last_night(league) if number is None else night_of(league, number)
    page = _night_page(league, night)
    if out is None:
        _make(league.reports)
    write_page(page, out, str(league.reports / f"{night.name}.html"))


def _night_page(league: League, night: NightFile) -> str:
    """Returns the report of *night*, by its league and without what was rescinded in it."""
    tables = {table for each, table in rescinded(league) if each == night.number}
    with Store.open(night.path) as store:
        title = f"{league.config.name}, night {night.number}"
        return report_page(store.run, _read(store, tables), title)


def _make(folder: Path) -> None:
    """Makes *folder* if it is gone: what is in it can be made again, so people delete it."""
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        problem = f"cannot be made: {(error.strerror or '').lower()}"
        raise ConfigError(folder, None, problem) from None


def _read(store: Store, out: Collection[TableId] = ()) -> Night:
    """Returns what the report tells, with progress on a terminal."""
    stderr = console(stderr=True)
    with (
        Patience("tables", store.counts().played) as patience,
        Progress(console=stderr, transient=True, disable=not stderr.is_terminal) as bar,
    ):
        task = bar.add_task("intervals", visible=False)
        return read_night(
            store,
            patience.step,
            lambda done, total: bar.update(task, completed=done, total=total, visible=True),
            out,
        )
