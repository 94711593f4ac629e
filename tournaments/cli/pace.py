"""How fast something goes, and what is left of it, once that can be known."""

from __future__ import annotations

import time
from collections.abc import Callable

ENOUGH = 10
"""Steps after the first one seen that tell how long one takes; or a tenth of all, if fewer."""


class Pace:
    """Tells the time left from the steps after the first, for that one has the start in it.

    >>> from itertools import count
    >>> clock = count().__next__
    >>> pace = Pace(100, clock=clock)
    >>> [pace.left(done, 100.0 - done) for done in (0, 1, 5, 21)]
    [None, None, None, 7.9]
    """

    def __init__(self, total: int | None = None, *, clock: Callable[[], float] = time.monotonic):
        """Begins with nothing seen.

        Args:
            total: How many steps there are at most, if that is known.
            clock: The time in seconds.
        """
        self._enough = ENOUGH if total is None else min(ENOUGH, max(1, total // 10))
        self._clock = clock
        self._first: tuple[int, float] | None = None

    def left(self, done: int, steps: float) -> float | None:
        """Returns the seconds that so many more *steps* take; ``None`` while too few are done.

        Args:
            done: How many are done by now. It is to be told often, from the first one on.
            steps: How many are asked about.
        """
        now = self._clock()
        if not done:
            return None
        if self._first is None:
            self._first = done, now
        first, since = self._first
        if done - first < self._enough or now <= since:
            return None
        return steps * (now - since) / (done - first)


def duration(seconds: float) -> str:
    """Returns a time as people say it.

    >>> [duration(each) for each in (4.2, 75, 4000)]
    ['4s', '1m15s', '1h06m']
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}h{minutes:02}m"
    return f"{minutes}m{rest:02}s" if minutes else f"{rest}s"
