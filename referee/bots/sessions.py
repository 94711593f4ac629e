"""A running bot that has shaken hands, from its start to its end."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

import grpc
import grpc.aio
from moon.v1 import bot_service_pb2 as pb

from referee.bots.calls import BotCalls
from referee.bots.cpu import cpu_seconds
from referee.bots.exits import BotStartError, KeeperError
from referee.bots.handshake import (
    BotInfo,
    HandshakeError,
    open_channel,
    shake_hands,
)
from referee.bots.process import UNHELD, BotProcess
from referee.bots.sandbox import Sandbox
from referee.bots.terms import CallStyle, RemoteTerms
from referee.bots.transports import (
    Listener,
    StreamTransport,
    Transport,
    UnaryTransport,
    describe,
)
from referee.bots.waits import ProcessThreads, Threads
from referee.match import Fault, FaultKind
from referee.rules import Rules, presets, rules_text
from referee.text import printable
from referee.wire.packing import DecisionMessage

T = TypeVar("T")

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

    rules: Rules | None
    """What it will be asked to play by; ``None`` leaves it to the bot what it plays."""
    startup: float
    """Seconds it has until it has shaken hands."""
    style: CallStyle = CallStyle.AUTO
    """How decisions are put to it."""
    sandbox: Sandbox = UNHELD
    """How it is held."""
    hidden: tuple[Path, ...] = ()
    """What it may not read, wherever it lies."""
    freezes: bool = False
    """Whether it is stopped while it is not to move."""
    remote: RemoteTerms = field(default_factory=RemoteTerms)
    """How it is reached if it runs somewhere else."""


@dataclass(frozen=True, slots=True)
class EndReport:
    """How a process ended."""

    exit_status: str = ""
    """``exit code 3`` or ``signal SIGSEGV``; empty if we ended it or it is not ours."""
    stderr_tail: str = ""
    """The end of what it wrote to standard error."""
    ran_on: bool = False
    """Whether its process was running, although the session was lost."""

    def explain(self, fault: Fault) -> Fault:
        """Returns what a lost session is charged with, that looked like *fault* to us."""
        if self.exit_status:
            detail = f"the process ended ({self.exit_status})"
            return Fault(FaultKind.CRASHED, detail, self.exit_status, self.stderr_tail)
        # No lost connection explains what a process does that is here, and runs.
        kind = FaultKind.PROTOCOL if self.ran_on else fault.kind
        return replace(fault, kind=kind, stderr_tail=self.stderr_tail)


class StartError(Exception):
    """A bot that did not start. Its text says why.

    Attributes:
        report: How its process ended.
        answered: Whether it has said or made something, and that was wrong: no lack of time
            explains it.
    """

    def __init__(self, problem: str, report: EndReport, *, answered: bool = False) -> None:
        super().__init__(problem)
        self.report = report
        self.answered = answered


class Session(Protocol):
    """A running bot that has shaken hands."""

    @property
    def info(self) -> BotInfo:
        """What it says of itself."""

    @property
    def window(self) -> int:
        """How many decisions it takes at a time."""

    @property
    def is_remote(self) -> bool:
        """Whether it runs on another machine, as far as we know."""

    @property
    def outage(self) -> str:
        """What it is lost of if the time of a question ends now; empty while it can be reached."""

    def cpu(self) -> float | None:
        """Returns the processor time its processes have used, in seconds; ``None`` if unknown."""

    @property
    def threads(self) -> Threads:
        """Its threads, as far as they are known."""

    def wake(self) -> None:
        """Lets it run: it is to move."""

    def rest(self) -> None:
        """Stops it where that is wanted: it is not to move any more."""

    def send(self, questions: Sequence[DecisionMessage], limit: float) -> None:
        """Hands *questions* over and returns at once; *limit* (seconds) bounds each call."""

    def notify(self, notice: pb.NotifyRequest) -> None:
        """Tells the bot what happened. Returns at once; nothing comes back."""

    async def recent_stderr(self) -> str:
        """Returns the last of what it has written to standard error by now."""

    async def end(self, *, lost: bool = False) -> EndReport:
        """Ends the bot and all it started; with *lost* it may first end by itself."""


class BotSession:
    """A session over gRPC with one process of ours.

    Attributes:
        info: What the bot says of itself.
        window: How many decisions it takes at a time.
        calls: What can be asked of it besides decisions, and past the transport.
    """

    def __init__(
        self,
        process: BotProcess,
        channel: grpc.aio.Channel,
        info: BotInfo,
        transport: Transport,
        window: int,
        listener: Listener,
        *,
        freezes: bool = False,
    ) -> None:
        """Takes over what `start_session` has started."""
        self.info = info
        self._freezes = freezes
        self.window = window
        self._process = process
        self._channel = channel
        self._transport = transport
        self.calls = BotCalls(channel)
        self._watching = asyncio.create_task(_watch(channel, listener), name="connection")
        self._notices: set[asyncio.Task[None]] = set()

    @property
    def is_remote(self) -> bool:
        """Whether it runs on another machine, as far as we know."""
        return False

    @property
    def outage(self) -> str:
        """Nothing: its connection is not made again, and whoever loses it is told at once."""
        return ""

    def cpu(self) -> float | None:
        """Returns the processor time its processes have used, in seconds; ``None`` if unknown."""
        return cpu_seconds(self._process.pids())

    @property
    def threads(self) -> Threads:
        """Its threads, and those of all it started."""
        return ProcessThreads(self._process.pids)

    def wake(self) -> None:
        """Lets it run: it is to move."""
        if self._freezes:
            self._process.thaw()

    def rest(self) -> None:
        """Stops it where that is wanted: it is not to move any more."""
        if self._freezes:
            self._process.freeze()

    def send(self, questions: Sequence[DecisionMessage], limit: float) -> None:
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
            # A bot that is frozen takes it when it is to move again.
            timeout = None if self._freezes else NOTICE_TIMEOUT
            await self.calls.notify(notice, timeout=timeout)
        except grpc.RpcError:
            return  # No clock runs and nothing depends on it; the proto says so.

    async def recent_stderr(self) -> str:
        """Returns the last of what it has written to standard error by now."""
        return await self._process.recent_stderr(STDERR_TAIL)

    async def end(self, *, lost: bool = False) -> EndReport:
        """Ends the bot and all it started; with *lost* it may first end by itself."""
        for task in (self._watching, *self._notices):
            task.cancel()
        await self._transport.close()
        await self._channel.close()
        return await end_process(self._process, lost=lost)


async def _watch(channel: grpc.aio.Channel, listener: Listener) -> None:
    """Tells *listener* when the connection is gone, before gRPC makes another one.

    Whoever listens there then has not shaken hands.
    """
    await channel.wait_for_state_change(grpc.ChannelConnectivity.READY)
    listener.lost("the connection was closed", disconnected=True, question=None)


async def end_process(process: BotProcess, *, lost: bool) -> EndReport:
    """Ends *process* and returns how it ended.

    Args:
        process: The process.
        lost: Whether it may be ending by itself, so that its own exit status is wanted.

    Raises:
        KeeperError: if nobody can know, which is our own fault.
    """
    try:
        if lost:
            await process.wait_exited(EXIT_WAIT)
            process.check_room()
    finally:
        await process.stop()
    # Only the end of it tells whether it ran on: the keeper may have been late to say so.
    report = process.report
    ran_on = lost and (report is None or report.killed)
    return EndReport(process.exit_status, process.stderr_tail(STDERR_TAIL), ran_on)


async def start_session(
    process: BotProcess,
    listener: Listener,
    terms: SessionTerms,
    now: Callable[[], float] = time.monotonic,
) -> BotSession:
    """Starts *process*, shakes hands with it, and returns the session.

    Args:
        process: A process that is not started yet.
        listener: Who is told what comes back from the bot.
        terms: What the bot is started for.
        now: The time by which the start-up budget is measured, in seconds.

    Raises:
        KeeperError: if its place was taken away, or what was to hold it could not be set up, which
            is nobody's fault that we know of.
        StartError: if the process cannot be started, ends, does not answer in time, or answers
            something else than the protocol asks for.
    """
    try:
        await process.start()
    except BotStartError as error:
        raise StartError(str(error), EndReport()) from None
    channel: grpc.aio.Channel | None = None
    try:
        patience = _Patience(process, now, terms.startup)
        channel = open_channel(await patience.wait(process.listening()))
        calls = BotCalls(channel)
        info = await patience.wait(shake_hands(calls, None))
        check_rules(info, terms.rules)
        if terms.style is CallStyle.STREAM and not info.serves_stream:
            raise HandshakeError("does not serve the Play stream, which this run asks for")
    except (*_STARTS_BADLY, asyncio.CancelledError) as error:
        if channel is not None:
            await channel.close()
        if not isinstance(error, asyncio.CancelledError):
            process.check_place()
        report = await end_process(process, lost=not isinstance(error, TimeoutError))
        if isinstance(error, asyncio.CancelledError):
            raise
        if problem := await process.tier_lost():
            raise KeeperError(problem) from None
        raise _start_error(error, process, report, terms.startup) from None
    streams = terms.style is not CallStyle.UNARY and info.serves_stream
    transport: Transport = (StreamTransport if streams else UnaryTransport)(calls, listener)
    process.on_exit(lambda: listener.lost("the process ended", disconnected=True, question=None))
    window = info.window(terms.style)
    return BotSession(process, channel, info, transport, window, listener, freezes=terms.freezes)


_STARTS_BADLY = (HandshakeError, BotStartError, TimeoutError, grpc.RpcError)


def check_rules(info: BotInfo, rules: Rules | None) -> None:
    """Checks that a bot plays by *rules*, if they are known.

    Raises:
        HandshakeError: if it says that it does not.
    """
    if rules is None:
        return
    plays = [preset.rules for name, preset in presets().items() if name in info.rule_sets]
    if info.rule_sets and rules not in plays:
        names = printable(", ".join(info.rule_sets), 200)
        raise HandshakeError(f"plays only {names}, and this is {rules_text(rules)}")


class _Patience:
    """Waits for a bot that starts, until its time is over or its process ends."""

    def __init__(self, process: BotProcess, now: Callable[[], float], startup: float) -> None:
        self._process = process
        self._now = now
        self._until = now() + startup

    async def wait(self, wanted: Coroutine[Any, Any, T]) -> T:
        """Returns what *wanted* gives.

        Raises:
            HandshakeError: if the process ends before.
            TimeoutError: if the time is over before.
        """
        task = asyncio.ensure_future(wanted)
        ended = asyncio.ensure_future(self._process.wait_exited(None))
        both = (task, ended)
        try:
            # The time of the event loop may be over before that of the bot, which has no stalls.
            while (left := self._until - self._now()) > 0.0:
                await asyncio.wait(both, timeout=left, return_when=asyncio.FIRST_COMPLETED)
                if task.done():
                    return task.result()
                if ended.done():
                    raise HandshakeError("ended before it answered the handshake")
            raise TimeoutError
        finally:
            for each in both:
                each.cancel()
            await asyncio.gather(*both, return_exceptions=True)


def _start_error(
    error: BaseException, process: BotProcess, report: EndReport, startup: float
) -> StartError | KeeperError:
    """Returns what to raise when *process* did not begin as it must, and why it did not."""
    failure = process.launch_failure
    if failure is not None and failure.ours:
        return KeeperError(failure.problem)
    if failure is not None:
        return StartError(failure.problem, EndReport(report.exit_status))
    answered = isinstance(error, HandshakeError | BotStartError)
    return StartError(_problem(error, report, startup), report, answered=answered)


def _problem(error: BaseException, report: EndReport, startup: float) -> str:
    if isinstance(error, TimeoutError):
        return f"did not answer the handshake within {startup:g} s"
    problem = describe(error) if isinstance(error, grpc.RpcError) else str(error)
    if report.exit_status == "exit code 0":
        return f"{problem} ({report.exit_status}); does it end with serve(...)?"
    return f"{problem} ({report.exit_status})" if report.exit_status else problem
