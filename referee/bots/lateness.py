"""Whether a question is late: by the bot's own doing, and not by ours or that of a crowded host.

On a host with more work than processors a bot that answers in time may be seen late: the question
waits until we get a processor to write it, the bot until it gets one to answer, the answer until we
get one to read it. The kernel counts how long each thread was ready to run and had no processor. By
so much an answer may be late on top of the grace, within bounds that no bot can widen.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from referee.bots.asks import Ask, Sending
from referee.bots.clock import RunningClock
from referee.bots.outstanding import Outstanding, Overdue
from referee.bots.waits import Threads

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


def window_opens(limit: float) -> float:
    """Returns from when on waiting for a processor counts, of a time that is over at *limit*."""
    return max(limit / 4, limit - WINDOW)


def most_credit(allowed: float, grace: float) -> float:
    """Returns the most seconds that an answer may be late for the waiting of the host.

    Args:
        allowed: What the bot has, in seconds.
        grace: What its answer may be late anyway.
    """
    return max(0.0, min(MOST_CREDIT, MOST_SHARE * allowed - grace))


class CpuWaits:
    """How we and a bot have waited for a processor from now on."""

    def __init__(self, clock: RunningClock, bot: Threads) -> None:
        """Begins to count.

        Args:
            clock: The time of this host.
            bot: The threads of the bot.
        """
        self._clock = clock
        self._sides = (clock.threads, bot)
        self._bot = bot
        self._began, self._stalled = clock.now(), clock.stalled
        self._before = tuple(side.waited() for side in self._sides)
        self._used = bot.used()
        self._ready: frozenset[tuple[int, bytes]] | None = None

    @property
    def seconds(self) -> float:
        """How long, in waits that are over, but for stalls, which the clock has left out already.

        Added up over the threads, as an answer waits at one after the other. A bot can have missed
        no more than the time in which it used no processor.
        """
        stalled = self._clock.stalled - self._stalled
        passed = self._clock.now() - self._began + stalled
        before, now = self._before, [side.waited() for side in self._sides]
        eager = self._bot.eager()
        ours = _since(before[0], now[0])
        bots = _since(before[1], {thread: now[1][thread] for thread in eager & now[1].keys()})
        bots = min(bots, max(0.0, passed - (self._bot.used() - self._used)))
        return max(0.0, min(ours + bots, passed) - stalled)

    def go_on(self) -> bool:
        """Whether one that was ready at the last look has had no processor since.

        At the first look: whether one is ready, other than the thread that asks.
        """
        ours, bots = (side.ready() for side in self._sides)
        eager = self._bot.eager()
        bots = frozenset(each for each in bots if each[0] in eager)
        before, self._ready = self._ready, ours | bots
        return bool(self._ready if before is None else self._ready & before)


def _since(before: dict[int, float], now: dict[int, float]) -> float:
    """Returns what was added; a thread that has ended, and its number, count for nothing."""
    return sum(max(0.0, seconds - before.get(thread, 0.0)) for thread, seconds in now.items())


class Lateness:
    """Watches the questions that are out to one process."""

    def __init__(
        self,
        clock: RunningClock,
        bot: Callable[[], Threads],
        late: Callable[[Outstanding, float], None],
        broken: Callable[[BaseException], None],
    ) -> None:
        """Makes a watch.

        Args:
            clock: The time of this host.
            bot: Returns the threads of the bot, as they are now.
            late: Told that the oldest question is late, and the running time by which it is.
            broken: Told of what goes wrong in looking again, which is not the bot's fault.
        """
        self._clock = clock
        self._bot = bot
        self._late = late
        self._broken = broken
        self._watched: tuple[Ask, Sending | None, float] | None = None
        self._waits: CpuWaits | None = None
        self._is_looking = False
        self._is_held = False

    def check(self, out: Outstanding) -> None:
        """Looks at what is *out*, at every tick of the clock."""
        oldest = out.oldest
        if oldest is None or self._is_looking:
            return
        now = self._clock.now()
        elapsed, limit = out.elapsed(now), out.limit(oldest)
        if elapsed <= window_opens(out.shortest_limit):
            return
        if self._watched != _turn(out, oldest):
            self._watched = _turn(out, oldest)
            self._waits = CpuWaits(self._clock, self._bot())
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
        if self._is_held and oldest is not None and self._watched == _turn(out, oldest):
            self._is_held = False
            self._late(out, self._clock.now() - self.credit(out, oldest, oldest))

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
        if self._waits is None or self._watched != _turn(out, oldest):
            return 0.0
        return min(self._waits.seconds, most_credit(out.allowed(ask), out.grace(ask)))

    def _look_again(self, out: Outstanding, now: float, looks: int) -> None:
        """Calls it late if it has not come by *now*, once everything that had come is handled."""
        if looks:
            asyncio.get_running_loop().call_soon(self._look_again, out, now, looks - 1)
            return
        self._is_looking = False
        try:
            self._judge(out, now)
        except Exception as error:  # noqa: BLE001 - passed on whole
            self._broken(error)

    def _judge(self, out: Outstanding, now: float) -> None:
        """Calls the oldest question late if it is by *now*, unless a wait goes on."""
        oldest = out.oldest
        if oldest is None or self._waits is None or not out.is_overdue(now):
            return
        latest = self._clock.now() - most_credit(out.allowed(oldest), out.grace(oldest))
        self._is_held = not out.is_overdue(latest) and self._waits.go_on()
        if not self._is_held:
            # What waited when its credit was reckoned may have had its turn since.
            credit = self.credit(out, oldest, oldest)
            self._late(out, min(now, self._clock.now() - credit))


def _turn(out: Outstanding, ask: Ask) -> tuple[Ask, Sending | None, float]:
    """Returns what makes the time of *ask* another one: it began anew, or was sent anew."""
    return ask, ask.sending, out.began(ask)
