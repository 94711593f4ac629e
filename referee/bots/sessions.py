"""A running bot that has shaken hands, from its start to its end."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import grpc
import grpc.aio
from moon.v1 import bot_service_pb2 as pb
from moon.v1 import bot_service_pb2_grpc as pb_grpc

from referee.bots.handshake import (
    BotInfo,
    HandshakeError,
    open_channel,
    shake_hands,
)
from referee.bots.keeper_client import BotStartError
from referee.bots.process import BotProcess
from referee.bots.terms import CallStyle
from referee.bots.transports import (
    Listener,
    StreamTransport,
    Transport,
    UnaryTransport,
    describe,
)
from referee.rules import Rules, presets, rules_text
from referee.text import printable

STDERR_TAIL = 4096
"""How much of a bot's standard error a fault shows, in bytes."""
NOTICE_TIMEOUT = 5.0
"""Seconds after which a notice that the bot does not take is given up."""
MAX_NOTICES = 64
"""How many notices are on their way to a bot at most; more are not sent."""
EXIT_WAIT = 0.5
"""Seconds in which a process whose connection broke may end by itself, to learn how."""


@dataclass(frozen=True, slots=True)
class SessionTerms:
    """What a bot is started for."""

    rules: Rules
    """What it will be asked to play by."""
    startup: float
    """Seconds it has until it has shaken hands."""
    style: CallStyle = CallStyle.AUTO
    """How decisions are put to it."""


@dataclass(frozen=True, slots=True)
class EndReport:
    """How a process ended."""

    exit_status: str = ""
    """``exit code 3`` or ``signal SIGSEGV``; empty if we ended it or it is not ours."""
    stderr_tail: str = ""
    """The end of what it wrote to standard error."""


class StartError(Exception):
    """A bot that did not start. Its text says why.

    Attributes:
        report: How its process ended.
    """

    def __init__(self, problem: str, report: EndReport) -> None:
        super().__init__(problem)
        self.report = report


class Session(Protocol):
    """A running bot that has shaken hands."""

    @property
    def info(self) -> BotInfo:
        """What it says of itself."""

    @property
    def window(self) -> int:
        """How many decisions it takes at a time."""

    def send(self, questions: Sequence[pb.Decision], limit: float) -> None:
        """Hands *questions* over and returns at once; *limit* (seconds) bounds each call."""

    def notify(self, notice: pb.NotifyRequest) -> None:
        """Tells the bot what happened. Returns at once; nothing comes back."""

    async def recent_stderr(self) -> str:
        """Returns the last of what it has written to standard error by now."""

    async def end(self, *, lost: bool = False) -> EndReport:
        """Ends the bot and all it started; with *lost* it may first end by itself."""


class BotSession:
    """A session over gRPC with one process, or with a remote bot."""

    def __init__(
        self,
        process: BotProcess,
        channel: grpc.aio.Channel,
        info: BotInfo,
        transport: Transport,
        window: int,
    ) -> None:
        """Takes over what `start_session` has started."""
        self.info = info
        self.window = window
        self._process = process
        self._channel = channel
        self._transport = transport
        self._stub = pb_grpc.BotServiceStub(channel)
        self._notices: set[asyncio.Task[None]] = set()

    def send(self, questions: Sequence[pb.Decision], limit: float) -> None:
        """Hands *questions* over and returns at once."""
        self._transport.send(questions, limit)

    def notify(self, notice: pb.NotifyRequest) -> None:
        """Tells the bot what happened. Returns at once; nothing comes back."""
        if len(self._notices) < MAX_NOTICES:
            task = asyncio.create_task(self._tell(notice))
            self._notices.add(task)
            task.add_done_callback(self._notices.discard)

    async def _tell(self, notice: pb.NotifyRequest) -> None:
        try:
            await self._stub.Notify(notice, timeout=NOTICE_TIMEOUT)
        except grpc.RpcError:
            return  # No clock runs and nothing depends on it; the proto says so.

    async def recent_stderr(self) -> str:
        """Returns the last of what it has written to standard error by now."""
        return await self._process.recent_stderr(STDERR_TAIL)

    async def end(self, *, lost: bool = False) -> EndReport:
        """Ends the bot and all it started; with *lost* it may first end by itself."""
        for task in self._notices:
            task.cancel()
        await self._transport.close()
        await self._channel.close()
        return await end_process(self._process, lost=lost)


