"""What a worker has to do with the life of others: of its runner above, and of all below it.

When a keeper is killed its bots are left, also those that hid from everybody but it.

A bot may leave its session, its parent and its environment behind; then only the keeper, as the
next of its ancestors that wants them, still knows it as its own. When that is killed too, the next
one is the worker.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import time

from referee.bots.keeper.kept import SWEEP_LIMIT
from referee.bots.keeper.processes import family, kill_process
from referee.bots.keeper.service import (
    PR_SET_CHILD_SUBREAPER,
    PR_SET_PDEATHSIG,
    SWEEP_PAUSE,
)


def end_with_parent() -> None:
    """Has this process told by SIGTERM when its parent ends, where the system can."""
    _control_process(PR_SET_PDEATHSIG, signal.SIGTERM)


def adopt_orphans() -> None:
    """Makes this process the parent of whoever below it loses his own, where the system can."""
    _control_process(PR_SET_CHILD_SUBREAPER, 1)


def _control_process(option: int, value: int) -> None:
    with contextlib.suppress(OSError, AttributeError):  # only Linux has it
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def end_everything_below() -> tuple[int, ...]:
    """Ends every process below this one, and returns the pids of those that do not end.

    For a process that ends itself afterwards: it waits for all of its children.
    """
    deadline = time.monotonic() + SWEEP_LIMIT
    while True:
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        left = [entry for _, entry in family(os.getpid())]
        if not left or time.monotonic() > deadline:
            return tuple(entry.pid for entry in left)
        for entry in left:
            kill_process(entry)
        time.sleep(SWEEP_PAUSE)
