"""What one match shows while it is played: a line on a terminal, else one now and then."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from types import TracebackType

from referee.match import FaultMark, FinishedDeal
from referee.text import counted
from tournaments.cli.live_screen import LiveScreen
from tournaments.cli.pace import duration

BEAT = {True: 0.5, False: 10.0}
"""Seconds between two looks, on a terminal and elsewhere."""


class MatchProgress(LiveScreen):
    """Says on standard error how far a match is. Use it as an async context manager.

    Attributes:
        error: Never anything: it draws nothing that could fail.
    """

    def __init__(self, deals: int | None) -> None:
        """Begins with no deal.

        Args:
            deals: How many will be played, if that is known.
        """
        self.error: OSError | None = None
        self._deals = deals
        self._done = self._faults = 0
        self._since = time.monotonic()
        super().__init__()

    def __call__(self, finished: FinishedDeal, faults: Sequence[FaultMark]) -> None:
        """Takes a deal that has ended, with its faults."""
        # A match that is void begins again, with deal 0.
        self._done = finished.number + 1
        self._faults = len(faults) + (self._faults if finished.number else 0)

    async def __aenter__(self) -> MatchProgress:
        """Begins to show."""
        self.__enter__()
        self._task = asyncio.create_task(self._beat(), name="progress")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Ends the display."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        self.__exit__(kind, error, trace)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT[self._live is not None])
            if self._live is not None:
                self._live.update(self._picture())
            else:
                self.say(self._picture())

    def _picture(self) -> str:
        deal, of = self._done + 1, ""
        if self._deals is not None:
            # The bots take their leave after the last one.
            deal, of = min(deal, self._deals), f" of {self._deals}"
        parts = [f"deal {deal}{of} is played"]
        if self._faults:
            parts.append(counted(self._faults, "fault"))
        return ", ".join([*parts, duration(time.monotonic() - self._since)])
