"""`moon tournament standings`: who is ahead, and how surely."""

from __future__ import annotations

import csv
import sys

import click
from rich.progress import Progress

from tournaments.cli.options import json_option
from tournaments.cli.stores import open_store, store_argument
from tournaments.cli.terminal import console, print_json
from tournaments.measured import Measured
from tournaments.reports.host_report import host_lines
from tournaments.reports.marks import mark_lines
from tournaments.reports.standings_report import (
    csv_rows,
    detail_tables,
    heading,
    not_separated,
    standings_document,
    standings_table,
)
from tournaments.round_trips import ROUND_TRIP, RoundTrip, latest
from tournaments.standings import Results
from tournaments.store import Store


@click.command()
@store_argument
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Write one line for each entrant as CSV.")
@click.option("--details", is_flag=True, help="Show bids by level, seats, times and the host too.")
def standings(
    where: str | None, named: str | None, as_json: bool, as_csv: bool, details: bool
) -> None:
    """Show the standings of a run.

    Ratings are TrueSkill over all results at once, the same for any order of the tables. Intervals
    come from drawing whole blocks again: the tables of a block share their deals. All intervals of
    ranks hold at once with 95 % confidence.
    """
    with open_store(where, named) as store:
        print_standings(store, as_json=as_json, as_csv=as_csv, details=details)


def print_standings(
    store: Store, *, as_json: bool = False, as_csv: bool = False, details: bool = False
) -> None:
    """Writes the standings of *store* to standard output."""
    run = store.run
    fingerprint = store.start_fingerprint()
    outcomes = store.outcomes(timings=as_json or details, fingerprint=fingerprint)
    results = Results(run.rules, *run.pattern(), outcomes)
    stderr = console(stderr=True)
    with Progress(console=stderr, transient=True, disable=not stderr.is_terminal) as bar:
        task = bar.add_task("intervals")
        table = results.standings(lambda done, total: bar.update(task, completed=done, total=total))
    measured = Measured.of_notes(note.text for note in store.notes() if note.kind == "measured")
    if as_json:
        document = standings_document(run, fingerprint.hexdigest(), table, measured)
        document["round_trips"] = [trip.document() for trip in _round_trips(store)]
        print_json("moon.standings/1", document)
        return
    if as_csv:
        csv.writer(sys.stdout, lineterminator="\n").writerows(csv_rows(table))
        return
    screen = console()
    screen.print(heading(run, table), soft_wrap=True)
    screen.print(standings_table(table))
    marks = mark_lines(run.inside, run.remote, is_held=run.is_held)
    for line in (*marks, *not_separated(table), f"fingerprint {fingerprint.hexdigest()}"):
        screen.print(line, soft_wrap=True)
    for grid in detail_tables(table) if details else ():
        screen.print()
        screen.print(grid)
    if details and (lines := host_lines(table.overhead, measured or Measured())):
        screen.print()
        for line in lines:
            screen.print(line, soft_wrap=True)
    for trip in _round_trips(store) if details else ():
        screen.print(f"{ROUND_TRIP} to {trip}", soft_wrap=True)


def _round_trips(store: Store) -> list[RoundTrip]:
    """Returns how far away the remote bots were when the run was last continued."""
    return latest(note.text for note in store.notes() if note.kind == ROUND_TRIP)
