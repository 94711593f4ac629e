"""Named points at which a test lets the program fail; otherwise they do nothing.

``MOON_TEST_CRASH=store.before_commit:3`` ends a process as ``kill -9`` does when it comes to that
point for the third time, with `*` in place of the number every time. More points are set apart by
commas. ``store.before_commit:3:raise`` raises an error there instead, ``store.before_commit:3:EIO``
that error of the system. Where ``MOON_TEST_CRASH_ONCE`` names a folder, each point fails only in
the first process that comes so far.
"""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Callable
from itertools import count
from pathlib import Path

VARIABLE, ONCE = "MOON_TEST_CRASH", "MOON_TEST_CRASH_ONCE"


class PlannedError(RuntimeError):
    """The error of a point that was told to raise one."""


class Plan:
    """Which point fails, when, and how."""

    def __init__(self, text: str) -> None:
        """Reads a plan.

        Raises:
            ValueError: if *text* is none.
        """
        self.point, _, rest = text.partition(":")
        number, _, self.how = rest.partition(":")
        self._at = None if number == "*" else int(number)
        self._visits = count(1)
        if self.how not in {"", "raise"} and not hasattr(errno, self.how):
            raise ValueError(f"{VARIABLE}: unknown end {self.how!r}")

    def visit(self, before: Callable[[], object] | None, pid: int | None) -> None:
        """Comes to the point, and fails if it is time; see `crash_point`."""
        if self._at not in {None, next(self._visits)} or not self._is_first():
            return
        if before is not None:
            before()
        if self.how == "raise":
            raise PlannedError(f"{VARIABLE}: {self.point}")
        if self.how:
            code = int(getattr(errno, self.how))
            raise OSError(code, os.strerror(code))
        os.kill(os.getpid() if pid is None else pid, signal.SIGKILL)

    def _is_first(self) -> bool:
        """Returns whether no other process has failed at the point, if that matters."""
        folder = os.environ.get(ONCE)
        if folder is None:
            return True
        try:
            (Path(folder) / self.point).touch(exist_ok=False)
        except FileExistsError:
            return False
        return True


_plans = [Plan(text) for text in os.environ.get(VARIABLE, "").split(",") if text]


def crash_point(
    point: str, *, before: Callable[[], object] | None = None, pid: int | None = None
) -> None:
    """Does nothing, unless a test wants the program to fail at *point*.

    Args:
        point: The name of the point.
        before: What is done first if it fails here, such as one half of something.
        pid: Which process is killed, if it is not this one.
    """
    for plan in _plans:
        if plan.point == point:
            plan.visit(before, pid)
