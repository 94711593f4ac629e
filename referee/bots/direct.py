"""A bot that is asked directly, outside of any match: for whoever wants to know what it does.

It is reached as every bot is, by a session and its transports, and its answers are judged as every
answer is; only nobody makes a choice in its place, and nothing is put again.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from moon.v1 import bot_service_pb2 as pb

from referee.bots.asks import StalledError
from referee.bots.clock import TICK, RunningClock
from referee.bots.exchange import judge_answer, named_first
from referee.bots.handshake import BotInfo, HandshakeError, shake_hands
from referee.bots.lateness import LOOKS, CpuWaits, most_credit, window_opens
from referee.bots.outstanding import grace_of, limit_of
from referee.bots.sessions import BotSession, Session
from referee.bots.terms import CALL_MARGIN, ClockTerms
from referee.bots.transports import Gate, Listener, StreamTransport, Transport, UnaryTransport
from referee.match import Fault, FaultKind
from referee.rules import Choice
from referee.wire.packing import DecisionMessage
from referee.wire.states import StoredQuestion, as_json

Start: TypeAlias = Callable[[Listener], Awaitable[Session]]
"""Starts a bot, shakes hands with it and returns the session; raises `StartError`."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What became of a question."""

    question: StoredQuestion
    outcome: Choice | Fault
    seconds: float
    """From the moment at which it was handed over; of one that stayed unanswered, how long it was
    waited for."""
    place: int = 0
    """How many questions of the same message were answered before it."""
    answer: dict[str, Any] = field(default_factory=dict)
    """The answer in the JSON form of protobuf; empty if none came."""


