"""Says how far a long command is, on standard error, so that nobody waits in the dark."""

from __future__ import annotations

import sys
import time
from typing import Self

import click

from tournaments.cli.pace import Pace, duration

FIRST = 2.0
"""Seconds of silence: what is done by then needs no words."""
BEAT = {True: 0.5, False: 10.0}
"""Seconds between two reports, on a terminal and elsewhere."""


class Patience:
    """Counts steps and reports them. Use it as a context manager."""

    def __init__(self, what: str, total: int | None = None) -> None:
        """Begins to count.

        Args:
            what: What is counted, in the plural.
            total: How many there are, if known; then the time left is told too.
        """
        self._what = what
        self._total = total
        self._done = 0
        self._terminal = sys.stderr.isatty()
        self._now = time.monotonic()
        self._pace = Pace(total, clock=lambda: self._now)
        self._next = self._now + FIRST
        self._shown = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def step(self) -> None:
        """Counts one."""
        self._done += 1
        self._now = now = time.monotonic()
        left = self._pace.left(self._done, (self._total or 0) - self._done)
        if now >= self._next:
            self._next = now + BEAT[self._terminal]
            self._report(left)

    def clear(self) -> None:
        """Makes way for other output."""
        if self._shown:
            click.echo("\r\x1b[K", err=True, nl=False)
            self._shown = False

    def _report(self, left: float | None) -> None:
        text = f"{self._done} {self._what}"
        if self._total:
            text = f"{self._done} of {self._total} {self._what}"
            if left is not None:
                text += f", {duration(left)} left"
        if self._terminal:
            click.echo(f"\r\x1b[K{text}", err=True, nl=False, color=True)
            self._shown = True
        else:
            click.echo(f"moon: {text}", err=True)
