"""`moon tournament plan`: who meets whom in a tournament, how evenly, and how long it takes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from math import comb
from pathlib import Path
from typing import NamedTuple

import click

from referee.errors import ConfigError, StoreError
from referee.text import counted
from tournaments.cli.options import DURATION, format_option, json_option
from tournaments.cli.outputs import write_output
from tournaments.cli.terminal import console, print_json
from tournaments.config import TournamentConfig, default_workers, load_config
from tournaments.entrants import MOST_ENTRANTS
from tournaments.reports.grids import Column, Grid
from tournaments.schedule import (
    DESIGNS,
    Block,
    EntrantId,
    Format,
    Schedule,
    check_entrants,
    house_bots,
    house_names,
    make_schedule,
)
from tournaments.schedule.certificates import certificate
from tournaments.schedule.plans import Plan, make_plan, meetings, sitting_out
from tournaments.store import Store

SHOWN_ROUNDS = 40
"""How many rounds are listed for people; programs get them all."""
MANY_ENTRANTS = 16
"""With more than that, a round robin of three seats is far longer than it needs to be."""
SLOW_BLOCKS = 4000
"""From so many blocks on it takes more than a moment to put them in order."""
DEAL_SECONDS = 0.003
"""What one worker takes for a deal of bots that hardly think; ``docs/performance.md``."""
USUAL_DEALS = 7.0
"""Deals of a match to the target, as the sample bots play it."""
PAUSE = 60.0
"""Seconds between two tables of a store after which the run was not going on."""
ENOUGH_TABLES = 30
"""Tables in a store that say how long one takes."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be planned."""

    name: str
    form: Format
    entrants: tuple[EntrantId, ...]
    """Everybody, house bots among them."""
    house: int
    """How many of them are house bots; they are the last ones."""
    seats: int
    rounds: int
    deals: int | None
    workers: int
    store: Path | None


class Duration(NamedTuple):
    """How long it will take."""

    seconds: float
    table: float
    """Seconds that each table adds."""
    source: str
    """Where that comes from."""


@click.command()
@click.argument("file", required=False, metavar="[FILE.toml]",
                type=click.Path(dir_okay=False, path_type=Path))  # fmt: skip
@click.option("--entrants", type=click.IntRange(2, MOST_ENTRANTS), metavar="N",
              help="Plan for so many entrants, without a file.")  # fmt: skip
@click.option("--seats", type=click.Choice(["3", "4"]),
              help="At a table, with --entrants; 3 if nothing is said.")  # fmt: skip
@format_option
@click.option("--rounds", type=click.IntRange(1), help="How often everybody meets everybody.")
@click.option("--table-time", type=DURATION,
              help="What a worker takes for a table; else as it was in the store, or as for bots "
              "that hardly think.")  # fmt: skip
@click.option("--export", type=click.Path(dir_okay=False, path_type=Path), metavar="OUT.json",
              help="Write who sits where, and what must be counted in it, as design checkers "
              "read it.")  # fmt: skip
@json_option
def plan(
    file: Path | None,
    entrants: int | None,
    seats: str | None,
    form: str | None,
    rounds: int | None,
    table_time: float | None,
    export: Path | None,
    as_json: bool,
) -> None:
    """Show what a tournament will play, before anybody plays.

    A block is the same entrants at tables with the seats turned. A round is what can be played at
    the same time: nobody plays two blocks of it. Play may be stopped at any time: after any block
    nobody is ahead of anybody by more than one.
    """
    wish = _wish(file, entrants, seats, form, rounds)
    schedule = _schedule(wish)
    made = make_plan(wish.form, schedule)
    duration = _duration(wish, len(schedule.tables), table_time)
    if export is not None:
        _export(made, wish.name, export)
    if as_json:
        print_json("moon.tournament.plan/1", _document(wish, made, duration))
    else:
        _show(wish, made, duration)


def _wish(
    file: Path | None, entrants: int | None, seats: str | None, form: str | None, rounds: int | None
) -> Wish:
    """Returns what the command line means."""
    if (file is None) == (entrants is None):
        raise ConfigError(None, None, "give a tournament file, or --entrants N; one of them")
    if file is not None:
        if seats is not None:
            raise ConfigError(None, "--seats", f"the rules in {file} say how many sit at a table")
        given = {"format": form, "rounds": rounds}
        return _of_file(load_config(file, {k: v for k, v in given.items() if v is not None}))
    assert entrants is not None
    chosen, at_table = Format(form or Format.ROUND_ROBIN), int(seats or 3)
    names = tuple(EntrantId(str(number + 1)) for number in range(entrants))
    try:
        house = house_bots(chosen, at_table, entrants)
        check_entrants((*names, *house_names(house)), seats=at_table)
    except ConfigError as error:
        key = {"format": "--format", "bots": "--entrants"}.get(error.key or "")
        raise ConfigError(None, key, str(error).removeprefix(f"{error.key}: ")) from None
    everybody = (*names, *house_names(house))
    name = f"{entrants} entrants"
    workers = default_workers()
    return Wish(name, chosen, everybody, house, at_table, rounds or 1, None, workers, None)


def _of_file(config: TournamentConfig) -> Wish:
    names = tuple(entrant.name for entrant in config.entrants)
    return Wish(
        config.name,
        config.format,
        names,
        config.house,
        config.rules.players,
        config.rounds,
        config.deals,
        config.workers,
        config.store,
    )


