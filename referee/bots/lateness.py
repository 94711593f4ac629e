"""Whether a question is late: by the bot's own doing, and not by ours or that of a crowded host.

On a host with more work than processors a bot that answers in time may be seen late: the question
waits until we get a processor to write it, the bot until it gets one to answer, the answer until we
get one to read it. The kernel counts how long each thread was ready to run and had no processor. By
so much an answer may be late on top of the grace, within bounds that no bot can widen.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence

from referee.bots.asks import Ask, Sending
from referee.bots.outstanding import Outstanding, Overdue
from referee.bots.waits import CpuWaits, Threads

WINDOW = 0.5
"""Seconds before the limit from which on waiting for a processor counts, but not in the first
quarter of the time: most answers come in it, and looking takes longer than they do."""
MOST_CREDIT = 0.5
"""The most seconds that an answer may be late for it."""
MOST_SHARE = 0.9
"""The most that an answer may be late for it, with the grace, as a share of the time allowed: so
twice that time is late everywhere."""
LOOKS = 6
"""How often the event loop goes round before it has brought everything that has come: an answer
travels from the socket through two or three tasks."""


class Lateness:
    """Watches the questions that are out to one process."""

    def __init__(
        self,
        now: Callable[[], float],
        threads: Callable[[], Sequence[Threads]],
        late: Callable[[Outstanding, float], None],
    ) -> None:
        """Makes a watch.

        Args:
            now: The running time.
            threads: Returns our threads and those of the bot, as they are now.
            late: Told that the oldest question is late, and the running time by which it is.
        """
        self._now = now
        self._threads = threads
        self._late = late
        self._watched: tuple[Ask, Sending | None] | None = None
        self._waits = CpuWaits(())
        self._is_looking = False
        self._is_held = False

    def check(self, out: Outstanding) -> None:
        """Looks at what is *out*, at every tick of the clock."""
        oldest = out.oldest
        if oldest is None or self._is_looking:
            return
        now = self._now()
        elapsed, limit, first = out.elapsed(now), out.limit(oldest), out.shortest_limit
        if elapsed <= max(first / 4, first - WINDOW):
            return
        if self._watched != (oldest, oldest.sending):
            self._watched = (oldest, oldest.sending)
            self._waits = CpuWaits(self._threads())
            self._is_held = False
        elif elapsed > limit:
            credit = self.credit(out, oldest, oldest)
            if elapsed - credit > limit:
                self._is_looking = True
                self._look_again(out, now - credit, LOOKS)

    def judge_held(self, out: Outstanding) -> None:
        """Judges, now that answers have come, the oldest question if it was late before.

        Those who waited when its time was over have had their turn.
        """
        oldest = out.oldest
        if self._is_held and oldest and self._watched == (oldest, oldest.sending):
            self._is_held = False
            self._late(out, self._now() - self.credit(out, oldest, oldest))

    def late(
        self,
        out: Outstanding,
        answered: Iterable[tuple[Ask, object]],
        seconds: float,
        oldest: Ask,
    ) -> dict[tuple[str, int], Overdue]:
        """Returns by key which questions are answered too late though *oldest* may yet be answered.

        That has more in its bank then: nobody takes the time that another seat has.

        Args:
            out: What was out until the answers came.
            answered: The questions that are answered, each with its answer.
            seconds: What each of them is charged.
            oldest: The question that has been out longest.
        """
        if oldest.bank is None:
            return {}
        return {
            ask.key: out.late(ask)
            for ask, _ in answered
            if seconds > out.limit(ask) + self.credit(out, ask, oldest)
        }

    def credit(self, out: Outstanding, ask: Ask, oldest: Ask) -> float:
        """Returns the seconds by which an answer to *ask* may be late for the waiting of the host.

        Args:
            out: What is out, or was until the answer came.
            ask: The question.
            oldest: That which has been out longest, and is watched for it.
        """
        if self._watched != (oldest, oldest.sending):
            return 0.0
        return min(self._waits.seconds, _most_credit(out, ask))

    def _look_again(self, out: Outstanding, now: float, looks: int) -> None:
        """Calls it late if it has not come by *now*, once everything that had come is handled."""
        if looks:
            asyncio.get_running_loop().call_soon(self._look_again, out, now, looks - 1)
            return
        self._is_looking = False
        oldest = out.oldest
        if oldest is None or not out.is_overdue(now):
            return
        latest = self._now() - _most_credit(out, oldest)
        self._is_held = not out.is_overdue(latest) and self._waits.go_on()
        if not self._is_held:
            self._late(out, now)


def _most_credit(out: Outstanding, ask: Ask) -> float:
    """Returns the most seconds that an answer to *ask* may be late for the waiting of the host."""
    within = (1.0 + MOST_SHARE) * out.allowed(ask) - out.limit(ask)
    return max(0.0, min(MOST_CREDIT, within))