class DirectBot:
    """One running bot, asked by its session; a listener of it.

    Attributes:
        session: The session; there once `start` has returned.
        strays: How many answers named no open question.
        loss: Why the session was lost; ``None`` while it is there.
    """

    session: Session

    def __init__(self, clock: RunningClock, terms: ClockTerms) -> None:
        """Makes a bot that is not started yet.

        Args:
            clock: The time of this host.
            terms: What the bot may take; a grace of ``None`` is none.
        """
        self._clock = clock
        self._terms = terms
        self._asked = False
        self._settled = 0
        self._open: dict[tuple[str, int], _Open] = {}
        self._changed = asyncio.Event()
        self._stream: Transport | None = None
        self._failure: BaseException | None = None
        self.strays = 0
        self.loss: Fault | None = None

    async def start(self, start: Start) -> None:
        """Starts the bot.

        Raises:
            StartError: if it does not start.
        """
        self.session = await start(self)

    async def end(self) -> None:
        """Ends the bot and all it started."""
        if self._stream is not None:
            await self._stream.close()
        await self.session.end(lost=self.loss is not None)

    async def introduce_again(self) -> BotInfo:
        """Returns what the bot says of itself when it is asked once more.

        Raises:
            HandshakeError: if it answers something else than the protocol asks for.
            TimeoutError: if it does not answer within its move time.
            grpc.RpcError: if the call fails.
        """
        return await shake_hands(self._calls_of().calls, self._terms.move_time)

    async def cancel(self, question: StoredQuestion, after: float) -> None:
        """Puts *question* in a call of its own and cancels that *after* so many seconds."""
        nobody = Gate(self)  # that is never opened
        transport = UnaryTransport(self._calls_of().calls, nobody)
        transport.send([_message(question)], after + CALL_MARGIN)
        await asyncio.sleep(after)
        await transport.close()

    def _calls_of(self) -> BotSession:
        if not isinstance(self.session, BotSession):
            raise HandshakeError("can only be asked decisions: it runs somewhere else")
        return self.session

    async def ask(
        self, questions: Sequence[StoredQuestion], *, stream: bool = False
    ) -> list[Reply]:
        """Returns what becomes of *questions*, which are put together, in their order.

        Each has the move time, counted from the answer before it; the first one of a process has
        the larger budget.

        Args:
            questions: Of different matches.
            stream: Whether they go over a `Play` stream of their own, in one message.

        Raises:
            Exception: what went wrong in asking, if that is no fault of the bot.
        """
        began = last = self._clock.now()
        allowed = self._terms.move_time
        if not self._asked:
            allowed = max(allowed, self._terms.first_move)
        self._asked = True
        self._settled = 0
        waiting = [_Open(question, began) for question in questions]
        self._open = {entry.key: entry for entry in waiting}
        transport = self._transport(stream=stream)
        if self.loss is None:
            transport.send(
                [_message(question) for question in questions],
                limit_of(self._terms, allowed) + CALL_MARGIN,
            )
        while self._open and self.loss is None and self._failure is None:
            if not await self._hears_within(last, allowed):
                self._time_out(allowed)
                break
            last, allowed = self._clock.now(), self._terms.move_time
        if self._failure is not None:
            raise self._failure
        await self._close_what_is_open()
        return [await self._explained(entry.reply) for entry in waiting if entry.reply is not None]

    async def _hears_within(self, began: float, allowed: float) -> bool:
        """Waits until an answer comes, or the bot is lost; returns whether it was in time.

        What is in time is what would be at a table, see `lateness`.

        Args:
            began: The running time from which on the bot is charged.
            allowed: What it has, in seconds.
        """
        limit = limit_of(self._terms, allowed)
        most = most_credit(allowed, grace_of(self._terms, allowed))
        waits = None
        self._changed.clear()
        left = window_opens(limit)
        while not await self._hears(left):
            elapsed = self._clock.now() - began
            if waits is None:
                waits = CpuWaits(self._clock, self.session.threads)
                left = max(TICK, limit - elapsed)
            else:
                may_wait_still = elapsed < limit + most and waits.go_on()
                left = limit + min(most, waits.seconds) - elapsed
                if left <= 0.0 and not may_wait_still:
                    return await self._has_come()
                left = max(TICK, left)
        return True

    async def _hears(self, seconds: float) -> bool:
        """Waits so long at most for something to come, and returns whether it has."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._changed.wait(), seconds)
        return self._changed.is_set()

    async def _has_come(self) -> bool:
        """Returns whether something comes of what is here already."""
        for _ in range(LOOKS):
            await asyncio.sleep(0)
        return self._changed.is_set()

    def _transport(self, *, stream: bool) -> Session | Transport:
        if not stream:
            return self.session
        if self._stream is None:
            self._stream = StreamTransport(self._calls_of().calls, self)
        return self._stream

    def _time_out(self, allowed: float) -> None:
        if self.session.outage:
            self.lost(self.session.outage, disconnected=True, question=None)
            return
        for entry in tuple(self._open.values()):
            fault = Fault(FaultKind.TIMEOUT, f"no answer within {allowed:g} s")
            self._settle(entry, fault, {})

    async def _close_what_is_open(self) -> None:
        """Judges what a lost session has left open, once it is known how the bot ended."""
        if self.loss is None:
            return
        self.loss = (await self.session.end(lost=True)).explain(self.loss)
        for entry in tuple(self._open.values()):
            self._settle(entry, self.loss, {})

    async def _explained(self, reply: Reply) -> Reply:
        """Returns *reply*; a fault of a bot that runs on with the last that it wrote."""
        fault = reply.outcome
        if not isinstance(fault, Fault) or self.loss is not None:
            return reply
        tail = await self.session.recent_stderr()
        return replace(reply, outcome=replace(fault, stderr_tail=tail))

    def _settle(self, entry: _Open, outcome: Choice | Fault, answer: dict[str, Any]) -> None:
        del self._open[entry.key]
        seconds = self._clock.now() - entry.began
        entry.reply = Reply(entry.question, outcome, seconds, self._settled, answer)
        self._settled += 1
        self._changed.set()

    # What comes back.

    def awaits(self, question: DecisionMessage) -> bool:
        """Whether *question* is out still: neither answered nor judged."""
        return question.key in self._open

    def sent(self, questions: Sequence[DecisionMessage]) -> None:
        """Takes note that *questions* have been written: nothing depends on it."""

    def answered(self, answers: Sequence[pb.Answer]) -> None:
        """Takes answers that arrived together."""
        for answer in named_first(answers):
            key = (answer.match_id, answer.decision_number)
            entry = self._open.get(key)
            if entry is None and self._open and not answer.match_id:
                entry = next(iter(self._open.values()))  # it can be to anything
            if entry is None:
                self.strays += 1
                continue
            question = entry.question
            outcome = judge_answer(answer, question.match_id, question.decision)
            self._settle(entry, outcome, as_json(answer))

    def expired(self, question: DecisionMessage, problem: str) -> None:
        """Takes note that the time of the call is over, which is more than our clock gives."""
        if not self.awaits(question):
            return
        self.failed(
            StalledError(
                f"decision {question.decision_number} could not be asked: this host stood still "
                "while it was out; ask again"
            )
        )

    def failed(self, error: BaseException) -> None:
        """Takes note that asking broke, which is no fault of the bot."""
        self._failure = error
        self._changed.set()

    def lost(self, problem: str, *, disconnected: bool, question: DecisionMessage | None) -> None:
        """Takes note that the session is over, because of *question* if it is known."""
        if question is not None and not self.awaits(question):
            return  # it was judged before
        if self.loss is None:
            kind = FaultKind.CRASHED if disconnected else FaultKind.PROTOCOL
            self.loss = Fault(kind, problem)
        self._changed.set()


def _message(question: StoredQuestion) -> DecisionMessage:
    """Returns *question* as transports take it."""
    return DecisionMessage(question.match_id, question.number, question.data)


class _Open:
    """A question on its way."""

    def __init__(self, question: StoredQuestion, began: float) -> None:
        self.question = question
        self.began = began
        self.reply: Reply | None = None

    @property
    def key(self) -> tuple[str, int]:
        """What the answer names it by."""
        return self.question.match_id, self.question.number
