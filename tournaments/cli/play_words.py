"""What `moon play` says below the result: where to look next, and on what terms it was played."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from referee.bots.spec import BotKind, parse_bot, unnamed
from referee.bots.terms import ClockTerms
from referee.errors import ConfigError
from referee.match import FaultKind, TableTerms
from referee.text import counted
from tournaments.holding import held_text
from tournaments.measured import Measured
from tournaments.reports.host_report import usual_host_lines
from tournaments.reports.words import names_text
from tournaments.results import FaultRow
from tournaments.runner.jobs import Job
from tournaments.timing import OverheadTimes


def check_command(text: str) -> str:
    """Returns the command that checks the bot *text*, if it is a file or a folder, else nothing.

    >>> check_command("greedy"), check_command("far=grpc://127.0.0.1:5042")
    ('', '')
    """
    try:
        kind = parse_bot(text, Path()).kind
    except ConfigError:  # there is none of that name now
        return ""
    if kind not in (BotKind.FILE, BotKind.FOLDER):
        return ""
    return shlex.join(["moon", "bot", "check", unnamed(text.strip())])


def next_steps(texts: Mapping[str, str], faults: Collection[FaultRow], seed: str) -> list[str]:
    """Returns a line with the commands that find what is wrong, if there is any.

    Args:
        texts: By entrant at fault: how its bot is named on the command line.
        faults: All faults.
        seed: What the deals were drawn from; empty if the match was watched closely already.
    """
    checks = list(filter(None, map(check_command, dict.fromkeys(texts.values()))))
    if not checks:
        return []
    line = f"find it: {names_text(checks)}"
    if seed and any(fault.kind != FaultKind.TIMEOUT for fault in faults):  # there are no clocks
        line += f", or the same with {shlex.join(['--debug', '--seed', seed])}"
    return [line]


def usual_lines(
    job: Job,
    remote: Sequence[str],
    overhead: OverheadTimes,
    measured: Measured,
    *,
    is_debug: bool,
) -> list[str]:
    """Returns on what terms a match was played, and what the host did with the time.

    Args:
        job: The terms.
        remote: Who ran somewhere else.
        overhead: The harness's own times.
        measured: What was measured besides.
        is_debug: Whether there were no clocks.
    """
    return [
        "no clock" if is_debug else clock_text(job.clock, job.table),
        held_text(job.sandbox, freezes=job.freezes, remote=remote),
        *usual_host_lines(overhead, measured),
    ]


def unheld_lines(remote: Sequence[str]) -> list[str]:
    """Returns a line that says who ran somewhere else, where nothing holds it, if anybody did."""
    return [f"not held, as remote: {', '.join(remote)}"] if remote else []


def clock_text(clock: ClockTerms, table: TableTerms) -> str:
    """Returns in one line what a bot may take, and how often it may be at fault.

    >>> clock_text(ClockTerms(2.0, None, first_move=10.0), TableTerms(1))
    'clock: 2 s a move, 10 s for the first of a process, no bank; 1 strike, one more forfeits'
    """
    bank = "no bank" if clock.bank is None else f"a bank of {clock.bank:g} s for the match"
    first = max(clock.first_move, clock.move_time)
    return (
        f"clock: {clock.move_time:g} s a move, {first:g} s for the first of a process, {bank}; "
        f"{counted(table.strikes, 'strike')}, one more forfeits"
    )
