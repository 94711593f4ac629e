"""The clock: time in which this host itself was running."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

TICK = 0.02
"""Seconds between two looks at the clock."""
STALL = 0.1
"""Seconds by which a look may be late before the host counts as having stalled."""


class RunningClock:
    """Seconds in which this process was running.

    It follows the monotonic clock, but does not move while the process was stopped, the machine
    slept, or the event loop was held up: such time is nobody's thinking time. Use it as an async
    context manager; it ticks while the block runs.

    Attributes:
        stalls: How many stalls there were.
        stalled: How long they took together, in seconds.
    """

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        """Makes a clock over *monotonic*."""
        self._monotonic = monotonic
        self._due = monotonic()
        self._watchers: list[Callable[[], None]] = []
        self._task: asyncio.Task[None] | None = None
        self.stalls = 0
        self.stalled = 0.0

    def now(self) -> float:
        """Returns the running time in seconds; only differences mean something."""
        self.look()
        return self._monotonic() - self.stalled

    def look(self) -> None:
        """Takes note of the time, and of a stall if the last look was too long ago."""
        late = self._monotonic() - self._due
        if late > STALL:
            self.stalls += 1
            self.stalled += late
        self._due = self._monotonic() + TICK

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
        for watcher in tuple(self._watchers):
            watcher()

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK)
            self.tick()