def _schedule(wish: Wish) -> Schedule:
    count = len(wish.entrants)
    blocks = 2 * comb(count, 3) * wish.rounds
    if wish.form is Format.ROUND_ROBIN and wish.seats == 3 and blocks > SLOW_BLOCKS:
        click.echo(f"moon: putting {blocks} blocks in order; this takes a moment", err=True)
    return make_schedule(wish.form, wish.entrants, seats=wish.seats, rounds=wish.rounds)


def _duration(wish: Wish, tables: int, table_time: float | None) -> Duration:
    """Returns how long *tables* take."""
    if table_time is not None:
        each, source = table_time / wish.workers, "as given"
    elif (measured := _measured(wish.store)) is not None:
        each, source = measured, f"as in {wish.store}"
    else:
        each = (wish.deals or USUAL_DEALS) * DEAL_SECONDS / wish.workers
        source = "for bots that hardly think; --table-time says how long yours take"
    return Duration(tables * each, each, source)


def _measured(store: Path | None) -> float | None:
    """Returns the seconds after which one table followed another in *store*, if it says so."""
    if store is None or not store.exists():
        return None
    try:
        with Store.open(store) as opened:
            ends = sorted(datetime.fromisoformat(r.finished_at) for r in opened.results())
    except StoreError:
        return None  # whoever reads or continues the run will hear what is wrong with it
    gaps = [(after - before).total_seconds() for before, after in pairwise(ends)]
    playing = [gap for gap in gaps if gap <= PAUSE]
    # Ends are known to the second, so a short run says nothing.
    if len(playing) < ENOUGH_TABLES or sum(playing) < ENOUGH_TABLES:
        return None
    return sum(playing) / len(playing)


def _export(made: Plan, name: str, path: Path) -> None:
    text = json.dumps(certificate(made, f"{name}, {made.form}"), ensure_ascii=False, indent=1)
    write_output(path, f"{text}\n")


def _document(wish: Wish, made: Plan, duration: Duration) -> dict[str, object]:
    everybody = made.schedule.entrants
    return {
        "name": wish.name,
        "format": wish.form,
        "seats": wish.seats,
        "entrants": list(everybody),
        "house": list(everybody[len(everybody) - wish.house :]),
        "rounds": [
            {
                "blocks": [
                    {"block": block.number, "tables": [list(t.seats) for t in block.tables]}
                    for block in blocks
                ],
                "sit_out": list(sitting_out(blocks, everybody)),
            }
            for blocks in made.rounds
        ],
        "blocks": len(made.schedule.blocks),
        "tables": len(made.schedule.tables),
        "workers": wish.workers,
        "seconds": round(duration.seconds, 3),
        "seconds_from": duration.source,
        "balance": [spread._asdict() for spread in made.balance],
    }


def _show(wish: Wish, made: Plan, duration: Duration) -> None:
    screen = console()
    for line in _lines(wish, made, duration):
        screen.print(line, soft_wrap=True)
    grid = Grid(
        Column("balance", is_text=True),
        Column("of", is_text=True),
        Column("least"),
        Column("most"),
    )
    for spread in made.balance:
        grid.add_row(spread.what, spread.whose, str(spread.least), str(spread.most))
    screen.print()
    screen.print(grid)
    screen.print()
    for number, blocks in enumerate(made.rounds[:SHOWN_ROUNDS]):
        screen.print(_round_line(number, blocks, made.schedule.entrants), soft_wrap=True)
    if len(made.rounds) > SHOWN_ROUNDS:
        screen.print(f"and {len(made.rounds) - SHOWN_ROUNDS} more rounds; --json lists all")


def _lines(wish: Wish, made: Plan, duration: Duration) -> Iterable[str]:
    schedule = made.schedule
    own = len(schedule.entrants) - wish.house
    house = f" and {counted(wish.house, 'house bot')}" if wish.house else ""
    yield f"{wish.name}: {wish.form}, {DESIGNS[wish.form].summary}"
    yield f"{own} entrants{house}, {wish.seats} seats at a table"
    blocks, tables = len(schedule.blocks), len(schedule.tables)
    yield (
        f"{counted(len(made.rounds), 'round')}, {counted(tables, 'table')} in "
        f"{counted(blocks, 'block')} of {tables // blocks}"
    )
    workers = counted(wish.workers, "worker")
    yield f"about {_time_text(duration.seconds)} with {workers} ({duration.source})"
    if wish.form is Format.ROUND_ROBIN and wish.seats == 3 and own > MANY_ENTRANTS:
        padded = own + house_bots(Format.MENDELSOHN, 3, own)
        shorter = padded * (padded - 1) // 3
        yield (
            f'the format "{Format.MENDELSOHN}" has {shorter} blocks a round, in which every two '
            "meet twice"
        )


def _time_text(seconds: float) -> str:
    """Returns a time as people say it.

    >>> _time_text(3.2), _time_text(100), _time_text(9000)
    ('4 s', '1 min 40 s', '2 h 30 min')
    """
    whole = int(seconds) + 1 if seconds % 1 else int(seconds)
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _round_line(number: int, blocks: Sequence[Block], entrants: Sequence[EntrantId]) -> str:
    tables = " | ".join(", ".join(meeting) for block in blocks for meeting in meetings(block))
    out = sitting_out(blocks, entrants)
    return f"round {number + 1}: {tables}" + (f"; out: {', '.join(out)}" if out else "")
