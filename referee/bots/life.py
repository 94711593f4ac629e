"""The processes of one bot, one after the other: how each is started, held and ended.

A start, or a connection, that a stall of this host has spoilt is no fault of the bot: the process
is then started again, and nobody is charged.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from enum import Enum, auto
from typing import Protocol

from referee.bots.asks import StalledError
from referee.bots.clock import RunningClock
from referee.bots.cpu import CpuMeter
from referee.bots.sessions import EndReport, Session, StartError
from referee.bots.stalls import BREAKS, MAX_REPEATS, broke_by_stall
from referee.bots.transports import Gate, Listener
from referee.bots.waits import NO_THREADS, Threads
from referee.match import Fault, FaultKind

MAX_FAILED_STARTS = 3
"""How often in a row a bot may fail to start before it is not tried again."""


class State(Enum):
    """Where a bot is in its life."""

    DOWN = auto()
    """There is no process."""
    STARTING = auto()
    UP = auto()
    ENDING = auto()
    BROKEN = auto()
    """There is none, and there will be none."""


class Owner(Protocol):
    """Is told how a life goes on."""

    def is_up(self) -> None:
        """Takes note that there is a new session."""

    def has_not_started(self, fault: Fault) -> None:
        """Takes note that there is none, and why."""

    def has_not_been_let(self, error: StalledError) -> None:
        """Takes note that there is none because of this host."""

    def has_ended(self, fault: Fault | None, when: float, *, remote: bool) -> None:
        """Takes note that the session is over.

        Args:
            fault: What is to be charged for it; ``None`` if the bot has done nothing wrong.
            when: The running time at which it was lost.
            remote: Whether it was with a bot on another machine.
        """


class Life:
    """The processes of one bot.

    Attributes:
        state: Where it is.
        session: The running process, if there is one.
        starts: How many processes were started.
        start_fault: What the last start failed of; ``None`` if it did not.
        meter: What the processes use of the processors.
    """

    def __init__(
        self,
        name: str,
        clock: RunningClock,
        start: Callable[[Listener], Awaitable[Session]],
        *,
        listener: Listener,
        owner: Owner,
        broken: Callable[[BaseException], None],
    ) -> None:
        """Makes the life of a bot of which no process runs yet.

        Args:
            name: What the bot is called in messages.
            clock: The time of this host.
            start: Starts a process, shakes hands with it and returns the session; raises
                `StartError`.
            listener: Who is told what comes back from the bot.
            owner: Who is told how it goes on.
            broken: Called when a process can neither be started nor ended for a reason that is
                not the bot's.
        """
        self._name = name
        self._clock = clock
        self._start = start
        self._listener = listener
        self._owner = owner
        self._broken = broken
        self.state = State.DOWN
        self.session: Session | None = None
        self.starts = 0
        self.has_been_up = False
        self.start_fault: Fault | None = None
        self.meter = CpuMeter()
        self._failed_starts = 0
        self._stalled: StalledError | None = None
        self._gate = Gate(listener)
        self._in_turn = False
        self._task: asyncio.Task[None] | None = None

    def threads(self) -> Threads:
        """Returns the threads of the running process, as far as they are known."""
        return NO_THREADS if self.session is None else self.session.threads

    # Turns: what is to happen to a bot while it is not to move begins and ends here.

    def turn_begins(self) -> Session:
        """Comes before decisions are handed over, when none were out. Returns the session."""
        session = self.session
        assert session is not None
        self._in_turn = True
        self.meter.turn_begins(session.cpu())
        session.wake()
        return session

    def turn_ends(self) -> None:
        """Comes when nothing is out any more."""
        if self._in_turn and self.session is not None:
            self._in_turn = False
            self.meter.turn_ends(self.session.cpu())
            self.session.rest()

    # From start to end.

    def bring_up(self) -> None:
        """Starts a process."""
        self.state = State.STARTING
        self._begin(self._run_start())

    async def warm_up(self) -> None:
        """Starts a process if none is running, and waits until it has shaken hands.

        Raises:
            StartError: if it does not start.
            StalledError: if this host does not let it.
        """
        if self.state is State.ENDING and self._task is not None:
            await self._task
        if self.state is State.DOWN:
            self.bring_up()
        if self._task is not None:
            await self._task
        if (fault := self.start_fault) is not None:
            raise StartError(fault.detail, EndReport(fault.exit_status, fault.stderr_tail))
        if self._stalled is not None:
            raise self._stalled

    def end(self, fault: Fault | None = None, *, since: float | None = None) -> None:
        """Ends the session.

        Args:
            fault: What the bot has done, unless the end shows something else.
            since: If a stall can explain the fault: the running time from which on.
        """
        session = self._let_go()
        assert session is not None
        self.state = State.ENDING
        ours = since is not None and broke_by_stall(self._clock, since)
        self._begin(self._run_end(session, fault, self._clock.now(), ours=ours))

    async def close(self) -> None:
        """Ends the process for good."""
        if self.state is State.STARTING and self._task is not None:
            self._task.cancel()
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)
        session = self._let_go()
        self.state = State.BROKEN
        if session is not None:
            await session.end()

    def _let_go(self) -> Session | None:
        """Returns the session, which nobody hears any more, with its last use written down."""
        self._gate.close()
        session, self.session = self.session, None
        if session is not None:
            read = self.meter.turn_ends if self._in_turn else self.meter.turn_begins
            read(session.cpu())
            self.meter.process_ends()
            self._in_turn = False
        return session

    def _begin(self, work: Coroutine[None, None, None]) -> None:
        self._task = asyncio.create_task(work, name=self._name)
        self._task.add_done_callback(self.look_at)

    def look_at(self, task: asyncio.Task[None]) -> None:
        """Takes note of what went wrong in *task*, which is over: it is not the bot's fault."""
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._broken(error)

    async def _run_start(self) -> None:
        self._stalled = None
        try:
            self.session, self._gate = await self._start_unless_stalled()
        except StartError as error:
            self._failed_starts += 1
            report = error.report
            fault = Fault(FaultKind.START, str(error), report.exit_status, report.stderr_tail)
            self.start_fault = fault
            given_up = self._failed_starts >= MAX_FAILED_STARTS
            self.state = State.BROKEN if given_up else State.DOWN
            self._owner.has_not_started(fault)
            return
        except StalledError as error:
            self._stalled, self.state = error, State.DOWN
            self._owner.has_not_been_let(error)
            return
        self._failed_starts, self.start_fault = 0, None
        self.state, self.has_been_up = State.UP, True
        self.session.rest()
        self._owner.is_up()
        self._gate.open()

    async def _start_unless_stalled(self) -> tuple[Session, Gate]:
        """Returns a new session; starts again if it was this host that spoilt the start."""
        problem = ""
        for _ in range(1 + MAX_REPEATS):
            self.starts += 1
            begun, gate = self._clock.now(), Gate(self._listener)
            try:
                return await self._start(gate), gate
            except StartError as error:
                its_own = error.answered or error.report.exit_status
                if its_own or self._clock.stalled_since(begun) < BREAKS:
                    raise
                problem = str(error)
        raise StalledError(f"{self._name} could not be started, this host stood still: {problem}")

    async def _run_end(
        self, session: Session, fault: Fault | None, when: float, *, ours: bool
    ) -> None:
        report = await session.end(lost=fault is not None)
        self.state = State.DOWN
        # No stall of this host ends a process, nor the connection to one that is here, and runs.
        if ours and not report.exit_status and not report.ran_on:
            fault = None
        elif fault is not None:
            fault = report.explain(fault)
        self._owner.has_ended(fault, when, remote=session.is_remote)
