"""What a bot wrote to standard error, and which lines of it tell most."""

from __future__ import annotations

import re

_FRAME = re.compile(r'\s*File "(.+)", line \d+')
_BEGINS = "Traceback (most recent call last)"
_NOT_THE_BOT = re.compile(
    r"<|(.*/)?(referee/(sdk|rules|wire|match|bots)|lib/python3\.\d+|(site|dist)-packages)/(?!sample_bots/)"
)
"""The start of a path to what comes with Python or with moon, or was installed."""
_MOST = 3
"""Lines that the error itself may take."""


def telling_lines(stderr: str) -> list[str]:
    r"""Returns the lines that tell most: of a traceback the bot's own line, and the error.

    The bot's own line is the last one that neither Python nor moon brings, or anything installed:
    what failed deeper down was called from there. Where there is none, it is where the error was
    raised; without a traceback, the last line of all.

    >>> own, deep = 'File "bot.py", line 3, in play', 'File "/x/referee/rules/views.py", line 9'
    >>> telling_lines(f"  {own}\n    view.table\n  {deep}, in table\n    raise\nValueError: no")
    ['  File "bot.py", line 3, in play', '    view.table', 'ValueError: no']
    """
    lines = [line for line in stderr.splitlines() if line.strip()]
    begins = max((at for at, line in enumerate(lines) if _BEGINS in line), default=0)
    frames = {at: found[1] for at, line in enumerate(lines) if (found := _FRAME.match(line))}
    frames = {at: path for at, path in frames.items() if at >= begins}
    if not frames:
        return lines[-1:]
    last = max(frames)
    own = max((at for at, path in frames.items() if not _NOT_THE_BOT.match(path)), default=last)
    after = last + len(_frame(lines, last))
    return [*_frame(lines, own), *lines[after:][:_MOST]]


def _frame(lines: list[str], at: int) -> list[str]:
    """Returns the frame that begins *at* a line: its place, its source, and what marks it there."""
    found = [lines[at]]
    depth = len(lines[at]) - len(lines[at].lstrip())
    for line in lines[at + 1 :]:
        if len(line) - len(line.lstrip()) <= depth:
            break
        found.append(line)
    return found
