"""What is said of a night while it is played: how long it takes, and how it ends."""

from __future__ import annotations

import time

from referee.text import counted
from tournaments.cli.night_times import clock_text, until_text
from tournaments.league.night import Limits, NightPlay, Why
from tournaments.league.nights import NightFile


def prediction(
    tables: int, pace: float | None, limits: Limits, left: int | None, *, is_measured: bool
) -> str:
    """Returns in one line how many rounds are to be expected, and how long they take.

    Args:
        tables: How many a round has.
        pace: The seconds of one; ``None`` if nobody knows.
        limits: What ends the night.
        left: How many rounds there may be yet; ``None`` for as many as fit.
        is_measured: Whether tables of this very part have shown the pace, and not earlier ones.
    """
    time_left = None if limits.deadline is None else max(0.0, limits.deadline - time.monotonic())
    then = until_text(time_left) if time_left is not None else ""
    if pace is None:
        known = "how long a round takes is known after the first one"
        at_most = [] if left is None else [f"{counted(left, 'round')} at most"]
        return "; ".join([known, *([then] if then else []), *at_most])
    each = pace * tables
    text = f"a round takes about {clock_text(each)}"
    if not is_measured:
        text = f"going by what was played before, {text}"
    if time_left is None:
        return f"{text}; {counted(left or 0, 'round')} left, about {clock_text(each * (left or 0))}"
    fit = int(time_left / each) if each else 0
    fit = fit if left is None else min(fit, left)
    fits = f"{text}, so {counted(fit, 'round')} fit into the {clock_text(time_left)} that are left"
    return f"{fits}, {then}" if then else fits


def asked_lines(night: NightFile, play: NightPlay) -> tuple[str, str]:
    """Returns what becomes of *night* now that it was asked to end, and what asking again does."""
    left, pace = play.in_play, play.pace.table
    about = f" (about {clock_text(left * pace)})" if pace is not None else ""
    first = (
        f"round {play.rounds} is the last one: what is left of it, {counted(left, 'table')}{about},"
        f" is played and counts, then {night.name} is over for good"
    )
    again = "once more ends at once: what is finished is kept, and moon league night goes on with"
    return first, f"{again} {night.name} later"


def end_line(night: NightFile, rounds: int, why: Why, tables: int) -> str:
    """Returns how *night* has ended for good, with so many *tables* that count."""
    ended = f"{night.name} is over for good after {counted(rounds, 'round')}: {why}"
    count = counted(tables, "table")
    return f"{ended}; {count} of it count, and moon league night holds the next night"


def pause_line(night: NightFile, play: NightPlay, tables: int) -> str:
    """Returns how *night* stands that goes on later, with so many *tables* played."""
    left = f"{play.in_play} of round {play.rounds} are left" if play.rounds else "no round is begun"
    return (
        f"{night.name} is not over: kept and counted are {counted(tables, 'table')}, {left}; "
        "moon league night goes on with it"
    )
