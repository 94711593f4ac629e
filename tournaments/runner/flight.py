"""How many tables a worker plays at the same time.

Many, so that decisions travel in batches and no bot waits for another. Few, where bots think so
long that they would wait for each other's processors: then one table at a time for each worker.
Nobody knows beforehand how long they think, so it begins with one table, and doubles while all is
well. What counts is the longest that a decision took: a bot that thinks for its bid and plays at
once thinks for the bids of all tables, which then come together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from referee.text import counted

MOST = 256
"""How many tables a worker plays at the same time at most, unless a tournament says so."""
SHARE = 0.25
"""Of the move time: what the decisions of all tables of a worker may take of the processors, one
after the other, if each is as long as the longest seen. The next may be longer."""


class Flight:
    """Decides how many tables each worker plays.

    Attributes:
        limit: How many at the same time.
    """

    def __init__(
        self, fixed: int | None, move_time: float, cores: float, say: Callable[[str], None]
    ) -> None:
        """Begins with one table, unless it is fixed.

        Args:
            fixed: The number that was asked for; ``None`` to find one.
            move_time: What a bot has for a decision, in seconds.
            cores: Processors for each worker and its bots.
            say: Told in words when fewer tables are played because bots think long.
        """
        self.limit = 1 if fixed is None else fixed
        self._is_fixed = fixed is not None
        self._room = SHARE * move_time * cores
        self._move_time = move_time
        self._say = say
        self._thinking: dict[str, float] = {}
        self._said = MOST

    def learn(self, thinking: Mapping[str, float]) -> None:
        """Takes what bots have been seen to need.

        Args:
            thinking: By entrant: the most seconds of processor time that a decision took.
        """
        if self._is_fixed:
            return
        for entrant, seconds in thinking.items():
            self._thinking[entrant] = max(seconds, self._thinking.get(entrant, 0.0))
        slowest = max(self._thinking, key=self._thinking.__getitem__, default=None)
        longest = 0.0 if slowest is None else self._thinking[slowest]
        fitting = MOST if longest * MOST <= self._room else max(1, int(self._room / longest))
        self.limit = min(2 * self.limit, fitting)
        # Half as many again is news, one less is none.
        if 2 * fitting <= self._said or fitting == 1 < self._said:
            self._said = fitting
            self._say(
                f"{slowest} needs up to {1000 * longest:.3g} ms of a processor for a decision, of "
                f"{self._move_time:g} s: each worker plays "
                f"{counted(fitting, 'table')} at a time, so that no bot waits for another"
            )
