"""`moon league standings`, `history` and `nights`: what came of all nights together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from rich.progress import Progress

from referee.text import counted
from tournaments.cli.league_options import league_option, open_league
from tournaments.cli.options import json_option
from tournaments.cli.terminal import console, print_json
from tournaments.league.entries import Status
from tournaments.league.folder import League
from tournaments.league.ladder import (
    HistoryRow,
    Ladder,
    LadderRow,
    NightResults,
    Played,
    history,
    ladder,
    read_nights,
)
from tournaments.league.nights import NightState, sealed_told
from tournaments.league.office import is_entry
from tournaments.reports.grids import Column, Grid
from tournaments.reports.numbers import number

PLAYED_COLUMNS = (
    Column("nights", spare=3),
    Column("tables", spare=2),
    Column("wins", spare=4),
    Column("faults", is_text=True, spare=1),
)
"""What an entry has done, as every table of standings has it."""


@click.command()
@league_option
@json_option
def standings(folder: Path | None, as_json: bool) -> None:
    """Show the standings over all nights.

    All tables of all nights are rated at once, so ratings carry over from night to night. A table
    that was forfeited counts as it ended; the column "clean" has the rank without all such tables,
    and a dash for who has played at no others.
    """
    print_ladder(open_league(folder), as_json=as_json)


def print_ladder(league: League, *, as_json: bool = False) -> None:
    """Writes the standings of *league* to standard output."""
    stderr = console(stderr=True)
    with Progress(console=stderr, transient=True, disable=not stderr.is_terminal) as bar:
        task = bar.add_task("intervals")
        table = ladder(
            read_nights(league),
            lambda done, total: bar.update(task, completed=done, total=total),
        )
    if as_json:
        print_json("moon.league.standings/1", _document(league, table))
        return
    screen = console()
    screen.print(_heading(league, table), soft_wrap=True)
    if table.rows:
        screen.print(_grid(league, table))
    for line in _remarks(table):
        screen.print(line, soft_wrap=True)


def _heading(league: League, table: Ladder) -> str:
    nights = counted(table.nights, "night")
    return f"{league.config.name}: {nights}, {counted(table.tables, 'table')}"


def _remarks(table: Ladder) -> list[str]:
    lines = []
    moved = [row for row in table.rows if row.clean_place != row.place]
    if table.rows and not table.forfeited:
        lines.append("clean: the rank without tables that were forfeited; there are none")
    if table.forfeited:
        ranks = ", ".join(f"{row.entrant} {_clean(row, '.')}" for row in moved)
        what = f"the ranks would be other: {ranks}" if moved else "the ranks would be the same"
        lines.append(f"clean: without tables that were forfeited ({table.forfeited}), {what}")
    if table.rescinded:
        lines.append(f"rescinded, and not counted: {table.rescinded} of the tables played")
    return lines


def _grid(league: League, table: Ladder) -> Grid:
    grid = Grid(
        Column("rank"), Column("95%"), Column("entry", is_text=True), Column("rating"),
        Column("95%"), Column("clean"), *PLAYED_COLUMNS,
    )  # fmt: skip
    for row in table.rows:
        grid.add_row(
            str(row.place),
            f"{row.rank_low}-{row.rank_high}",
            entry_text(league, row.entrant),
            number(row.mu, 1),
            "-" if row.low is None or row.high is None else f"{row.low:.1f}-{row.high:.1f}",
            _clean(row),
            *played_cells(row.played, row.nights),
        )
    return grid


def entry_text(league: League, who: str) -> str:
    """Returns how tables name an entry: with a mark if it does not play any more."""
    playing = {entry.id for entry in league.entries if entry.status is Status.ACTIVE}
    return who if who in playing else f"{who} (out)"


def played_cells(played: Played, nights: int) -> tuple[str, ...]:
    """Returns the cells below `PLAYED_COLUMNS`."""
    return str(nights), str(played.tables), str(played.wins), _faults(played)


def _clean(row: LadderRow, mark: str = "") -> str:
    return "-" if row.clean_place is None else f"{row.clean_place}{mark}"


def _faults(played: Played) -> str:
    counts = [f"{count} {kind}" for kind, count in sorted(played.faults.items())]
    if played.forfeits:
        counts.append(f"{played.forfeits} forfeited")
    return ", ".join(counts) or "-"


def _document(league: League, table: Ladder) -> dict[str, object]:
    return {
        "league": league.config.name,
        "nights": table.nights,
        "tables": table.tables,
        "forfeited": table.forfeited,
        "rescinded": table.rescinded,
        "confidence": table.ranks.confidence,
        "rows": [_row(row) for row in table.rows],
    }


def _row(row: LadderRow) -> dict[str, object]:
    return {
        "rank": row.place,
        "rank_low": row.rank_low,
        "rank_high": row.rank_high,
        "entry": row.entrant,
        "rating": row.mu,
        "rating_low": row.low,
        "rating_high": row.high,
        "clean_rank": row.clean_place,
        "nights": row.nights,
        **_played(row.played),
    }


def _played(played: Played) -> dict[str, object]:
    return {
        "tables": played.tables,
        "wins": played.wins,
        "score": played.score,
        "faults": dict(sorted(played.faults.items())),
        "forfeits": played.forfeits,
    }


@click.command(name="history")
@click.argument("entry", metavar="ENTRY")
@league_option
@json_option
def history_command(entry: str, folder: Path | None, as_json: bool) -> None:
    """Show how an entry did night by night, and where it stood after each.

    The name of a bot means all its versions, the oldest first; `tall#2` is one of them.
    """
    league = open_league(folder)
    newest = league.entry(entry)
    versions = [each for each in league.entries if entry in (each.id, each.name)]
    played = read_nights(league)
    rows = {each.id: history(played, each) for each in versions}
    if as_json:
        told = [_history_document(who, row) for who, own in rows.items() for row in own]
        document = {"entry": newest.id, "versions": list(rows), "nights": told}
        print_json("moon.league.history/1", document)
        return
    screen = console()
    for each in versions:
        screen.print(f"{each.id} by {each.author}: {each.status}", soft_wrap=True)
        own = rows[each.id]
        screen.print(_history_grid(own) if own else "has played in no night")


def _history_grid(rows: Sequence[HistoryRow]) -> Grid:
    grid = Grid(
        Column("night"), Column("rank after it"), Column("rating after it"), Column("tables"),
        Column("wins"), Column("faults", is_text=True),
    )  # fmt: skip
    for row in rows:
        played = row.played
        grid.add_row(
            str(row.night), str(row.place), number(row.mu, 1), str(played.tables),
            str(played.wins), _faults(played),
        )  # fmt: skip
    return grid


def _history_document(entry: str, row: HistoryRow) -> dict[str, object]:
    told = {"entry": entry, "night": row.night, "rank": row.place, "rating": row.mu}
    return {**told, **_played(row.played)}


@click.command()
@league_option
@json_option
def nights(folder: Path | None, as_json: bool) -> None:
    """List the nights of the league."""
    league = open_league(folder)
    there = read_nights(league)
    missing = sealed_told(league).keys() - {night.number for night in there}
    gone = (NightResults(number, state=NightState.MISSING) for number in missing)
    found = sorted([*there, *gone], key=lambda night: night.number)
    if as_json:
        listed = [_night_document(night) for night in found]
        print_json("moon.league.nights/1", {"league": league.config.name, "nights": listed})
        return
    _print_nights(league, found)


def _print_nights(league: League, found: Sequence[NightResults]) -> None:
    screen = console()
    if not found:
        screen.print(f"{league.config.name}: no night yet; moon league night plays one")
        return
    grid = Grid(
        Column("night"), Column("sealed (UTC)", is_text=True), Column("rounds"), Column("tables"),
        Column("entries"), Column("state", is_text=True),
    )  # fmt: skip
    for night in found:
        grid.add_row(
            str(night.number), night.begun_at.removesuffix("Z").replace("T", " "),
            str(night.rounds), str(night.tables), str(_entries(night)), night.state,
        )  # fmt: skip
    screen.print(grid)


def _night_document(night: NightResults) -> dict[str, object]:
    return {
        "night": night.number,
        "begun_at": night.begun_at,
        "rounds": night.rounds,
        "tables": night.tables,
        "rescinded": night.rescinded,
        "entries": _entries(night),
        "closed": night.state in (NightState.CLOSED, NightState.UNPUBLISHED),
        "state": night.state,
    }


def _entries(night: NightResults) -> int:
    return sum(map(is_entry, night.figures))