async def end_process(process: BotProcess, *, lost: bool) -> EndReport:
    """Ends *process* and returns how it ended.

    Args:
        process: The process.
        lost: Whether it may be ending by itself, so that its own exit status is wanted.

    Raises:
        KeeperError: if nobody can know, which is our own fault.
    """
    if lost:
        await process.wait_exited(EXIT_WAIT)
        process.check_room()
    status = process.exit_status
    await process.stop()
    return EndReport(status, process.stderr_tail(STDERR_TAIL))


async def start_session(process: BotProcess, listener: Listener, terms: SessionTerms) -> BotSession:
    """Starts *process*, shakes hands with it, and returns the session.

    Args:
        process: A process that is not started yet.
        listener: Who is told what comes back from the bot.
        terms: What the bot is started for.

    Raises:
        KeeperError: if its place was taken away, which is nobody's fault that we know of.
        StartError: if the process cannot be started, ends, does not answer in time, or answers
            something else than the protocol asks for.
    """
    try:
        await process.start()
    except BotStartError as error:
        raise StartError(str(error), EndReport()) from None
    channel = open_channel(process.target)
    stub = pb_grpc.BotServiceStub(channel)
    try:
        info = await _first_words(process, stub, terms.startup)
        check_rules(info, terms.rules)
        if terms.style is CallStyle.STREAM and not info.serves_stream:
            raise HandshakeError("does not serve the Play stream, which this run asks for")
    except (HandshakeError, TimeoutError, grpc.RpcError, asyncio.CancelledError) as error:
        await channel.close()
        if not isinstance(error, asyncio.CancelledError):
            process.check_place()
        report = await end_process(process, lost=not isinstance(error, TimeoutError))
        if isinstance(error, asyncio.CancelledError):
            raise
        raise StartError(_problem(error, report, terms.startup), report) from None
    streams = terms.style is not CallStyle.UNARY and info.serves_stream
    transport: Transport = (StreamTransport if streams else UnaryTransport)(stub, listener)
    process.on_exit(lambda: listener.lost("the process ended", disconnected=True, question=None))
    return BotSession(process, channel, info, transport, info.max_batch if streams else 1)


def check_rules(info: BotInfo, rules: Rules) -> None:
    """Checks that a bot plays by *rules*.

    Raises:
        HandshakeError: if it says that it does not.
    """
    plays = [preset.rules for name, preset in presets().items() if name in info.rule_sets]
    if info.rule_sets and rules not in plays:
        names = printable(", ".join(info.rule_sets), 200)
        raise HandshakeError(f"plays only {names}, and this is {rules_text(rules)}")


async def _first_words(
    process: BotProcess, stub: pb_grpc.BotServiceAsyncStub, startup: float
) -> BotInfo:
    """Returns the handshake, unless the process ends before it answers."""
    words = asyncio.ensure_future(shake_hands(stub, startup))
    ended = asyncio.ensure_future(process.wait_exited(None))
    try:
        await asyncio.wait((words, ended), return_when=asyncio.FIRST_COMPLETED)
        if words.done():
            return words.result()
        raise HandshakeError("ended before it answered the handshake")
    finally:
        words.cancel()
        ended.cancel()
        await asyncio.gather(words, ended, return_exceptions=True)


def _problem(error: BaseException, report: EndReport, startup: float) -> str:
    if isinstance(error, TimeoutError):
        return f"did not answer the handshake within {startup:g} s"
    problem = describe(error) if isinstance(error, grpc.RpcError) else str(error)
    if report.exit_status == "exit code 0":
        return f"{problem} ({report.exit_status}); does it end with serve(...)?"
    return f"{problem} ({report.exit_status})" if report.exit_status else problem
