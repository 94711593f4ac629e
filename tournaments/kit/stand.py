"""Where one bot is tried: a keeper, a clock, and the processes of the bot, one after another.

What is tried here is what plays in a league: the same keeper, sandbox, lines and clocks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import Self, TypeVar

from referee.bots.clock import RunningClock
from referee.bots.direct import DirectBot, Start
from referee.bots.grace import measure_grace
from referee.bots.keeper.processes import read_use
from referee.bots.keeper_client import Keeper
from referee.bots.line import Line
from referee.bots.process import BotProcess
from referee.bots.remote_session import start_remote
from referee.bots.remotes import way_to
from referee.bots.sandbox import Sandbox, Tier, harden_self
from referee.bots.sessions import Session, SessionTerms, start_session
from referee.bots.spec import BotSpec
from referee.bots.terms import CallStyle, ClockTerms, RemoteTerms
from referee.bots.transports import Listener
from referee.errors import ConfigError

ResultT = TypeVar("ResultT")


@dataclass(frozen=True, slots=True)
class StandTerms:
    """Under what a bot is tried."""

    clock: ClockTerms = field(default_factory=ClockTerms)
    sandbox: Sandbox = field(default_factory=Sandbox)
    remote: RemoteTerms = field(default_factory=RemoteTerms)


class Stand:
    """The place. Use it as an async context manager; leaving it ends every process of the bot.

    Attributes:
        clock: The time of this host.
        terms: What the bot may take; with the measured grace once the stand is entered.
        processes: Every process of the bot that was started here, in order.
        asked_process: The one of them that is asked directly; ``None`` if it is not ours.
    """

    def __init__(self, spec: BotSpec, terms: StandTerms) -> None:
        """Makes a stand for *spec* on which nothing runs yet.

        Raises:
            ConfigError: if *spec* is an entrant of two halves.
        """
        if spec.halves:
            problem = "is two bots, of which one bids and one plays; name one of them"
            raise ConfigError(None, spec.source, problem)
        self.clock = RunningClock()
        self.terms = terms.clock
        self.processes: list[BotProcess] = []
        self.asked_process: BotProcess | None = None
        self._spec = spec
        self._sandbox = terms.sandbox
        self._remote = terms.remote
        self._stack = AsyncExitStack()
        self._keeper: Keeper | None = None
        self._failure: asyncio.Future[None] | None = None
        self._lines: list[Line] = []
        self._direct: DirectBot | None = None

    async def __aenter__(self) -> Self:
        """Starts the keeper and the clock."""
        if self._sandbox.tier is not Tier.NONE:
            harden_self()
        self._failure = asyncio.get_running_loop().create_future()
        async with AsyncExitStack() as stack:
            self._keeper = keeper = await stack.enter_async_context(Keeper())
            if self.terms.grace is None:
                grace = await measure_grace(keeper.directory.place().socket)
                self.terms = replace(self.terms, grace=grace.grace)
            await stack.enter_async_context(self.clock)
            stack.push_async_callback(self._end_all)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Ends everything."""
        await self._stack.aclose()

    async def close_lines(self) -> None:
        """Ends the processes of all lines; nothing can be asked over them any more."""
        lines, self._lines = self._lines, []
        for line in lines:
            await line.close()

    async def _end_all(self) -> None:
        await self.close_lines()
        await self.drop()
        if self._failure is not None:
            self._failure.cancel()

    # One process, asked directly.

    async def direct(self) -> DirectBot:
        """Returns the bot that runs, or a new one if none does.

        Raises:
            StartError: if it does not start.
        """
        if self._direct is not None and self._direct.loss is not None:
            await self.drop()
        if self._direct is None:
            direct = DirectBot(self.clock, self.terms)
            await direct.start(self._start(CallStyle.UNARY))
            self._direct = direct
            self.asked_process = self.processes[-1] if self.processes else None
        return self._direct

    async def drop(self) -> None:
        """Ends the process that is asked directly, if there is one."""
        direct, self._direct = self._direct, None
        if direct is not None:
            await direct.end()

    def _start(self, style: CallStyle) -> Start:
        terms = SessionTerms(None, self.terms.startup, style, self._sandbox, remote=self._remote)

        async def start(listener: Listener) -> Session:
            if self._spec.is_remote:
                return await start_remote(way_to(self._spec, terms.remote), listener, terms)
            assert self._keeper is not None, "the stand is not entered"
            process = BotProcess(self._spec, self._keeper, self._sandbox)
            self.processes.append(process)
            return await start_session(process, listener, terms, self.clock.now)

        return start

    # A line, as tables have one.

    def line(self) -> Line:
        """Returns a new line to the bot; its process is started when it is first asked."""
        line = Line(
            self._spec.name,
            self.clock,
            replace(self.terms, network=0.0),
            self._start(CallStyle.AUTO),
            broken=self._fail,
        )
        self._lines.append(line)
        return line

    def _fail(self, error: BaseException) -> None:
        if self._failure is not None and not self._failure.done():
            self._failure.set_exception(error)

    async def unless_broken(self, wanted: Awaitable[ResultT]) -> ResultT:
        """Returns what *wanted* gives.

        Raises:
            KeeperError: if a process can neither be started nor ended, and not for the bot's sake.
        """
        assert self._failure is not None, "the stand is not entered"
        task = asyncio.ensure_future(wanted)
        await asyncio.wait((task, self._failure), return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            task.cancel()
            self._failure.result()
        return task.result()

    def keeper(self) -> Keeper:
        """Returns what runs the bot."""
        assert self._keeper is not None, "the stand is not entered"
        return self._keeper


def memory_of(process: BotProcess) -> int:
    """Returns the memory that *process* and all it has started use now, in bytes."""
    return sum(read_use(pid)[0] for pid in process.pids())
