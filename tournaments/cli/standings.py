"""`moon tournament standings`: who is ahead, and how surely."""

from __future__ import annotations

import csv
import sys
from typing import NamedTuple

import click
from rich.progress import Progress

from referee.errors import ConfigError
from tournaments.cli.formats import one_format
from tournaments.cli.options import json_option
from tournaments.cli.stores import open_store, store_argument
from tournaments.cli.terminal import console, print_json
from tournaments.lab.adjusting import Adjusted
from tournaments.measured import Measured
from tournaments.rating import RatingError, SecondOpinions
from tournaments.reports.host_report import host_lines
from tournaments.reports.luck_report import luck_document, luck_lines
from tournaments.reports.marks import mark_lines
from tournaments.reports.opinions_report import opinion_parts, opinions_document
from tournaments.reports.standings_report import (
    csv_rows,
    detail_tables,
    heading,
    not_separated,
    standings_document,
    standings_table,
)
from tournaments.round_trips import ROUND_TRIP, RoundTrip, latest
from tournaments.standings import Results, Standings
from tournaments.store import Store


@click.command()
@store_argument
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Write one line for each entrant as CSV.")
@click.option("--opinions", is_flag=True,
              help="Show another model, and whether the order would change.")  # fmt: skip
@click.option("--details", is_flag=True, help="Show bids by level, seats, times and the host too.")
def standings(
    where: str | None,
    named: str | None,
    as_json: bool,
    as_csv: bool,
    opinions: bool,
    details: bool,
) -> None:
    """Show the standings of a run.

    Ratings are TrueSkill over all results at once, the same for any order of the tables. Intervals
    come from drawing whole blocks again: the tables of a block share their deals. All intervals of
    ranks hold at once with 95 % confidence.
    """
    one_format(as_json=as_json, as_csv=as_csv)
    with open_store(where, named) as store:
        print_standings(store, as_json=as_json, as_csv=as_csv, details=details, opinions=opinions)


def print_standings(
    store: Store,
    *,
    as_json: bool = False,
    as_csv: bool = False,
    details: bool = False,
    opinions: bool = False,
) -> None:
    """Writes the standings of *store* to standard output."""
    run = store.run
    fingerprint = store.start_fingerprint()
    adjusted = None if run.luck is None else Adjusted(run.rules, run.luck)
    outcomes = store.outcomes(
        records=adjusted is not None, timings=as_json or details, fingerprint=fingerprint
    )
    if adjusted is not None:
        outcomes = adjusted.watch(outcomes)
    results = Results(run.rules, *run.pattern(), outcomes)
    if opinions:
        _check_opinions(results)
    stderr = console(stderr=True)
    with Progress(console=stderr, transient=True, disable=not stderr.is_terminal) as bar:
        task = bar.add_task("intervals")
        table = results.standings(lambda done, total: bar.update(task, completed=done, total=total))
    second = _opinions(results, table) if opinions else None
    if as_json:
        measured = _measured(store)
        document = standings_document(run, fingerprint.hexdigest(), table, measured)
        document["round_trips"] = [trip.document() for trip in _round_trips(store)]
        if adjusted is not None:
            document["luck"] = luck_document(adjusted)
        if opinions:
            document["opinions"] = None if second is None else opinions_document(second)
        print_json("moon.tournament.standings/1", document)
    elif as_csv:
        csv.writer(sys.stdout, lineterminator="\n").writerows(csv_rows(table, adjusted))
    else:
        shown = _Shown(table, fingerprint.hexdigest(), second, adjusted)
        _print_for_people(store, shown, details=details)


def _check_opinions(results: Results) -> None:
    if results.has_partners:
        problem = "are not for bots whose partners change; leave it out"
        raise ConfigError(None, "--opinions", problem)


def _opinions(results: Results, table: Standings) -> SecondOpinions | None:
    """Returns second opinions, or ``None`` and says why: the standings do not hang on them."""
    try:
        return results.opinions([row.entrant for row in table.ranks.entrants])
    except RatingError as error:
        told = f"--opinions: there are none of these results: {error}; the standings hold without"
        console(stderr=True).print(told, soft_wrap=True, markup=False)
        return None


class _Shown(NamedTuple):
    """What is printed for people."""

    table: Standings
    fingerprint: str
    second: SecondOpinions | None
    adjusted: Adjusted | None


def _print_for_people(store: Store, shown: _Shown, *, details: bool) -> None:
    run, table, screen = store.run, shown.table, console()
    screen.print(heading(run, table), soft_wrap=True)
    if not table.played:
        screen.print("no table is finished yet; run the command that began it again to continue")
        return
    screen.print(standings_table(table, shown.adjusted))
    marks = mark_lines(run.inside, run.remote, is_held=run.is_held)
    luck = () if shown.adjusted is None else luck_lines(shown.adjusted)
    for line in (*marks, *not_separated(table), *luck, f"fingerprint {shown.fingerprint}"):
        screen.print(line, soft_wrap=True)
    for part in opinion_parts(shown.second, table.ranks) if shown.second is not None else ():
        screen.print()
        screen.print(part, soft_wrap=isinstance(part, str))
    for grid in detail_tables(table) if details else ():
        screen.print()
        screen.print(grid)
    if details and (lines := host_lines(table.overhead, _measured(store) or Measured())):
        screen.print()
        for line in lines:
            screen.print(line, soft_wrap=True)
    for trip in _round_trips(store) if details else ():
        screen.print(f"{ROUND_TRIP} to {trip}", soft_wrap=True)


def _measured(store: Store) -> Measured | None:
    """Returns what was measured of the host when the run was last continued."""
    return Measured.of_notes(note.text for note in store.notes() if note.kind == "measured")


def _round_trips(store: Store) -> list[RoundTrip]:
    """Returns how far away the remote bots were when the run was last continued."""
    return latest(note.text for note in store.notes() if note.kind == ROUND_TRIP)
