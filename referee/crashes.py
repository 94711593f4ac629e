"""Named points at which a test lets the program fail; otherwise they do nothing.

``MOON_TEST_CRASH=store.before_commit:3`` ends a process as ``kill -9`` does when it comes to that
point for the third time, with `*` in place of the number at once. ``store.before_commit:3:raise``
raises an error there instead, and ``store.before_commit:3:ENOSPC`` that error of the system.
"""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Callable
from itertools import count

VARIABLE = "MOON_TEST_CRASH"


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

    def visit(self, point: str, before: Callable[[], object] | None, pid: int | None) -> None:
        """Comes to *point*, and fails if it is time; see `crash_point`."""
        if point != self.point or self._at not in {None, next(self._visits)}:
            return
        if before is not None:
            before()
        if self.how == "raise":
            raise PlannedError(f"{VARIABLE}: {point}")
        if self.how:
            code = int(getattr(errno, self.how))
            raise OSError(code, os.strerror(code))
        os.kill(os.getpid() if pid is None else pid, signal.SIGKILL)


_plan = Plan(os.environ[VARIABLE]) if os.environ.get(VARIABLE) else None


def crash_point(
    point: str, *, before: Callable[[], object] | None = None, pid: int | None = None
) -> None:
    """Does nothing, unless a test wants the program to fail at *point*.

    Args:
        point: The name of the point.
        before: What is done first if it fails here, such as one half of something.
        pid: Which process is killed, if it is not this one.
    """
    if _plan is not None:
        _plan.visit(point, before, pid)
