"""Durations as people write them: in a tournament file and on the command line."""

from __future__ import annotations

import re

LONGEST = 86_400.0
"""No duration is longer: a day, in seconds."""

_UNITS = {"ms": 0.001, "s": 1.0, "": 1.0, "m": 60.0, "h": 3600.0}
_DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(ms|s|m|h|)")


def parse_duration(value: object, *, positive: bool = True) -> float:
    """Returns the seconds that *value* means, to the millisecond.

    >>> [parse_duration(value) for value in ("500ms", "2s", "1m", "1.5", 3)]
    [0.5, 2.0, 60.0, 1.5, 3.0]

    Args:
        value: A number of seconds, or a text.
        positive: Whether it must be more than nothing.

    Raises:
        ValueError: if it means none, or one out of bounds; says what was expected.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        seconds = float(value)
    elif isinstance(value, str) and (match := _DURATION.fullmatch(value.strip())):
        seconds = float(match[1]) * _UNITS[match[2]]
    else:
        raise ValueError('expected a time like "500ms", "2s", "1m" or 2.5 seconds')
    # A number in a file may also be negative, infinite, or no number at all.
    milliseconds = round(seconds * 1000) if 0 <= seconds <= LONGEST else -1
    if milliseconds < positive:
        raise ValueError(f"must be between {'1ms' if positive else '0s'} and 24h")
    return milliseconds / 1000
