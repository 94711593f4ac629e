"""Bots that are served in this process at an address of their own, and lines to them."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import grpc

from referee.bots.asks import Ask, Charge
from referee.bots.clock import RunningClock
from referee.bots.line import Line
from referee.bots.remote_session import start_remote
from referee.bots.remotes import way_to
from referee.bots.sessions import Session, SessionTerms
from referee.bots.spec import parse_bot
from referee.bots.terms import CallStyle, ClockTerms, RemoteTerms
from referee.bots.transports import Listener
from referee.match import Fault, Match, MatchReferee, Terms
from referee.rules import Bid, Choice, preset_rules, seed_key
from referee.sdk import Bot
from referee.sdk.certificates import server_credentials
from referee.sdk.server import start

RULES = preset_rules("tournament-3p")
TERMS = ClockTerms(move_time=20.0, first_move=20.0, startup=20.0, grace=0.0)


class Meek(Bot):
    """Passes; counts how often it is asked, and waits while it is held."""

    name = "meek"

    def __init__(self) -> None:
        self.asked = 0
        self.free = threading.Event()
        self.free.set()

    def bid(self, view: object) -> Bid:
        self.asked += 1
        self.free.wait(20)
        return Bid.PASS


@contextmanager
def served(bot: Bot, tls: Path | None = None, port: int = 0) -> Iterator[str]:
    """Serves *bot* while the block runs, as the SDK does, and yields its address."""
    credentials = None if tls is None else server_credentials(tls)
    with listening(bot, credentials, port) as address:
        yield address


@contextmanager
def listening(bot: Bot, credentials: grpc.ServerCredentials | None, port: int = 0) -> Iterator[str]:
    server, port = start(bot, f"127.0.0.1:{port}", None, credentials)
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(None).wait()


class Outcomes:
    """A line to one bot, the clock it goes by, and what becomes of what is put to the bot."""

    def __init__(
        self,
        line: Line,
        clock: RunningClock | None = None,
        broken: asyncio.Future[None] | None = None,
    ) -> None:
        self.line = line
        self.broken = broken
        self.clock = clock
        referee = MatchReferee("0.0", Match.start(Terms(RULES), seed_key("x")), ("a", "b", "c"))
        assert referee.question is not None
        self._question = referee.question

    async def ask(self, match_id: str, bank: float | None = None) -> tuple[Choice | Fault, Charge]:
        done: asyncio.Future[tuple[Choice | Fault, Charge]] = asyncio.Future()

        def over(outcome: Choice | Fault, charge: Charge) -> None:
            done.set_result((outcome, charge))

        self.line.ask(Ask(match_id, self._question, bank, None, over, over, done.set_exception))
        return await done


@asynccontextmanager
async def line_to(
    text: str,
    terms: ClockTerms = TERMS,
    remote: RemoteTerms | None = None,
    style: CallStyle = CallStyle.AUTO,
    monotonic: Callable[[], float] = time.monotonic,
) -> AsyncIterator[Outcomes]:
    way = way_to(parse_bot(text, Path()), remote or RemoteTerms())

    async def begin(listener: Listener) -> Session:
        session_terms = SessionTerms(RULES, terms.startup, style)
        return await start_remote(way, listener, session_terms, again=line.has_been_up)

    broken: asyncio.Future[None] = asyncio.Future()
    async with RunningClock(monotonic) as clock:
        line = Line("far", clock, terms, begin, broken=broken.set_exception)
        try:
            await line.warm_up()
            yield Outcomes(line, clock, broken)
            assert not broken.done()
        finally:
            await line.close()
            broken.cancel()


class Cable:
    """What lies between two ends of a connection, and can be cut.

    Attributes:
        plugged: Whether connections can be made.
        is_dead: Whether it swallows what is said, and nobody is told.
        links: How many connections were made.
    """

    def __init__(self, target: str) -> None:
        self.plugged = True
        self.is_dead = False
        self.links = 0
        self._host, _, port = target.rpartition(":")
        self._port = int(port)
        self._ends: set[asyncio.StreamWriter] = set()

    async def connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self.plugged:
            writer.transport.abort()
            return
        self.links += 1
        there, back = await asyncio.open_connection(self._host, self._port)
        self._ends |= {writer, back}
        await asyncio.gather(self._carry(reader, back), self._carry(there, writer))

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                if not self.is_dead:
                    writer.write(data)
        except ConnectionError:
            pass
        finally:
            writer.transport.abort()

    def cut(self, *, for_good: bool = False) -> None:
        """Breaks every connection; with *for_good* no new one can be made."""
        self.plugged = not for_good
        for end in self._ends:
            end.transport.abort()
        self._ends.clear()


@asynccontextmanager
async def cable_to(target: str) -> AsyncIterator[tuple[Cable, str]]:
    cable = Cable(target)
    server = await asyncio.start_server(cable.connect, "127.0.0.1", 0)
    try:
        yield cable, f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        cable.cut(for_good=True)
        server.close()


async def until(condition: Callable[[], object], what: str) -> None:
    """Returns once *condition* holds."""
    try:
        async with asyncio.timeout(30):
            while not condition():  # noqa: ASYNC110 - of another thread, or a file
                await asyncio.sleep(0.01)
    except TimeoutError:
        raise AssertionError(f"never: {what}") from None
