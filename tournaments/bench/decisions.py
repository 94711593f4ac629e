"""Decisions a second that the referee gets out of three bots that take the first legal choice."""

from __future__ import annotations

import asyncio
import time

from referee.bots.pool import LineKey
from referee.bots.tables import TableInPlay
from referee.bots.terms import CallStyle, ClockTerms
from referee.rules import derive_key, seed_key
from tournaments.runner.arena import Arena
from tournaments.runner.jobs import Done, Job, TableJob

ENTRANTS = ("a", "b", "c")
BEHIND, INSIDE = "first_legal", "inproc:sample_bots.first_legal:FirstLegal"
DEALS = 20
"""Deals of a match: as many as a match to the target often has, and soon over when time is up."""


def job_of(bot: str, call: CallStyle = CallStyle.STREAM) -> Job:
    """Returns the job of an arena in which three of *bot* are asked by *call*."""
    return Job(
        rules="tournament-3p",
        entrants=dict.fromkeys(ENTRANTS, (bot,)),
        base=".",
        deals=DEALS,
        # Nothing here is to be judged, least of all a busy machine.
        clock=ClockTerms(move_time=60.0, first_move=60.0, startup=60.0),
        call=call,
    )


class Tables:
    """Tables in play in one arena, and a new one for each that is over."""

    def __init__(self, arena: Arena) -> None:
        """Makes them for *arena*, which is entered."""
        self._arena = arena
        self._begun = 0
        self._over = 0
        self._in_play: dict[int, TableInPlay] = {}
        self._ending = False
        self._problem = ""
        self._idle = asyncio.Event()

    @property
    def decisions(self) -> int:
        """How many decisions were asked for and answered so far."""
        return self._over + sum(map(_asked, self._in_play.values()))

    async def rate(self, tables: int, seconds: float) -> float:
        """Returns the decisions a second with so many tables in play, over so many seconds.

        What it takes to begin and to bring the last tables to an end is not counted.

        Raises:
            RuntimeError: if a table was not played as it should be.
        """
        await self._arena.start_all()
        self._ending = False
        self._idle.clear()
        for _ in range(tables):
            self._begin()
        await self._arena.unless_broken(asyncio.sleep(seconds / 10))
        start, before = time.perf_counter(), self.decisions
        while self.decisions == before and not self._problem:
            await self._arena.unless_broken(asyncio.sleep(seconds))
        rate = (self.decisions - before) / (time.perf_counter() - start)
        self._ending = True
        await self._arena.unless_broken(self._idle.wait())
        if self._problem:
            raise RuntimeError(self._problem)
        return rate

    def _begin(self) -> None:
        number = self._begun
        self._begun += 1
        key = derive_key(seed_key("benchmark"), str(number)).hex()
        self._in_play[number] = self._arena.play(
            TableJob(number, number, 0, ENTRANTS, key), self._end
        )

    def _end(self, outcome: Done) -> None:
        result = outcome.result
        if outcome.problem or result.faults:
            self._problem = outcome.problem or str(result.faults[0])
        self._over += _asked(self._in_play.pop(result.number))
        if not self._ending:
            self._begin()
        elif not self._in_play:
            self._idle.set()


def _asked(table: TableInPlay) -> int:
    return sum(map(len, table.charged))


async def start_up_time(arena: Arena, lane: int) -> float:
    """Returns the seconds from the start of a bot of *lane* to the end of its handshake."""
    key = LineKey(ENTRANTS[0], lane, 0)
    [line] = arena.pool.seat([key])
    start = time.perf_counter()
    try:
        await line.warm_up()
        return time.perf_counter() - start
    finally:
        arena.pool.leave([key])
