"""What a run shows while it is played: a live table on a terminal, else a line now and then."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Sequence
from types import TracebackType
from typing import Self

import click
from rich.console import Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar

from tournaments.cli.terminal import console
from tournaments.config import TournamentConfig
from tournaments.rating import Game, SkillModel
from tournaments.rating.preview import Preview
from tournaments.reports.grids import Column, Grid
from tournaments.results import TableResult
from tournaments.store import Store

REFRESH = 1.0
"""Seconds after which a terminal is brought up to date though no table has ended."""


class Progress:
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
        schedule = store.run.schedule()
        self._events = events
        self._screen = console(stderr=True)
        self._heartbeat = heartbeat
        self._total = len(schedule.tables)
        self._pairs = config.rules.side_count == 2
        self._played = 0
        self._begun = 0
        self._since = time.monotonic()
        self._tables: Counter[str] = Counter(dict.fromkeys(schedule.entrants, 0))
        self._wins: Counter[str] = Counter()
        self._points: Counter[str] = Counter()
        self._faults: Counter[str] = Counter()
        self._preview = Preview(schedule.entrants, SkillModel())
        for result in store.results():
            self._count(result)
        self._begun = self._played
        self._bar = Bar(
            TextColumn("tables"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.description}"),
            console=self._screen,
        )
        self._task = self._bar.add_task("", total=self._total, completed=self._played)
        self._live: Live | None = None

    def __enter__(self) -> Self:
        """Begins to show."""
        self._since = time.monotonic()
        if self._screen.is_terminal:
            self._live = Live(
                self._group(), console=self._screen, transient=True, refresh_per_second=4
            )
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Ends the display."""
        if self._live is not None:
            self._live.stop()
            self._live = None

    def say(self, text: str) -> None:
        """Writes a line, above the live table if there is one."""
        self._screen.print(f"moon: {text}", soft_wrap=True)

    def add(self, results: Sequence[TableResult]) -> None:
        """Takes tables that are stored."""
        for result in results:
            self._count(result)
            if self._events:
                click.echo(json.dumps(_event(result)))
        if self._live is not None:
            self._refresh(self._live)

    async def beat(self) -> None:
        """Shows from time to time that the run is alive, until it is cancelled."""
        while True:
            await asyncio.sleep(REFRESH if self._live is not None else self._heartbeat)
            if self._live is not None:
                self._refresh(self._live)
                continue
            share = 100 * self._played / self._total
            parts = [
                f"{self._played}/{self._total} tables ({share:.1f} %)",
                self._pace(),
                f"{self._faults.total()} faults",
            ]
            self.say(", ".join(filter(None, parts)))

    def _refresh(self, live: Live) -> None:
        self._bar.update(self._task, completed=self._played, description=self._pace())
        live.update(self._group())

    def _count(self, result: TableResult) -> None:
        self._played += 1
        seats = result.seats[:2] if self._pairs else result.seats
        self._preview.record(Game.of(seats, result.places))
        for entrant, place, score in zip(seats, result.places, result.scores, strict=True):
            self._tables[entrant] += 1
            self._wins[entrant] += place == 1
            self._points[entrant] += score
        for fault in result.faults:
            self._faults[fault.entrant] += 1

    def _pace(self) -> str:
        """Returns the rate and the time left, from the tables of this run, if there are any."""
        done, elapsed = self._played - self._begun, time.monotonic() - self._since
        if not done or elapsed <= 0:
            return ""
        rate = done / elapsed
        return f"{rate:.1f}/s, {_duration((self._total - self._played) / rate)} left"

    def _group(self) -> Group:
        """Returns the live table. Its ratings are the running preview, not the final ones."""
        table = Grid(
            Column("entrant", is_text=True),
            Column("live rating"),
            Column("tables", spare=1),
            Column("wins", spare=3),
            Column("mean score", spare=2),
            Column("faults"),
        )
        for rating in self._preview.ratings:
            count = self._tables[rating.entrant]
            table.add_row(
                rating.entrant,
                f"{rating.mu:.1f}" if count else "-",
                str(count),
                str(self._wins[rating.entrant]),
                f"{self._points[rating.entrant] / count:.1f}" if count else "-",
                str(self._faults[rating.entrant] or "-"),
            )
        # What does not fit a terminal is cut off below.
        return Group(self._bar, table)


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


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}h{minutes:02}m"
    return f"{minutes}m{rest:02}s" if minutes else f"{rest}s"
