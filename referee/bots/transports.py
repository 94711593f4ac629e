"""Two ways to put decisions to a bot: a call for each, or a stream of batches.

Both take messages at once, without waiting, and report what comes back to a `Listener`. Neither
knows a table, a rule or a clock.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from functools import partial
from typing import Protocol

import grpc
import grpc.aio
from moon.v1 import bot_service_pb2 as pb

from referee.bots.calls import BotCalls, UnreadableError, read_message
from referee.text import printable
from referee.wire.packing import DecisionMessage

SPARE_ANSWERS = 512
"""How many answers a bot may send over a stream besides two to every question.

What it sends beyond that is a flood: reading it takes time from the other bots."""


TIMER = 0.1
"""Seconds by which a call may end before its time is over: what the clocks of gRPC may differ."""


class Listener(Protocol):
    """Is told what becomes of what was sent to a bot, and what comes back."""

    def awaits(self, question: DecisionMessage) -> bool:
        """Whether *question* is out still: neither answered nor judged."""

    def sent(self, questions: Sequence[DecisionMessage]) -> None:
        """Takes note that *questions* have been written."""

    def answered(self, answers: Sequence[pb.Answer]) -> None:
        """Takes answers that arrived together."""

    def expired(self, question: DecisionMessage, problem: str) -> None:
        """Takes note that the time which the call for *question* was given is over."""

    def failed(self, error: BaseException) -> None:
        """Takes note that asking broke, which is no fault of the bot."""

    def lost(self, problem: str, *, disconnected: bool, question: DecisionMessage | None) -> None:
        """Takes note that nothing more will come.

        Args:
            problem: What happened.
            disconnected: Whether the connection broke.
            question: What was asked in the call that failed, if it was a call for one.
        """


class Gate:
    """Passes on what comes from one session while it is that session's turn to be heard.

    Nothing comes before it opens, for nothing was asked; what comes after it closed is nobody's.
    """

    def __init__(self, listener: Listener) -> None:
        """Makes a gate that is not open yet."""
        self._listener = listener
        self._is_open = False

    def open(self) -> None:
        """Passes on from now on."""
        self._is_open = True

    def close(self) -> None:
        """Passes on nothing any more."""
        self._is_open = False

    def awaits(self, question: DecisionMessage) -> bool:
        """Whether *question* is out still; nothing is while nobody is heard."""
        return self._is_open and self._listener.awaits(question)

    def sent(self, questions: Sequence[DecisionMessage]) -> None:
        """Passes on that they are written."""
        if self._is_open:
            self._listener.sent(questions)

    def answered(self, answers: Sequence[pb.Answer]) -> None:
        """Passes on answers."""
        if self._is_open:
            self._listener.answered(answers)

    def expired(self, question: DecisionMessage, problem: str) -> None:
        """Passes on the end of a call."""
        if self._is_open:
            self._listener.expired(question, problem)

    def failed(self, error: BaseException) -> None:
        """Passes on that asking broke, whenever it does."""
        self._listener.failed(error)

    def lost(self, problem: str, *, disconnected: bool, question: DecisionMessage | None) -> None:
        """Passes on the loss."""
        if self._is_open:
            self._listener.lost(problem, disconnected=disconnected, question=question)


class Transport(Protocol):
    """Puts decisions to one bot."""

    def send(self, questions: Sequence[DecisionMessage], limit: float) -> None:
        """Hands *questions* over and returns at once; *limit* (seconds) bounds each answer."""

    async def close(self) -> None:
        """Stops listening and ends every call."""


class UnaryTransport:
    """One call for each decision."""

    def __init__(self, calls: BotCalls, listener: Listener) -> None:
        """Makes a transport that reports to *listener*."""
        self._calls = calls
        self._listener = listener
        self._tasks: set[asyncio.Task[None]] = set()

    def send(self, questions: Sequence[DecisionMessage], limit: float) -> None:
        """Starts a call for each of *questions*."""
        # One after the other: the last may take its time after all others have.
        together = limit * len(questions)
        for question in questions:
            task = asyncio.create_task(self._ask(question, together))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            task.add_done_callback(partial(tell_failure, self._listener))

    async def close(self) -> None:
        """Cancels every call."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _ask(self, question: DecisionMessage, limit: float) -> None:
        began = time.monotonic()
        try:
            call = self._calls.decide(question.data, timeout=limit)
            await asyncio.sleep(0)  # in which the call begins and the question is written
            self._listener.sent((question,))
            answer = _only_answer(await call, question)
        except UnreadableError as error:
            self._listener.lost(str(error), disconnected=False, question=question)
        except grpc.RpcError as error:
            # A bot may say itself that time is up: then it is it that ends the call.
            is_over = time.monotonic() - began > limit - TIMER
            if is_over and _status(error)[0] is grpc.StatusCode.DEADLINE_EXCEEDED:
                self._listener.expired(question, describe(error))
            else:
                self._listener.lost(
                    describe(error), disconnected=is_disconnect(error), question=question
                )
        else:
            self._listener.answered((answer,))


