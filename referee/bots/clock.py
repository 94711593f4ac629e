"""The clock: time in which this host itself was running."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable

from referee.bots.waits import Threads, our_threads, waited

TICK = 0.01
"""Seconds between two looks at the clock."""
STALL = 0.1
"""Seconds by which a look may be late before the host counts as having stalled."""
MEMORY = 256
"""How many stalls are remembered one by one."""


def slept() -> float:
    """Returns the seconds that this machine has slept since it was started.

    The two clocks of the system differ by that and by nothing else (``clock_gettime(2)``).
    """
    asleep_too = time.clock_gettime(time.CLOCK_BOOTTIME)
    # Read second: if we are held up between the two, it seems to have slept less, never more.
    return asleep_too - time.monotonic()


class RunningClock:
    """Seconds in which this process was running.

    It follows the monotonic clock, but does not move while the process was stopped, the machine
    slept, or the event loop was held up: such time is nobody's thinking time. Where we were ready
    all the while and had no processor, it moves: a bot can bring that about, and how late its
    answer may be for it is bounded (`lateness`). Use it as an async context manager; it ticks while
    the block runs.

    Attributes:
        stalls: How many stalls there were.
        stalled: How long they took together, in seconds.
        threads: Our own threads.
        sleeps: How many of them were sleeps of the machine, after which no connection to another
            one can be trusted.
    """

    def __init__(
        self,
        monotonic: Callable[[], float] = time.monotonic,
        slept: Callable[[], float] = slept,
        threads: Threads | None = None,
        waited: Callable[[], float] = waited,
    ) -> None:
        """Makes a clock.

        Args:
            monotonic: The time in seconds, without the time that the machine slept.
            slept: How long that was.
            threads: What counts as our threads, instead of those of this process.
            waited: How long the thread that asks has waited for a processor, in seconds.
        """
        self._monotonic = monotonic
        self._slept = slept
        self.threads = threads or our_threads()
        self._waited = waited
        self._waited_before = waited()
        self._due = monotonic()
        self._left_out = 0.0
        self._asleep = max(slept() for _ in range(3))
        self._watchers: list[Callable[[], None]] = []
        self._task: asyncio.Task[None] | None = None
        self._latest: deque[tuple[float, float]] = deque(maxlen=MEMORY)
        self.stalls = 0
        self.stalled = 0.0
        self.sleeps = 0

    def now(self) -> float:
        """Returns the running time in seconds; only differences mean something."""
        return self.look() - self._left_out

    def look(self) -> float:
        """Takes note of the time, and of a stall if the last look was too long ago.

        Returns:
            The monotonic time in seconds.
        """
        now = self._monotonic()
        late = now - self._due
        if late > STALL:
            waited = self._waited()
            late -= max(0.0, waited - self._waited_before)
            self._waited_before = waited
            if late > STALL:
                self._left_out += late
                self._note(late, now)
        asleep = self._slept() - self._asleep
        if asleep > 0.0:
            self._asleep += asleep
            if asleep > STALL:
                self.sleeps += 1
                self._note(asleep, now)
        self._due = now + TICK
        return now

    def _note(self, seconds: float, now: float) -> None:
        self.stalls += 1
        self.stalled += seconds
        self._latest.append((now - self._left_out, seconds))

    def stalled_since(self, moment: float) -> float:
        """Returns the seconds of the stalls that ended after *moment*, a running time."""
        return sum(seconds for ended, seconds in self._latest if ended > moment)

    def watch(self, watcher: Callable[[], None]) -> None:
        """Calls *watcher* at every tick from now on."""
        self._watchers.append(watcher)

    def unwatch(self, watcher: Callable[[], None]) -> None:
        """Calls *watcher* no longer."""
        self._watchers.remove(watcher)

    async def __aenter__(self) -> RunningClock:
        """Starts ticking."""
        self.look()
        self._task = asyncio.create_task(self._tick(), name="clock")
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stops ticking."""
        assert self._task is not None
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    def tick(self) -> None:
        """Looks at the time, and lets everybody look who watches it."""
        self.look()
        self._waited_before = self._waited()
        for watcher in tuple(self._watchers):
            watcher()

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK)
            self.tick()
