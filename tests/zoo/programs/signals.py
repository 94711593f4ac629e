"""Sends signals to those who are none of its business."""

import os
import signal
import sys

from _zoo import attempt, run, tried


def can_signal(pid):
    """Asks the kernel whether a signal would be let through, without sending one."""
    os.kill(pid, 0)
    return True


def strangers():
    if os.getpid() > 2 and os.getppid() > 1:
        attempt("signal its parent", can_signal, os.getppid())
    referee = int(sys.argv[2])
    attempt("signal the referee", can_signal, referee)
    attempt("signal every process there is", can_signal, -1)


def own_group():
    tried("end its own process group")
    os.killpg(0, signal.SIGKILL)


def stops_itself():
    tried("stop itself")
    os.kill(os.getpid(), signal.SIGSTOP)


run({"strangers": strangers, "own-group": own_group, "stops-itself": stops_itself})