def _only_answer(data: object, question: DecisionMessage) -> pb.Answer:
    """Returns the answer to *question* that a call for it brought.

    Raises:
        UnreadableError: if it brought none, or the answer to something else.
    """
    response = read_message(pb.DecideResponse, data)
    if not response.HasField("answer"):
        raise UnreadableError("the response holds no answer")
    answer = response.answer
    if (answer.match_id, answer.decision_number) != question.key:
        raise UnreadableError(
            f"the answer is to decision {answer.decision_number} of match "
            f"'{printable(answer.match_id, 40)}', not to the one that was asked"
        )
    return answer


class StreamTransport:
    """One call that stays open, with one or many decisions in a message."""

    def __init__(self, calls: BotCalls, listener: Listener) -> None:
        """Opens the stream; what comes back is reported to *listener*."""
        self._listener = listener
        self._call = calls.play()
        self._waiting: list[DecisionMessage] = []
        self._wake = asyncio.Event()
        self._allowed = SPARE_ANSWERS
        self._tasks = (
            asyncio.create_task(self._write(), name="stream-write"),
            asyncio.create_task(self._read(), name="stream-read"),
        )
        for task in self._tasks:
            task.add_done_callback(partial(tell_failure, listener))

    def send(self, questions: Sequence[DecisionMessage], limit: float) -> None:
        """Hands *questions* to the writer; those that wait together leave in one message."""
        self._allowed += 2 * len(questions)
        self._waiting.extend(questions)
        self._wake.set()

    async def close(self) -> None:
        """Ends the stream."""
        for task in self._tasks:
            task.cancel()
        self._call.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _write(self) -> None:
        try:
            while True:
                await self._wake.wait()
                self._wake.clear()
                batch, self._waiting = self._waiting, []
                await self._call.write(b"".join([question.data for question in batch]))
                self._listener.sent(batch)
        except (grpc.RpcError, asyncio.InvalidStateError):
            return  # The reader is told why, and reports it.

    async def _read(self) -> None:
        try:
            while (data := await self._call.read()) is not grpc.aio.EOF:
                answers = read_message(pb.PlayResponse, data).answers
                # A message without answers costs as much as one with an answer.
                self._allowed -= max(1, len(answers))
                if self._allowed < 0:
                    self._lost("the bot sends many more answers than it is asked for")
                    return
                self._listener.answered(answers)
            status = await self._call.code()
            self._lost(f"the bot ended the stream ({status.name})")
        except UnreadableError as error:
            self._lost(str(error))
        except grpc.RpcError as error:
            self._lost(describe(error), disconnected=is_disconnect(error))

    def _lost(self, problem: str, *, disconnected: bool = False) -> None:
        self._listener.lost(problem, disconnected=disconnected, question=None)


NOT_WRITTEN = (grpc.StatusCode.INTERNAL, "Internal error from Core")
"""What grpc.aio makes of a call when it cannot write a message, because the connection is gone."""


def tell_failure(listener: Listener, task: asyncio.Task[None]) -> None:
    """Tells *listener* of an error that nothing expected; else a bot would be waited for."""
    error = None if task.cancelled() else task.exception()
    if error is not None:
        listener.failed(error)


def is_disconnect(error: grpc.RpcError) -> bool:
    """Whether the call failed because the connection was gone, not because of what was said."""
    status = _status(error)
    return status[0] is grpc.StatusCode.UNAVAILABLE or status == NOT_WRITTEN


def describe(error: grpc.RpcError) -> str:
    """Returns the status and the details of *error* in one printable line."""
    code, details = _status(error)
    return printable(f"{code.name}: {details}" if details else code.name, 400)


def _status(error: grpc.RpcError) -> tuple[grpc.StatusCode, str]:
    if isinstance(error, grpc.aio.AioRpcError):
        return error.code(), error.details() or ""
    return grpc.StatusCode.UNKNOWN, str(error)
