"""The bots of one worker: a line for each entrant, lane, place in a pair, and half.

Lane k of an entrant plays only the k-th table of every block, and two seats of one table are never
the same process. So no process ever sees a deal twice. What one learns another can use only if they
can speak to each other: `docs/sandbox.md` says where `basic` leaves them a way.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeAlias

from referee.bots.asks import BotLine
from referee.bots.clock import RunningClock
from referee.bots.cpu import CpuUse
from referee.bots.halves import Half
from referee.bots.inprocess import InprocessLine, Turns
from referee.bots.insiders import Load
from referee.bots.keeper_client import Keeper
from referee.bots.line import Line
from referee.bots.names import program_of
from referee.bots.process import BotProcess
from referee.bots.reach import others
from referee.bots.remote_session import start_remote
from referee.bots.remotes import way_to
from referee.bots.sessions import Session, SessionTerms, start_session
from referee.bots.spec import BotKind, BotSpec
from referee.bots.terms import MAX_BATCH, ClockTerms
from referee.bots.transports import Listener

MAX_PROCESSES = 96
"""How many bot processes a worker keeps running; a Python bot takes about 40 MB. Idle ones make
room, the one that has been idle longest first."""


class LineKey(NamedTuple):
    """Which process plays."""

    entrant: str
    lane: int
    role: int
    """The place in a pair: 0 for its lower seat, 1 for the partner; 0 with three players."""
    half: int = 0
    """Of an entrant of two halves: the number of the `Half`; else 0."""


Started: TypeAlias = Callable[[LineKey, BotProcess], None]


class BotPool:
    """Starts bots when they are first needed, keeps them across tables, and ends them all.

    Use it as an async context manager.

    Attributes:
        failure: Raises what broke the pool, should it break; pending for ever if it does not. Then
            no table that is in play comes to an end.
        started: Is told of each process before it runs, for whoever wants all that it writes.
    """

    def __init__(
        self,
        entrants: Mapping[str, Sequence[BotSpec]],
        keeper: Keeper,
        clock: RunningClock,
        terms: ClockTerms,
        *,
        sessions: SessionTerms,
        window: int = MAX_BATCH,
        load: Load | None = None,
    ) -> None:
        """Makes a pool in which nothing runs yet.

        Args:
            entrants: By entrant: its bot, or the two of a pair.
            keeper: What starts the processes.
            clock: The time of this host.
            terms: What a bot may take.
            sessions: What the bots are started for.
            window: The most decisions that are out to one process at a time.
            load: Makes the bots that are asked inside this process, if there are any.
        """
        self._entrants = entrants
        self._keeper = keeper
        self._clock = clock
        self._terms = terms
        self._sessions = sessions
        self._window = window
        self._load = load
        self.started: Started | None = None
        self._turns = Turns()
        self.failure: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._lines: dict[LineKey, BotLine] = {}
        self._seated: dict[LineKey, int] = {}
        self._programs: dict[BotSpec, int] = {}

    async def __aenter__(self) -> BotPool:
        """Returns the pool."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Ends every process."""
        broken = not self.failure.cancel()
        closing = (line.close() for line in self._lines.values())
        # What broke the pool has been told, and breaks the end of each process once more.
        await asyncio.gather(*closing, return_exceptions=broken)

    def _fail(self, error: BaseException) -> None:
        if not self.failure.done():
            self.failure.set_exception(error)

    @property
    def strays(self) -> Counter[str]:
        """By entrant: how many answers came that named no open question, and were dropped."""
        counts: Counter[str] = Counter()
        for key, line in self._lines.items():
            if line.strays:
                counts[key.entrant] += line.strays
        return counts

    @property
    def cpu(self) -> dict[str, CpuUse]:
        """By entrant: what its bots used of the processors, of those of which it is known."""
        found: dict[str, CpuUse] = {}
        for key, line in self._lines.items():
            if line.cpu.total > 0.0:
                found.setdefault(key.entrant, CpuUse()).add(line.cpu)
        return found

    def keys(self, entrant: str, lane: int, role: int) -> tuple[LineKey, ...]:
        """Returns which processes play a seat: one, or the two of an entrant of halves."""
        halves = len(self._bot(entrant, role).programs)
        return tuple(LineKey(entrant, lane, role, half) for half in range(halves))

    def part(self, key: LineKey) -> str:
        """Returns which half of its entrant the process is, and its bot; empty if it is no half."""
        bot = self._bot(key.entrant, key.role)
        return f"{Half(key.half).words} {bot.programs[key.half].name}" if bot.halves else ""

    def program(self, key: LineKey) -> int:
        """Returns a number that only processes of equal bots share, whoever's they are."""
        return self._programs.setdefault(program_of(self._spec(key)), len(self._programs))

    def seat(self, keys: Sequence[LineKey]) -> tuple[BotLine, ...]:
        """Returns the line of each of *keys*, and holds them until `leave`.

        Raises:
            ValueError: if two seats would be the same process.
        """
        if len(set(keys)) != len(keys):
            raise ValueError(f"two seats of a table would be one process: {keys}")
        for key in keys:
            self._seated[key] = self._seated.pop(key, 0) + 1
        self._make_room(sum(not self._is_running(key) for key in keys))
        return tuple(self._line(key) for key in keys)

    def leave(self, keys: Sequence[LineKey]) -> None:
        """Says that a table no longer needs its lines."""
        for key in keys:
            self._seated[key] -= 1

    def renew(self, keys: Sequence[LineKey]) -> None:
        """Ends the processes of *keys*: those to come have not seen the deals of the table."""
        for key in keys:
            self._line(key).restart()

    def _line(self, key: LineKey) -> BotLine:
        line = self._lines.get(key)
        if line is None:
            line = self._lines[key] = self._new_line(key)
        return line

    def _new_line(self, key: LineKey) -> BotLine:
        spec = self._spec(key)
        if spec.kind is BotKind.INPROC:
            assert self._load is not None, "nobody said how a bot inside this process is made"
            return InprocessLine(
                spec, self._load, self._turns, rules=self._sessions.rules, window=self._window
            )

        async def start(listener: Listener) -> Session:
            terms = self._sessions
            if spec.is_remote:
                way = way_to(spec, terms.remote)
                return await start_remote(way, listener, terms, again=line.has_been_up)
            process = BotProcess(spec, self._keeper, terms.sandbox, self._hidden_from(spec))
            if self.started is not None:
                self.started(key, process)
            return await start_session(process, listener, terms, self._clock.now)

        line = Line(
            key.entrant,
            self._clock,
            self._terms if spec.is_remote else replace(self._terms, network=0.0),
            start,
            broken=self._fail,
            window=self._window,
        )
        return line

    def _hidden_from(self, spec: BotSpec) -> tuple[Path, ...]:
        """Returns what *spec* may not read: secrets of ours, and the other bots."""
        terms = self._sessions
        folders = (folder for folder in (terms.remote.tls, terms.remote.dial_in) if folder)
        entrants = self._entrants.values()
        bots = [program for bots in entrants for bot in bots for program in bot.programs]
        return (*terms.hidden, *map(Path, folders), *others(spec, bots))

    def _bot(self, entrant: str, role: int) -> BotSpec:
        bots = self._entrants[entrant]
        return bots[role % len(bots)]

    def _spec(self, key: LineKey) -> BotSpec:
        return self._bot(key.entrant, key.role).programs[key.half]

    def _is_running(self, key: LineKey) -> bool:
        return key in self._lines and self._lines[key].is_running

    def _make_room(self, wanted: int) -> None:
        """Ends idle processes that no table holds, longest unused first, so that *wanted* fit."""
        excess = sum(line.is_running for line in self._lines.values()) + wanted - MAX_PROCESSES
        for key, tables in tuple(self._seated.items()):
            if excess <= 0:
                return
            if tables == 0 and self._is_running(key) and self._lines[key].is_idle:
                self._lines[key].restart()
                excess -= 1
