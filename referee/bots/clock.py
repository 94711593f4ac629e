"""The clock: what a bot may take, and time in which this host itself was running.

A bot's clock runs while it has an unanswered decision. It must answer the oldest one within the
move time of the later of two moments: that decision was handed to the transport, and its previous
answer arrived. With one decision in flight this is the ordinary move clock; with a batch it is one
answer per move time, and a bot is not charged for waiting that we caused.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

TICK = 0.02
"""Seconds between two looks at the clock."""
STALL = 0.1
"""Seconds by which a look may be late before the host counts as having stalled."""


@dataclass(frozen=True, slots=True)
class ClockTerms:
    """What a bot may take. Times are seconds."""

    move_time: float = 2.0
    """For each decision."""
    bank: float | None = None
    """For a seat in a whole match, on top of the move times; ``None`` for no bank."""
    startup: float = 15.0
    """From the start of the process to its answer to the handshake."""
    first_move: float = 5.0
    """For the first decision of a process, in which it may warm up."""
    grace: float | None = None
    """What an answer may be late before it counts as late: the share of this host. ``None`` means
    that it is measured when the bots' arena is made."""


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
