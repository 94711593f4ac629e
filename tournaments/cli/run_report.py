"""What a command that plays says and stores of how it went, besides its results."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from referee.bots.sandbox import Probe
from referee.errors import MoonError, StoreError
from referee.text import counted
from tournaments.config import TournamentConfig, default_workers
from tournaments.holding import limits_text
from tournaments.identity import canonical
from tournaments.reports.host_report import stall_lines
from tournaments.runner.report import RunReport
from tournaments.store import Store


@contextmanager
def reported(store: Store, report: RunReport, say: Callable[[str], None]) -> Iterator[None]:
    """Says and stores what *report* holds after the block, also where an error of ours ends it."""
    try:
        yield
    except MoonError:
        # What ended it is told when all else is: to run the same again need not help.
        _say_report(report, say)
        with suppress(StoreError):  # it may be the store that has ended the run
            _keep_report(store, report)
        raise
    _keep_report(store, report)
    if report.stopped:
        say(f"stopped; {report.played} tables were played, run the same again to continue")
    _say_report(report, say)


def _keep_report(store: Store, report: RunReport) -> None:
    """Stores what is to be remembered of a run beside its tables."""
    store.add_results(report.void)
    store.note("measured", report.measured.to_text())
    for entrant, introduction in report.introductions.items():
        note_once(store, "bot", f"{entrant}: {introduction}")
    for entrant, strays in sorted(report.strays.items()):
        store.note("strays", f"{entrant}: {strays} answers to no open question, dropped")


def note_once(store: Store, kind: str, text: str) -> None:
    """Writes down what need not stand there twice."""
    if not any((note.kind, note.text) == (kind, text) for note in store.notes()):
        store.note(kind, text)


def note_sandbox(store: Store, config: TournamentConfig, probe: Probe) -> None:
    """Writes down how bots are held from now on, and what of that this host has been seen to keep.

    Only what was not written down last is.
    """
    limits = limits_text(config.sandbox.limits)
    text = canonical({"limits": limits, **probe.to_json()})
    if text not in [note.text for note in store.notes() if note.kind == "sandbox"][-1:]:
        store.note("sandbox", text)


def warn_of_crowding(store: Store, workers: int, say: Callable[[str], None]) -> None:
    """Says so if more processes want processors than there are."""
    fitting = default_workers()
    if workers > fitting:
        cores = len(os.sched_getaffinity(0))
        text = (
            f"{counted(workers, 'worker')} on {counted(cores, 'core')}: bots and workers have "
            "to wait for each other, so that times grow and honest bots may run out of theirs; "
            f"use --workers {fitting}, or longer times"
        )
        say(f"warning: {text}")
        note_once(store, "warning", text)


def _say_report(report: RunReport, say: Callable[[str], None]) -> None:
    if grace := report.measured.grace:
        say(f"grace for every answer, as measured on this host: {grace * 1000:.0f} ms")
    for line in stall_lines(report.measured):
        say(line)
    for entrant, strays in sorted(report.strays.items()):
        say(f"{entrant} sent {strays} answers to no open question; they were dropped")
    for problem in report.problems:
        say(f"a fault of moon's own: {problem}")
    if report.more_problems:
        say(f"and {report.more_problems} more faults of moon's own")
    if report.void:
        say(f"{len(report.void)} tables are void; run the same again to play them")
