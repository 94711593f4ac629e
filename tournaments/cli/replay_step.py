"""`moon replay step`: a match watched in the terminal, decision by decision."""

from __future__ import annotations

import os
from dataclasses import replace

import click
from rich.console import Group
from rich.text import Text

from referee.errors import ConfigError, NotFoundError
from tournaments.cli.replay import STORE, TABLE, place_of
from tournaments.cli.terminal import console
from tournaments.pages.loading import load_replay
from tournaments.pages.screens import KEYS, Position, Screen, listing
from tournaments.pages.steps import Replay


@click.command()
@click.argument("where", required=False, metavar="[FILE | STORE | -]")
@STORE
@TABLE
@click.option("--at", type=click.IntRange(1), metavar="N", help="Begin at decision N of the match.")
@click.option("--seat", type=click.IntRange(0, 3), metavar="S", help="Only what this seat saw.")
def step(
    where: str | None, named: str | None, table: str | None, at: int | None, seat: int | None
) -> None:
    """Watch a match in the terminal, one decision at a time.

    The arrow keys step, q quits. Where no terminal reads, every decision is a line.
    """
    replay = load_replay(place_of(where, named), table)
    if seat is not None and seat >= len(replay.seats):
        problem = f"there is no seat {seat} at a table of {len(replay.seats)}"
        raise ConfigError(None, "--seat", problem)
    screen = Screen(replay, Position() if at is None else _position(replay, at), seat)
    if console().is_terminal and os.environ.get("TERM") != "dumb":
        _watch(screen)
    elif at is not None:
        click.echo("\n".join(line.plain.rstrip() for line in screen.lines()))
    else:
        for line in listing(replay, seat):
            click.echo(line)


def _position(replay: Replay, number: int) -> Position:
    for place, deal in enumerate(replay.deals):
        if deal.first <= number < deal.first + len(deal.steps):
            return Position(place, number - deal.first + 1)
    last = max(deal.first + len(deal.steps) - 1 for deal in replay.deals)
    raise NotFoundError(f"there is no decision {number}; the last one is {last}")


def _watch(screen: Screen) -> None:
    with console().screen() as shown:
        while True:
            shown.update(Group(*screen.lines(), Text(), Text(KEYS, style="dim")))
            try:
                key = click.getchar()
            except EOFError:
                return
            if key in ("q", "Q", "\x1b"):
                return
            screen = _pressed(screen, key)


def _pressed(screen: Screen, key: str) -> Screen:
    """Returns the screen after a key; one that means nothing changes nothing."""
    if key in _MOVES:
        return replace(screen, at=screen.moved(_MOVES[key]))
    if key in _DEALS:
        return replace(screen, at=screen.moved_deal(_DEALS[key]))
    if key in _HOME:
        return replace(screen, at=screen.moved_deal(0))
    if key in _END:
        return replace(screen, at=screen.at_end())
    if key == "a":
        return replace(screen, seat=None)
    if key.isdecimal() and int(key) < len(screen.replay.seats):
        return replace(screen, seat=int(key))
    return screen


# Terminals send an arrow in either of two forms, and home and end in any of three.
_MOVES = {"\x1b[C": 1, "\x1bOC": 1, " ": 1, "\r": 1, "\x1b[D": -1, "\x1bOD": -1, "\x7f": -1}
_DEALS = {"\x1b[B": 1, "\x1bOB": 1, "\x1b[A": -1, "\x1bOA": -1}
_HOME = {"\x1b[H", "\x1bOH", "\x1b[1~"}
_END = {"\x1b[F", "\x1bOF", "\x1b[4~"}
