"""A line to one bot process: what waits, what is out, whose time runs, and what a silence means.

A line starts its process when the first decision comes, keeps it across tables, and starts a new
one after a crash.

When a process with several decisions out is lost, nobody knows which of them it died of. They are
put again to the next process one at a time, and the one it dies of again is charged, the others
are not: the records are the same as if decisions had always been put singly.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from enum import Enum, auto

from moon.v1 import bot_service_pb2 as pb

from referee.bots.asks import NOTHING, Ask, Charge
from referee.bots.clock import RunningClock
from referee.bots.outstanding import Outstanding
from referee.bots.sessions import EndReport, Session, StartError
from referee.bots.terms import MAX_BATCH, ClockTerms
from referee.bots.transports import Gate, Listener
from referee.match import Fault, FaultKind
from referee.rules import IllegalChoiceError
from referee.wire.choices import decode_answer, encode_decision
from referee.wire.errors import WireError
from referee.wire.notices import NOTIFICATIONS, Notice, encode_notice

MAX_FAILED_STARTS = 3
"""How often in a row a bot may fail to start before it is not tried again."""
CALL_MARGIN = 5.0
"""Seconds by which the deadline of a call lies behind our own judgement of it."""


class _State(Enum):
    DOWN = auto()
    STARTING = auto()
    UP = auto()
    ENDING = auto()
    BROKEN = auto()


class Line:
    """A line to one bot process.

    Attributes:
        starts: How many processes were started.
        strays: How many answers named no open question.
    """

    def __init__(
        self,
        name: str,
        clock: RunningClock,
        terms: ClockTerms,
        start: Callable[[Listener], Awaitable[Session]],
        *,
        broken: Callable[[BaseException], None],
        window: int = MAX_BATCH,
    ) -> None:
        """Makes a line whose process is started by *start* when it is first needed.

        Args:
            name: What the bot is called in messages.
            clock: The time of this host.
            terms: What the bot may take.
            start: Starts a process, shakes hands with it and returns the session; raises
                `StartError`.
            broken: Called when a process can neither be started nor ended for a reason that is
                not the bot's; nothing more comes of the line then.
            window: The most decisions that may be out to the process at a time.
        """
        self._name = name
        self.starts = 0
        self.strays = 0
        self._clock = clock
        self._terms = terms
        self._start = start
        self._broken = broken
        self._window = window
        self._state = _State.DOWN
        self._session: Session | None = None
        self._gate = Gate(self)
        self._task: asyncio.Task[None] | None = None
        self._waiting: deque[Ask] = deque()
        self._out = Outstanding(terms)
        self._suspects: set[tuple[str, int]] = set()
        self._owed: Fault | None = None
        self._start_fault: Fault | None = None
        self._failed_starts = 0
        self._pumping = False
        self._fetching: set[asyncio.Task[None]] = set()
        clock.watch(self._check_time)

    @property
    def is_running(self) -> bool:
        """Whether there is a process, or one is on its way up or down."""
        return self._state not in (_State.DOWN, _State.BROKEN)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is asked and nothing waits."""
        busy = self._waiting or self._out or self._fetching
        return not busy and self._state is not _State.STARTING

    @property
    def introduction(self) -> str:
        """What the running bot says of itself: name, version, author."""
        return "" if self._session is None else self._session.info.introduction

    def ask(self, ask: Ask) -> None:
        """Puts *ask* to the bot as soon as it takes one more."""
        self._waiting.append(ask)
        self._pump_soon()

    def wants(self, notice: type[Notice]) -> bool:
        """Whether the running bot asked to be told such a thing."""
        session = self._session
        return session is not None and NOTIFICATIONS[notice] in session.info.notifications

    def tell(self, notice: Notice) -> None:
        """Tells the bot what happened. Returns at once; nothing comes back."""
        if self._session is not None:
            self._session.notify(encode_notice(notice))

    def restart(self) -> None:
        """Ends the process. What is out is put to the next one, and charged to nobody."""
        if self._state is _State.UP:
            self._put_back()
            self._end()

    async def warm_up(self) -> None:
        """Starts the process if it is not running, and waits until it has shaken hands.

        Raises:
            StartError: if it does not start.
        """
        if self._state is _State.ENDING and self._task is not None:
            await self._task
        if self._state is _State.DOWN:
            self._bring_up()
        if self._task is not None:
            await self._task
        if self._start_fault is not None:
            fault = self._start_fault
            raise StartError(fault.detail, EndReport(fault.exit_status, fault.stderr_tail))

    async def close(self) -> None:
        """Ends the process for good; what is asked is dropped."""
        self._clock.unwatch(self._check_time)
        self._waiting.clear()
        self._out.take_all()
        for fetching in self._fetching:
            fetching.cancel()
        if self._state is _State.STARTING and self._task is not None:
            self._task.cancel()
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)
        session, self._session = self._session, None
        self._state = _State.BROKEN
        self._gate.close()
        if session is not None:
            await session.end()

    # Putting decisions.

    def _pump_soon(self) -> None:
        """Pumps once this turn of the event loop is over, so that what comes together leaves so."""
        if not self._pumping:
            self._pumping = True
            asyncio.get_running_loop().call_soon(self._pump)

    def _pump(self) -> None:
        self._pumping = False
        with self._our_fault():
            if not self._waiting:
                return
            if self._state is _State.BROKEN and self._start_fault is not None:
                self._fault_waiting(self._start_fault)
            elif self._owed is not None and self._state in (_State.DOWN, _State.UP):
                owed, self._owed = self._owed, None
                self._waiting.popleft().faulted(owed, NOTHING)
                self._pump_soon()
            elif self._state is _State.DOWN:
                self._bring_up()
            elif self._state is _State.UP:
                self._send()

    @contextmanager
    def _our_fault(self) -> Iterator[None]:
        """Tells the owner what goes wrong in the block: it is no bot's fault, and nobody waits."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - passed on whole
            self._broken(error)

    def _send(self) -> None:
        """Sends what waits, once the bot has answered all it has: so the next batch is large."""
        if self._out:
            return
        session = self._session
        assert session is not None
        window = 1 if self._suspects else min(self._window, session.window)
        asks: list[Ask] = []
        batch: list[pb.Decision] = []
        while self._waiting and len(batch) < window:
            ask = self._waiting.popleft()
            try:
                batch.append(self._message(ask))
            except Exception as error:  # noqa: BLE001 - it ends this table, and no other
                ask.failed(error)
            else:
                asks.append(ask)
        if batch:
            self._out.add(asks, self._clock.now())
            session.send(batch, max(map(self._out.limit, asks)) + CALL_MARGIN)

    def _message(self, ask: Ask) -> pb.Decision:
        question = ask.question
        return encode_decision(
            question.view,
            match_id=ask.match_id,
            number=question.number,
            move_time_ms=max(1, round(self._terms.move_time * 1000)),
            bank_ms=None if ask.bank is None else max(0, round(ask.bank * 1000)),
            charged_ms=None if ask.charged is None else round(ask.charged * 1000),
        )

    # What comes back.

    def answered(self, answers: Sequence[pb.Answer]) -> None:
        """Takes answers that arrived together."""
        with self._our_fault():
            now = self._clock.now()
            self._time_out(now)
            open_count = len(self._out)
            elapsed = self._out.charge(now, max(1, min(len(answers), open_count)))
            known = [(ask, a) for ask, a in ((self._find(a), a) for a in answers) if ask]
            if known:
                self._out.settle(now)
                if FaultKind.PROTOCOL in [self._judge(*each, elapsed) for each in known]:
                    self.restart()  # who cannot be understood is not asked again
            self._pump_soon()

    def _find(self, answer: pb.Answer) -> Ask | None:
        """Returns the question *answer* is to, which is out no longer, or ``None``."""
        ask = self._out.take((answer.match_id, answer.decision_number))
        if ask is None and self._out and not answer.match_id:
            # An answer without ids can be to anything, so it is held against the oldest question.
            return self._out.take_oldest()
        if ask is None:
            self.strays += 1
        return ask

    def _judge(self, ask: Ask, answer: pb.Answer, charge: Charge) -> FaultKind | None:
        """Passes on the choice in *answer*, or what is wrong with it, and returns the latter."""
        self._suspects.discard(ask.key)
        decision = ask.question.decision
        try:
            if answer.match_id != ask.match_id:
                raise WireError("answer.match_id", "is unset, so the answer is to no question")
            choice = decision.check(decode_answer(answer, decision))
        except WireError as error:
            fault = Fault(FaultKind.PROTOCOL, str(error))
        except IllegalChoiceError as error:
            fault = Fault(FaultKind.ILLEGAL, str(error))
        else:
            ask.answered(choice, charge)
            return None
        self._fault(ask, fault, charge)
        return fault.kind

    def _fault(self, ask: Ask, fault: Fault, charge: Charge) -> None:
        """Faults *ask*, with what the bot, which runs on, wrote last to its standard error."""
        session = self._session
        assert session is not None

        async def fetch() -> None:
            tail = await session.recent_stderr()
            ask.faulted(replace(fault, stderr_tail=tail), charge)

        task = asyncio.create_task(fetch(), name=f"stderr of {self._name}")
        self._fetching.add(task)
        task.add_done_callback(self._fetching.discard)
        task.add_done_callback(self._look_at)

    def expired(self, question: pb.Decision, problem: str) -> None:
        """Takes note that the call for *question* ended for want of time, its own or the bot's."""
        # Our own clock is faster than the call's: what is still open, the bot has ended itself.
        if (question.match_id, question.decision_number) in {ask.key for ask in self._out}:
            self.lost(problem, disconnected=False, question=question)

    def failed(self, error: BaseException) -> None:
        """Takes note that asking broke, which is no fault of the bot."""
        self._broken(error)

    def _check_time(self) -> None:
        """Looks whether questions are overdue."""
        if self._out and self._state is _State.UP:
            with self._our_fault():
                self._time_out(self._clock.now())

    def _time_out(self, now: float) -> None:
        """Judges late what is late by *now*."""
        while (late := self._out.overdue(now)) is not None:
            self._suspects.discard(late.ask.key)
            fault = Fault(FaultKind.TIMEOUT, f"no answer within {late.allowed:g} s")
            self._fault(late.ask, fault, late.charge)
            self._pump_soon()

    # Starting, losing and ending the process.

    def _bring_up(self) -> None:
        self._state = _State.STARTING
        self._begin(self._run_start())

    def _begin(self, work: Coroutine[None, None, None]) -> None:
        self._task = asyncio.create_task(work, name=self._name)
        self._task.add_done_callback(self._look_at)

    def _look_at(self, task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._broken(error)

    async def _run_start(self) -> None:
        self.starts += 1
        self._out = Outstanding(self._terms)
        gate = Gate(self)
        try:
            session = await self._start(gate)
        except StartError as error:
            report = error.report
            self._failed_starts += 1
            self._start_fault = Fault(
                FaultKind.START, str(error), report.exit_status, report.stderr_tail
            )
            given_up = self._failed_starts >= MAX_FAILED_STARTS
            self._state = _State.BROKEN if given_up else _State.DOWN
            self._fault_waiting(self._start_fault)
            return
        self._failed_starts = 0
        self._start_fault = None
        self._session = session
        self._gate = gate
        self._state = _State.UP
        self._pump_soon()
        gate.open()

    def _fault_waiting(self, fault: Fault) -> None:
        waiting, self._waiting = self._waiting, deque()
        for ask in waiting:
            ask.faulted(fault, NOTHING)

    def lost(self, problem: str, *, disconnected: bool, question: pb.Decision | None) -> None:
        """Takes note that the session is over, because of *question* if it is known."""
        with self._our_fault():
            key = None if question is None else (question.match_id, question.decision_number)
            if key is None or any(ask.key == key for ask in self._out):
                kind = FaultKind.CRASHED if disconnected else FaultKind.PROTOCOL
                self._end(Fault(kind, problem))
            else:
                self.restart()  # that question was judged before

    def _end(self, fault: Fault | None = None) -> None:
        session, self._session = self._session, None
        assert session is not None
        self._gate.close()
        self._state = _State.ENDING
        self._begin(self._run_end(session, fault, self._clock.now()))

    async def _run_end(self, session: Session, fault: Fault | None, when: float) -> None:
        report = await session.end(lost=fault is not None)
        self._state = _State.DOWN
        if fault is not None:
            if status := report.exit_status:
                fault = Fault(FaultKind.CRASHED, f"the process ended ({status})", status)
            elif report.ran_on:
                fault = replace(fault, kind=FaultKind.PROTOCOL)
            self._blame(replace(fault, stderr_tail=report.stderr_tail), when)
        self._pump_soon()

    def _blame(self, fault: Fault, when: float) -> None:
        """Charges the question the process was lost over, if it is known which one it was."""
        if not self._out:
            self._owed = fault
        elif len(self._out) == 1:
            charge = self._out.charge(when)
            ask = self._out.take_oldest()
            self._suspects.discard(ask.key)
            ask.faulted(fault, charge)
        else:
            self._suspects.update(ask.key for ask in self._out)
            self._put_back()

    def _put_back(self) -> None:
        self._waiting.extendleft(reversed(self._out.take_all()))
