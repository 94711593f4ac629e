"""What a run shows while it is played: a live table on a terminal, else a line now and then."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace

import click
from rich.console import Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar

from referee.text import counted
from tournaments.cli.live_screen import LiveScreen
from tournaments.cli.pace import Pace, duration
from tournaments.config import TournamentConfig
from tournaments.rating import Game, Rating, SkillModel
from tournaments.rating.preview import Preview
from tournaments.reports.grids import Column, Grid
from tournaments.results import TableResult
from tournaments.schedule import EntrantId
from tournaments.standings import Results
from tournaments.store import Store

REFRESH = 1.0
"""Seconds after which a terminal is brought up to date though no table has ended."""


class Progress(LiveScreen):
    """Shows how far a run is. Use it as a context manager.

    Everything goes to standard error, but for the events that a program may read.
    """

    def __init__(
        self, store: Store, config: TournamentConfig, heartbeat: float, *, events: bool = False
    ) -> None:
        """Makes the display of a run of which some tables may be played already.

        Args:
            store: Where the run is kept.
            config: The tournament.
            heartbeat: Seconds between two lines where there is no terminal.
            events: Whether each table that is stored is told on standard output, as JSON.
        """
        run = store.run
        self._events = events
        super().__init__()
        self._heartbeat = heartbeat
        self._since = time.monotonic()
        # What was played before is rated at once; the preview only goes on from there.
        self._results = Results(run.rules, *run.pattern(), store.outcomes())
        self._from = self._results.played
        self._has_results = False
        self._preview = Preview(run.entrants, SkillModel(), self._known_ratings())
        what, played, scheduled = self._extent()
        self._timer = Pace(scheduled - played)
        self._bar = Bar(
            TextColumn("{task.fields[what]}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.description}"),
            console=self._screen,
        )
        self._task = self._bar.add_task("", total=scheduled, completed=played, what=what)

    def add(self, results: Sequence[TableResult]) -> None:
        """Takes tables that are stored."""
        for result in results:
            self._count(result)
            if self._events:
                click.echo(json.dumps(_event(result)))
        if not self._has_results:
            # How long the bots took to start says nothing of the tables to come.
            self._has_results = True
            self._from, self._since = self._results.played, time.monotonic()
        self._pace()
        if self._live is not None:
            self._refresh(self._live)

    def _known_ratings(self) -> Iterable[Rating]:
        """Returns what is known of the entrants before the first table of this display."""
        return self._results.ratings() if self._results.played else ()

    def _extent(self) -> tuple[str, int, int]:
        """Returns what the bar counts, how much of it is done, and how much there is."""
        return "tables", self._results.played, self._results.scheduled

    async def beat(self) -> None:
        """Shows from time to time that the run is alive, until it is cancelled."""
        while True:
            await asyncio.sleep(REFRESH if self._live is not None else self._heartbeat)
            if self._live is not None:
                self._refresh(self._live)
                continue
            what, played, total = self._extent()
            where = what.removesuffix("tables")
            parts = [
                f"{where}{played}/{total} tables ({100 * played / total:.1f} %)",
                self._pace(),
                counted(sum(r.faults.total() for r in self._results.figures.values()), "fault"),
            ]
            self.say(", ".join(filter(None, parts)))

    def _refresh(self, live: Live) -> None:
        what, played, total = self._extent()
        self._bar.update(
            self._task, completed=played, total=total, what=what, description=self._pace()
        )
        live.update(self._picture())

    def _count(self, result: TableResult) -> None:
        # Times are for the end: the live table does not show them.
        self._results.take(replace(result, timings=""))
        if (game := Game.at_table(result.seats, result.places)) is not None:
            self._preview.record(game)

    def _pace(self) -> str:
        """Returns the rate since the first results came, and the time left once it can be told."""
        done, elapsed = self._results.played - self._from, time.monotonic() - self._since
        if not done or elapsed <= 0:
            return ""
        rate = done / elapsed
        shown = f"{rate:.1f}/s" if rate >= 1 else f"{60 * rate:.1f}/min"
        _, played, total = self._extent()
        left = self._timer.left(done, total - played)
        return shown if left is None else f"{shown}, {duration(left)} left"

    def _picture(self) -> Group:
        """Returns the live table. Its ratings are the running preview, not the final ones."""
        # What does not fit a terminal is cut off below.
        return Group(self._bar, self._table())

    def _table(self) -> Grid:
        table = Grid(
            Column("entrant", is_text=True),
            Column("live rating"),
            Column("tables", spare=1),
            Column("wins", spare=3),
            Column("mean score", spare=2),
            Column("faults"),
        )
        figures = self._results.figures
        for rating in self._preview.ratings:
            row = figures[EntrantId(rating.entrant)]
            table.add_row(
                rating.entrant,
                f"{rating.mu:.1f}" if row.tables else "-",
                str(row.tables),
                str(row.places[1]),
                f"{row.score / row.tables:.1f}" if row.tables else "-",
                str(row.faults.total() or "-"),
            )
        return table


def _event(result: TableResult) -> dict[str, object]:
    """Returns what a program is told of a table that is stored."""
    return {
        "table": result.id,
        "number": result.number,
        "attempt": result.attempt,
        "seats": result.seats,
        "ending": result.ending,
        "scores": result.scores,
        "places": result.places,
        "faults": [{"seat": fault.seat, "kind": fault.kind} for fault in result.faults],
    }
