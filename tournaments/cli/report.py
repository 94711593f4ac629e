"""`moon report`: a run as a page for a browser."""

from __future__ import annotations

import click
from rich.progress import Progress

from tournaments.cli.page_files import page_option, write_page
from tournaments.cli.patience import Patience
from tournaments.cli.stores import open_store, store_argument
from tournaments.cli.terminal import console
from tournaments.pages.night import read_night
from tournaments.pages.report_page import report_page


@click.command()
@store_argument
@page_option
def report(where: str | None, named: str | None, out: str | None) -> None:
    """Write the report of a run as one page that needs nothing else, not even a network.

    Faults come first, then the standings and how sure they are, ratings over the night, who did how
    against whom, seats, bidding, times, and awards with the deals they are for.
    """
    with open_store(where, named) as store:
        with Patience("tables", store.counts().played) as patience:
            stderr = console(stderr=True)
            with Progress(console=stderr, transient=True, disable=not stderr.is_terminal) as bar:
                task = bar.add_task("intervals", visible=False)
                night = read_night(
                    store,
                    patience.step,
                    lambda done, total: bar.update(task, completed=done, total=total, visible=True),
                )
        page = report_page(store.run, night)
        write_page(page, out, f"{store.path.stem}.html")
