"""A line to one bot process: what waits, what is out, whose time runs, and what a silence means.

A line starts its process when the first decision comes, keeps it across tables, and starts a new
one after a crash.

When a process with several decisions out is lost, nobody knows which of them it died of. From then
on decisions are put one at a time, until it dies of one, which is charged: the records are the same
as if decisions had always been put singly, and no bot is lost for nothing twice.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from moon.v1 import bot_service_pb2 as pb

from referee.bots.asks import NOTHING, Ask, Charge, Sending, StalledError
from referee.bots.clock import RunningClock
from referee.bots.cpu import CpuUse
from referee.bots.exchange import judge_answer, message_of, named_first
from referee.bots.lateness import Lateness
from referee.bots.life import Life, State
from referee.bots.outstanding import Outstanding
from referee.bots.sessions import Session
from referee.bots.stalls import repeatable
from referee.bots.terms import CALL_MARGIN, MAX_BATCH, ClockTerms
from referee.bots.transports import Listener
from referee.match import Fault, FaultKind
from referee.wire.notices import NOTIFICATIONS, Notice, encode_notice
from referee.wire.packing import DecisionMessage


class Line:
    """A line to one bot process.

    Attributes:
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
        self.strays = 0
        self._clock = clock
        self._terms = terms
        self._broken = broken
        self._window = window
        self._life = Life(name, clock, start, listener=self, owner=self, broken=broken)
        self._waiting: deque[Ask] = deque()
        self._out = Outstanding(terms)
        self._owed: Fault | None = None
        self._named: tuple[str, int] | None = None  # over which the session was lost
        self._is_alone = False  # whether decisions are put one at a time, to see what kills
        self._sleeps = clock.sleeps
        self._pumping = False
        self._lateness = Lateness(clock, self._life.threads, self._time_out, broken)
        self._fetching: set[asyncio.Task[None]] = set()
        clock.watch(self._check_time)

    @property
    def starts(self) -> int:
        """How many processes were started."""
        return self._life.starts

    @property
    def has_been_up(self) -> bool:
        """Whether the bot has shaken hands before."""
        return self._life.has_been_up

    @property
    def is_running(self) -> bool:
        """Whether there is a process, or one is on its way up or down."""
        return self._life.state not in (State.DOWN, State.BROKEN)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is asked and nothing waits."""
        busy = self._waiting or self._out or self._fetching
        return not busy and self._life.state is not State.STARTING

    @property
    def introduction(self) -> str:
        """What the running bot says of itself: name, version, author."""
        session = self._life.session
        return "" if session is None else session.info.introduction

    @property
    def cpu(self) -> CpuUse:
        """What the processes used of the processors since their first decisions."""
        return self._life.meter.use

    def ask(self, ask: Ask) -> None:
        """Puts *ask* to the bot as soon as it takes one more."""
        self._waiting.append(ask)
        self._pump_soon()

    def wants(self, notice: type[Notice]) -> bool:
        """Whether the running bot asked to be told such a thing."""
        session = self._life.session
        return session is not None and NOTIFICATIONS[notice] in session.info.notifications

    def tell(self, notice: Notice) -> None:
        """Tells the bot what happened. Returns at once; nothing comes back."""
        if self._life.session is not None:
            self._life.session.notify(encode_notice(notice))

    def restart(self) -> None:
        """Ends the process. What is out is put to the next one, and charged to nobody."""
        if self._life.state is State.UP:
            self._put_back(self._out.take_all())
            self._life.end()

    async def warm_up(self) -> None:
        """Starts the process if it is not running, and waits until it has shaken hands.

        Raises:
            StartError: if it does not start.
        """
        await self._life.warm_up()

    async def close(self) -> None:
        """Ends the process for good; what is asked is dropped."""
        self._clock.unwatch(self._check_time)
        self._waiting.clear()
        self._out.take_all()
        for fetching in self._fetching:
            fetching.cancel()
        await self._life.close()

    # Putting decisions.

    def _pump_soon(self) -> None:
        """Pumps once this turn of the event loop is over, so that what comes together leaves so."""
        if not self._pumping:
            self._pumping = True
            asyncio.get_running_loop().call_soon(self._pump)

    def _pump(self) -> None:
        self._pumping = False
        state, start_fault = self._life.state, self._life.start_fault
        with self._our_fault():
            if not self._waiting:
                return
            if state is State.BROKEN and start_fault is not None:
                self.has_not_started(start_fault)
            elif self._owed is not None and state in (State.DOWN, State.UP):
                owed, self._owed = self._owed, None
                self._waiting.popleft().faulted(owed, NOTHING)
                self._pump_soon()
            elif state is State.DOWN:
                self._life.bring_up()
            elif state is State.UP:
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
        assert self._life.session is not None
        window = 1 if self._is_alone else min(self._window, self._life.session.window)
        asks: list[Ask] = []
        batch: list[DecisionMessage] = []
        waiting, move_time = self._waiting, self._terms.move_time
        while waiting and len(batch) < window:
            ask = waiting.popleft()
            try:
                batch.append(message_of(ask, move_time))
            except Exception as error:  # noqa: BLE001 - it ends this table, and no other
                ask.failed(error)
            else:
                asks.append(ask)
        if batch:
            session = self._life.turn_begins()
            sending = Sending(self._clock.now(), self._clock.stalled)
            self._out.add(asks, sending, time.monotonic())
            session.send(batch, self._out.longest_limit(asks) + CALL_MARGIN)

    def awaits(self, question: DecisionMessage) -> bool:
        """Whether *question* is out still: neither answered nor judged."""
        return self._out.find(question.key) is not None

    def sent(self, questions: Sequence[DecisionMessage]) -> None:
        """Takes note that *questions* have been written."""
        ask = self._out.find(questions[-1].key)
        if ask is not None:
            self._out.written(ask, self._clock.now(), time.monotonic())

    # What comes back.

    def answered(self, answers: Sequence[pb.Answer]) -> None:
        """Takes answers that arrived together."""
        with self._our_fault():
            self._lateness.judge_held(self._out)
            if self._life.session is None:
                return  # it was lost, and what is out is put to the next one
            moment, now = time.monotonic(), self._clock.now()
            # What answers nothing shares no charge, or padding would make time cheap.
            oldest, whole = self._out.oldest, self._out.whole(now)
            is_understood = True
            known = [(ask, a) for a in named_first(answers) if (ask := self._find(a)) is not None]
            if known and oldest is not None:
                charge = self._out.share(whole, len(known))
                late = self._lateness.late(self._out, known, charge.seconds, oldest)
                self._out.settle(now)
                for ask, answer in known:
                    self._arrive(ask, moment)
                    if late and ask.key in late:
                        self._fault(ask, late[ask.key].fault, late[ask.key].charge)
                        continue
                    outcome = judge_answer(answer, ask.match_id, ask.question.decision)
                    if isinstance(outcome, Fault):
                        is_understood &= outcome.kind is not FaultKind.PROTOCOL
                        self._fault(ask, outcome, charge)
                    else:
                        ask.answered(outcome, charge)
            if not is_understood:
                self.restart()
            self._go_on()

    def _find(self, answer: pb.Answer) -> Ask | None:
        """Returns the question *answer* is to, which is out no longer, or ``None``.

        One that names no match can be to any: the question that waited longest pays for it.
        """
        ask = self._out.take((answer.match_id, answer.decision_number))
        if ask is None and self._out and not answer.match_id:
            return self._out.take_oldest()
        if ask is None:
            self.strays += 1
        return ask

    def _arrive(self, ask: Ask, moment: float) -> None:
        """Writes down that *ask*, which is out no longer, was answered or judged at *moment*."""
        ask.arrived = moment
        ask.note_stalls(self._clock.stalled)
        self._life.meter.use.decisions += 1

    def _go_on(self) -> None:
        """Comes when something that was out is out no longer."""
        if not self._out:
            self._life.turn_ends()
        self._pump_soon()

    def _fault(self, ask: Ask, fault: Fault, charge: Charge) -> None:
        """Faults *ask*, with what the bot, which runs on, wrote last to its standard error."""
        session = self._life.session
        if session is None:  # an answer that came with this one has ended it
            ask.faulted(fault, charge)
            return

        async def fetch() -> None:
            tail = await session.recent_stderr()
            ask.faulted(replace(fault, stderr_tail=tail), charge)

        task = asyncio.create_task(fetch(), name=f"stderr of {self._name}")
        self._fetching.add(task)
        task.add_done_callback(self._fetching.discard)
        task.add_done_callback(self._life.look_at)

    def failed(self, error: BaseException) -> None:
        """Takes note that asking broke, which is no fault of the bot."""
        self._broken(error)

    def _check_time(self) -> None:
        """Looks whether questions are overdue, and whether the machine slept."""
        with self._our_fault():
            self._lateness.check(self._out)
            if self._sleeps != self._clock.sleeps:
                self._sleeps = self._clock.sleeps
                if self._life.session is not None and self._life.session.is_remote:
                    self._begin_again()  # no connection outlives a sleep of the machine

    def _time_out(self, out: Outstanding, now: float) -> None:
        """Judges late what has not come by *now*, or lost if the bot cannot be reached."""
        session = self._life.session
        if out is not self._out or session is None:
            return
        with self._our_fault():
            if session.outage and out.is_overdue(now):
                self.lost(session.outage, disconnected=True, question=None)
                return
            while (late := out.overdue(now)) is not None:
                self._arrive(late.ask, time.monotonic())
                self._fault(late.ask, late.fault, late.charge)
                self._go_on()

    # Losing the process.

    def expired(self, question: DecisionMessage, problem: str) -> None:
        """Takes note that the time which the call for *question* was given is over.

        That is more than our own clock gives. So either the question was judged before, or the
        host stalled. The process may still be busy with the call, so it is put to another one.
        """
        with self._our_fault():
            self._clock.look()
            ask = self._out.find(question.key)
            if ask is None or ask.sending is None:
                return
            if self._clock.stalled > ask.sending.stalled:
                self._begin_again()
            else:
                self.lost(problem, disconnected=False, question=question)

    def lost(self, problem: str, *, disconnected: bool, question: DecisionMessage | None) -> None:
        """Takes note that the session is over, because of *question* if it is known."""
        with self._our_fault():
            if question is None or self.awaits(question):
                kind = FaultKind.CRASHED if disconnected else FaultKind.PROTOCOL
                now = self._clock.now()
                since = now - self._out.elapsed(now) if disconnected else None
                # Calls that end with a connection say nothing about what was asked in them.
                self._named = None if disconnected or question is None else question.key
                self._life.end(Fault(kind, problem), since=since)
            else:
                self.restart()  # that question was judged before

    def _begin_again(self) -> None:
        """Ends a session that a stall has spoilt; what was out is put to the next one."""
        asks = self._out.take_all()
        self._life.end()
        self._put_again(asks)  # last: a table that ends of it may want another process too

    def is_up(self) -> None:
        """Takes note that there is a new session, of a new process unless it runs elsewhere."""
        session = self._life.session
        is_the_same = session is not None and session.is_remote
        self._out = Outstanding(self._terms, is_warm=is_the_same and self._out.is_warm)
        self._pump_soon()

    def has_not_started(self, fault: Fault) -> None:
        """Charges everything that waits with *fault*."""
        self._is_alone = False
        waiting, self._waiting = self._waiting, deque()
        for ask in waiting:
            ask.faulted(fault, NOTHING)

    def has_not_been_let(self, error: StalledError) -> None:
        """Ends the tables that wait, without a fault of anybody."""
        waiting, self._waiting = self._waiting, deque()
        for ask in waiting:
            ask.failed(error)

    def has_ended(self, fault: Fault | None, when: float, *, remote: bool) -> None:
        """Charges what was out with *fault*, or puts it again if the bot did nothing wrong."""
        charge = self._out.charge(when)
        if fault is None:
            self._put_again(self._out.take_all())
        elif not self._out:
            self._owed, self._is_alone = fault, False
        else:
            named = self._named if fault.kind is FaultKind.PROTOCOL else None
            # A link is lost by itself, and not by a question: the one that waited longest pays.
            culprit = self._out.take_culprit(named, oldest=remote)
            self._is_alone = culprit is None
            if culprit is not None:
                self._arrive(culprit, time.monotonic())
                culprit.faulted(fault, charge)
            self._put_back(self._out.take_all())
        self._pump_soon()

    def _put_again(self, asks: list[Ask]) -> None:
        """Has *asks* asked again because the host had stalled, and charges nobody."""
        self._put_back(repeatable(asks, self._clock.stalled))

    def _put_back(self, asks: list[Ask]) -> None:
        self._waiting.extendleft(reversed(asks))
