"""A session with a remote bot, which outlives its connection.

A link between machines drops now and then. While a question is open, the link is made again and the
same question is put over it, with its ids. Nothing is judged here: whose time runs, and how long,
knows the listener alone, whose clock runs on. When it finds a time over and there is no link, the
bot is lost, as one that has crashed. A link that drops between questions is made again with the
next one.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from functools import partial

import grpc
import grpc.aio
from moon.v1 import bot_service_pb2 as pb

from referee.bots.calls import BotCalls
from referee.bots.handshake import BotInfo, HandshakeError, shake_hands
from referee.bots.remotes import Way
from referee.bots.sessions import (
    MAX_NOTICES,
    NOTICE_TIMEOUT,
    EndReport,
    SessionTerms,
    StartError,
    check_rules,
)
from referee.bots.terms import CallStyle
from referee.bots.transports import (
    Listener,
    StreamTransport,
    Transport,
    UnaryTransport,
    describe,
    tell_failure,
)
from referee.bots.waits import NO_THREADS, Threads
from referee.wire.packing import DecisionMessage

TRY_AGAIN = 0.1
"""Seconds between two attempts to make a link again."""


async def start_remote(
    way: Way, listener: Listener, terms: SessionTerms, *, again: bool = False
) -> RemoteSession:
    """Shakes hands with the bot at the end of *way* and returns the session.

    Args:
        way: How it is reached.
        listener: Who is told what comes back from it.
        terms: What it has to agree to, and how long that may take.
        again: Whether it has shaken hands before: a link that drops now is made again, while
            there is time, as it is in a session.

    Raises:
        StartError: if it cannot be reached, or answers something else than the protocol asks for.
    """
    until = time.monotonic() + terms.startup
    while True:
        try:
            left = until - time.monotonic()
            return await _start_once(way, listener, replace(terms, startup=left))
        except StartError as error:
            if error.answered or not again or time.monotonic() + TRY_AGAIN > until:
                raise
        await asyncio.sleep(TRY_AGAIN)


async def _start_once(way: Way, listener: Listener, terms: SessionTerms) -> RemoteSession:
    channel = way.open()
    try:
        info = await shake_hands(BotCalls(channel), terms.startup)
        check_rules(info, terms.rules)
        if terms.style is CallStyle.STREAM and not info.serves_stream:
            raise HandshakeError("does not serve the Play stream, which this run asks for")
    except BaseException as error:
        await channel.close()
        if isinstance(error, TimeoutError):
            problem = f"did not answer the handshake within {terms.startup:.3g} s"
        elif isinstance(error, grpc.RpcError):
            problem = describe(error)
        elif isinstance(error, HandshakeError):
            problem = str(error)
        else:
            raise
        answered = isinstance(error, HandshakeError)
        raise StartError(problem, EndReport(), answered=answered) from None
    return RemoteSession(way, channel, info, listener, terms.style)


class _Link:
    """One connection, and what is asked over it."""

    def __init__(self, channel: grpc.aio.Channel, listener: Listener, *, streams: bool) -> None:
        self.channel = channel
        self.calls = BotCalls(channel)
        kind = StreamTransport if streams else UnaryTransport
        self.transport: Transport = kind(self.calls, listener)

    async def close(self) -> None:
        """Ends every call, and the connection."""
        await self.transport.close()
        await self.channel.close()


class RemoteSession:
    """A session over gRPC with a bot that runs somewhere else.

    Attributes:
        outage: What the bot is lost of if the time of a question ends now; empty while there is
            a link, or nothing is open.
    """

    def __init__(
        self,
        way: Way,
        channel: grpc.aio.Channel,
        info: BotInfo,
        listener: Listener,
        style: CallStyle,
    ) -> None:
        """Takes over what `start_remote` has opened."""
        self.info = info
        self.outage = ""
        self.window = info.window(style)
        self._way = way
        self._listener = listener
        self._streams = style is not CallStyle.UNARY and info.serves_stream
        self._link: _Link | None = _Link(channel, self, streams=self._streams)
        self._asked: tuple[DecisionMessage, ...] = ()
        self._limit = 0.0
        self._is_written = False
        self._reaching: asyncio.Task[None] | None = None
        self._closing: set[asyncio.Task[None]] = set()
        self._notices: set[asyncio.Task[None]] = set()

    @property
    def is_remote(self) -> bool:
        """Whether it runs on another machine, as far as we know."""
        return True

    def cpu(self) -> None:
        """Returns nothing: nobody here knows what it uses there."""
        return

    @property
    def threads(self) -> Threads:
        """None: nobody here knows how they fare there."""
        return NO_THREADS

    def wake(self) -> None:
        """Does nothing: what it does on its own machine is its own affair."""

    def rest(self) -> None:
        """Does nothing either."""

    def send(self, questions: Sequence[DecisionMessage], limit: float) -> None:
        """Hands *questions* over and returns at once."""
        self._asked = tuple(questions)
        self._limit = limit
        self._is_written = False
        if self._link is not None:
            self._link.transport.send(questions, limit)
        else:
            self._reach_again("the link was lost before this question")

    def notify(self, notice: pb.NotifyRequest) -> None:
        """Tells the bot what happened. Returns at once; nothing comes back."""
        if self._link is not None and len(self._notices) < MAX_NOTICES:
            self._keep(self._notices, self._tell(self._link, notice))

    async def recent_stderr(self) -> str:
        """Returns nothing: what it writes stays on its own machine."""
        return ""

    async def end(self, *, lost: bool = False) -> EndReport:
        """Ends the connection, and nothing else: the bot is not ours."""
        ending = [*self._notices, *filter(None, [self._reaching])]
        for task in ending:
            task.cancel()
        await asyncio.gather(*ending, return_exceptions=True)
        if self._link is not None:
            self._drop(self._link)
        await asyncio.gather(*self._closing, return_exceptions=True)
        return EndReport()

    # What comes back over the link.

    def awaits(self, question: DecisionMessage) -> bool:
        """Whether *question* is out still: neither answered nor judged."""
        return self._listener.awaits(question)

    def sent(self, questions: Sequence[DecisionMessage]) -> None:
        """Takes note that *questions* have been written."""
        # Over another link they are written once more, which gives the bot no more time.
        if not self._is_written:
            self._is_written = True
            self._listener.sent(questions)

    def expired(self, question: DecisionMessage, problem: str) -> None:
        """Takes note that the call for *question* ended for want of time, its own or the bot's."""
        self._listener.expired(question, problem)

    def answered(self, answers: Sequence[pb.Answer]) -> None:
        """Takes answers that arrived together."""
        self._listener.answered(answers)

    def failed(self, error: BaseException) -> None:
        """Takes note that asking broke, which is no fault of the bot."""
        self._listener.failed(error)

    def lost(self, problem: str, *, disconnected: bool, question: DecisionMessage | None) -> None:
        """Makes the link again if it is gone; what the bot itself ended is passed on."""
        if not disconnected:
            self._listener.lost(problem, disconnected=False, question=question)
            return
        if self._link is None:
            return  # another call over the same link has told it before
        self._drop(self._link)
        if self._open():
            self._reach_again(problem)

    # Making it again.

    def _drop(self, link: _Link) -> None:
        self._link = None
        self._keep(self._closing, link.close())

    def _open(self) -> tuple[DecisionMessage, ...]:
        """Returns what was asked and is out still, oldest first."""
        return tuple(filter(self.awaits, self._asked))

    def _reach_again(self, problem: str) -> None:
        if self._reaching is None or self._reaching.done():
            self.outage = f"disconnected, and not back in time: {problem}"
            self._reaching = asyncio.create_task(self._reach(), name="reach a remote bot")
            self._reaching.add_done_callback(partial(tell_failure, self._listener))

    async def _reach(self) -> None:
        """Makes the link again and puts what is open; tries until nothing is."""
        while self._open():
            channel = self._way.open()
            try:
                await shake_hands(BotCalls(channel), self._limit)
            except (grpc.RpcError, TimeoutError):
                await channel.close()
                await asyncio.sleep(TRY_AGAIN)
            except HandshakeError as error:
                await channel.close()
                self._give_up(f"after the link had dropped: {error}")
                break
            except BaseException:
                await channel.close()
                raise
            else:
                self._link = link = _Link(channel, self, streams=self._streams)
                if still_open := self._open():
                    link.transport.send(still_open, self._limit)
                break
        self.outage = ""

    def _give_up(self, problem: str) -> None:
        if still_open := self._open():
            self._listener.lost(problem, disconnected=False, question=still_open[0])

    async def _tell(self, link: _Link, notice: pb.NotifyRequest) -> None:
        try:
            await link.calls.notify(notice, timeout=NOTICE_TIMEOUT)
        except grpc.RpcError:
            return  # No clock runs and nothing depends on it; the proto says so.

    def _keep(self, tasks: set[asyncio.Task[None]], work: Coroutine[None, None, None]) -> None:
        """Begins *work* and keeps it among *tasks* until it is done."""
        task = asyncio.create_task(work)
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        task.add_done_callback(partial(tell_failure, self._listener))
