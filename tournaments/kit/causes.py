"""By what two failures of a bot are known to have one cause, so that it is told once."""

from __future__ import annotations

import re

from referee.match import FaultKind

_ERROR = re.compile(r"\s*[\w.]*(Error|Exception|panicked)\b")
"""A line that names an error, in Python, JavaScript, Java and Rust."""
_FRAME = re.compile(r'\s*File ".+", line \d+, in ')
"""A line that names a place in a traceback of Python; the last of them is where it was raised."""


def cause_of(problem: str, stderr: str) -> str:
    r"""Returns what every failure with this *problem* and its cause in *stderr* has in common.

    That is the problem and the error which the bot named last, but for numbers in them, and the
    place that raised it.

    >>> first = "Traceback\n  File \"bot.py\", line 30, in play\nKeyError: 64"
    >>> cause_of("crashed", first) == cause_of("crashed", first.replace("64", "31"))
    True
    >>> cause_of("crashed", first) == cause_of("crashed", first.replace("30", "12"))
    False
    >>> cause_of("late, 1.5 s in its bank", "") == cause_of("late, 0 s in its bank", "")
    True
    """
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    errors = [line for line in lines if _ERROR.match(line)] or lines
    frames = [line for line in lines if _FRAME.match(line)]
    named = [re.sub(r"\d+(\.\d+)?", "0", line) for line in (problem, *errors[-1:])]
    return "\n".join([*named, *frames[-1:]])


def cause_of_fault(kind: str, detail: str, stderr: str, asked: str) -> str:
    """Returns what a fault has in common with others of its cause.

    Illegal answers to one kind of decision count as of one cause, whatever each of them was.

    Args:
        kind: What kind of fault it is.
        detail: What happened, in one line.
        stderr: The last that the bot wrote.
        asked: Which kind of decision it was.
    """
    if kind == FaultKind.ILLEGAL:
        return f"{kind} {asked}"
    return cause_of(f"{kind}: {detail}", stderr)
