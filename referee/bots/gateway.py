"""The gateway: takes in bots that dial in, and offers each to the referee as any bot is offered.

A bot behind a router cannot be called. So it calls, proves by its token who it is, and keeps that
call open; the gateway makes a socket for it on this machine, at which the referee finds an ordinary
`BotService`. Nothing is judged here: what the bot does wrong is for the referee to see.
"""

from __future__ import annotations

import asyncio
import resource
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from itertools import count
from pathlib import Path
from typing import NamedTuple, NoReturn

import grpc
import grpc.aio
from moon.v1 import arena_service_pb2 as arena
from moon.v1 import arena_service_pb2_grpc as arena_grpc
from moon.v1 import bot_service_pb2 as pb
from moon.v1 import bot_service_pb2_grpc as pb_grpc

from referee.bots.gateway_folder import owned
from referee.bots.handshake import MAX_MESSAGE
from referee.bots.remotes import Certificates, socket_of
from referee.bots.tokens import holder_of
from referee.errors import ConfigError
from referee.text import printable
from referee.wire.identities import TOKEN_KEY, TOKEN_SCHEME, is_loopback

MOST_BOTS = 64
"""How many bots may be attached at a time."""
MOST_KEPT = 1024
"""How many messages may wait for either end; a bot that lets more pile up is cut off."""
MOST_STRAYS = 1000
"""How many answers to nothing that was asked a bot may send before it is cut off."""

MOST_FILES = 1 << 16
"""How many files it may have open, if the system lets it. Who connects without a token holds one
for up to ten seconds, and many may."""
BUSY = "the arena cannot take in bots now; call again"

SERVER_OPTIONS = (
    ("grpc.so_reuseport", 0),
    ("grpc.max_receive_message_length", MAX_MESSAGE + 1024),
    ("grpc.max_metadata_size", 8 * 1024),
    ("grpc.max_concurrent_streams", 4),
    # Who has connected and does not attach is cut off, wherever it stopped.
    ("grpc.server_handshake_timeout_ms", 5_000),
    ("grpc.max_connection_idle_ms", 10_000),
    # A bot whose network is gone is noticed.
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
)


class _Call:
    """One call of the referee that a bot has not answered to the end."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.answers: asyncio.Queue[arena.AttachRequest | None] = asyncio.Queue()


class AttachedBot(pb_grpc.BotServiceServicer):
    """A bot that has dialled in, as the referee sees it.

    Attributes:
        to_say: What it is to be told, in this order.
        is_replaced: Set once it has dialled in anew, which ends this call.
        is_out: Set once it is offered to nobody any more.
    """

    def __init__(self, name: str) -> None:
        """Makes a bot that was asked nothing yet, and is to be told first that it is in."""
        self.to_say: asyncio.Queue[arena.AttachResponse] = asyncio.Queue()
        self._say(arena.AttachResponse(attached=arena.Attached(name=name)))
        self.is_replaced = asyncio.Event()
        self.is_out = asyncio.Event()
        self._calls: dict[int, _Call] = {}
        self._numbers = count(1)
        self._strays = 0
        self._is_gone = False

    def take(self, message: arena.AttachRequest) -> bool:
        """Passes on what the bot says; returns whether it may go on."""
        call = self._calls.get(message.call)
        kind = message.WhichOneof("message")
        if call is None or kind not in (call.kind, "failed"):
            self._strays += 1
        else:
            call.answers.put_nowait(message)
        full = call is not None and call.answers.qsize() > MOST_KEPT
        return not full and self._strays <= MOST_STRAYS and self.to_say.qsize() <= MOST_KEPT

    def leave(self) -> None:
        """Takes note that the bot is gone: every open call ends."""
        self._is_gone = True
        for call in self._calls.values():
            call.answers.put_nowait(None)

    async def GetBotInfo(  # noqa: N802 - named by the protocol
        self, request: pb.GetBotInfoRequest, context: _Context
    ) -> pb.GetBotInfoResponse:
        """Passes on the question who the bot is."""
        with self._call("get_bot_info") as (number, call):
            self._say(arena.AttachResponse(call=number, get_bot_info=request))
            return (await self._answer(call, context)).get_bot_info

    async def Decide(  # noqa: N802
        self, request: pb.DecideRequest, context: _Context
    ) -> pb.DecideResponse:
        """Passes on one decision."""
        with self._call("decide") as (number, call):
            self._say(arena.AttachResponse(call=number, decide=request))
            return (await self._answer(call, context)).decide

    async def Notify(  # noqa: N802
        self, request: pb.NotifyRequest, context: _Context
    ) -> pb.NotifyResponse:
        """Passes on what happened."""
        with self._call("notify") as (number, call):
            self._say(arena.AttachResponse(call=number, notify=request))
            return (await self._answer(call, context)).notify

    async def Play(  # type: ignore[override]  # noqa: N802 - writes, and yields nothing
        self, request_iterator: AsyncIterator[pb.PlayRequest], context: _Context
    ) -> None:
        """Passes on decisions as they come, and answers as they come."""
        with self._call("play") as (number, call):

            async def ask() -> None:
                async for request in request_iterator:
                    self._say(arena.AttachResponse(call=number, play=request))

            asking = asyncio.create_task(ask())
            try:
                while True:
                    await context.write((await self._answer(call, context)).play)
            finally:
                asking.cancel()
                await asyncio.gather(asking, return_exceptions=True)

    @contextmanager
    def _call(self, kind: str) -> Iterator[tuple[int, _Call]]:
        number, call = next(self._numbers), _Call(kind)
        self._calls[number] = call
        if self._is_gone:
            call.answers.put_nowait(None)
        try:
            yield number, call
        finally:
            del self._calls[number]

    def _say(self, message: arena.AttachResponse) -> None:
        self.to_say.put_nowait(message)

    async def _answer(self, call: _Call, context: _Context) -> arena.AttachRequest:
        """Returns the next answer to *call*; ends the call if there is none."""
        answer = await call.answers.get()
        if answer is None:
            await _abort(context, grpc.StatusCode.UNAVAILABLE, "the bot has disconnected")
        if answer.WhichOneof("message") == "failed":
            reason = printable(answer.failed.reason, 400)
            await _abort(context, grpc.StatusCode.INTERNAL, reason or "the bot gave no reason")
        return answer


class Gateway(arena_grpc.ArenaServiceServicer):
    """Takes in bots. Use `serving`.

    Attributes:
        attached: The bots that are attached, by name.
    """

    def __init__(self, folder: Path, say: Callable[[str], None]) -> None:
        """Makes a gateway that nobody can reach yet.

        Args:
            folder: Where tokens and sockets are.
            say: Is told who comes and goes.
        """
        self.attached: dict[str, AttachedBot] = {}
        self._folder = folder
        self._say = say

    async def Attach(  # type: ignore[override]  # noqa: N802 - writes, and yields nothing
        self, request_iterator: AsyncIterator[arena.AttachRequest], context: _AttachContext
    ) -> None:
        """Takes in one bot for as long as its call is open."""
        try:
            name = holder_of(self._folder, _token(context))
        except OSError as error:
            self._say(f"tokens cannot be read: {error.strerror}")
            await _abort(context, grpc.StatusCode.UNAVAILABLE, BUSY)
        if name is None:
            await _abort(context, grpc.StatusCode.UNAUTHENTICATED, "this token is not known here")
        while (older := self.attached.get(name)) is not None:
            # Its network may be dead, of which we would learn half a minute later.
            older.is_replaced.set()
            await older.is_out.wait()
        if len(self.attached) >= MOST_BOTS:
            await _abort(context, grpc.StatusCode.RESOURCE_EXHAUSTED, "the arena is full")
        bot = self.attached[name] = AttachedBot(name)
        try:
            async with _offered(bot, socket_of(self._folder, name)):
                self._say(f"{name} has dialled in")
                ending = await _converse(bot, request_iterator, context)
            said = f"{name} {ending.said}"
            self._say(said)
        except asyncio.CancelledError:
            self._say(f"{name} is gone")
            raise
        except _NotOfferedError as error:
            self._say(f"{name} cannot be taken in: {error}")
            await _abort(context, grpc.StatusCode.UNAVAILABLE, BUSY)
        finally:
            del self.attached[name]
            bot.is_out.set()
        if ending.status is not grpc.StatusCode.OK:
            await _abort(context, ending.status, said)


class _Ending(NamedTuple):
    """How the call of a bot ends."""

    status: grpc.StatusCode
    said: str
    """What is said of the bot, behind its name."""


GONE = _Ending(grpc.StatusCode.OK, "has gone")
FLOODS = _Ending(
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    "was cut off: it sends what nobody asked for, or lets messages pile up",
)
REPLACED = _Ending(
    grpc.StatusCode.ALREADY_EXISTS, "has dialled in with its token anew, which ends its older call"
)

_Context = grpc.aio.ServicerContext[object, object]
_AttachContext = grpc.aio.ServicerContext[arena.AttachRequest, arena.AttachResponse]


async def _converse(
    bot: AttachedBot, messages: AsyncIterator[arena.AttachRequest], context: _AttachContext
) -> _Ending:
    """Passes messages both ways until the call ends, and returns how it does."""

    async def speak() -> None:
        while True:
            await context.write(await bot.to_say.get())

    async def listen() -> _Ending:
        async for message in messages:
            if not bot.take(message):
                return FLOODS
        return GONE

    listening = asyncio.create_task(listen())
    replacing = asyncio.create_task(bot.is_replaced.wait())
    tasks = (asyncio.create_task(speak()), listening, replacing)
    try:
        await asyncio.wait((listening, replacing), return_when=asyncio.FIRST_COMPLETED)
        return REPLACED if bot.is_replaced.is_set() else await listening
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class _NotOfferedError(Exception):
    """There can be no socket for a bot: there are no files left, or no folder."""


@asynccontextmanager
async def _offered(bot: AttachedBot, path: Path) -> AsyncIterator[None]:
    """Offers *bot* to the referee at the socket *path* while the block runs."""
    server = grpc.aio.server()
    pb_grpc.add_BotServiceServicer_to_server(bot, server)
    try:
        server.add_insecure_port(f"unix:{path}")
    except RuntimeError as error:
        raise _NotOfferedError(printable(str(error), 200)) from None
    await server.start()
    try:
        yield
    finally:
        path.unlink(missing_ok=True)  # noqa: ASYNC240 - a name in a local folder
        bot.leave()
        await server.stop(1.0)


@asynccontextmanager
async def serving(
    listen: str, folder: Path, tls: Path | None, say: Callable[[str], None]
) -> AsyncIterator[int]:
    """Takes in bots while the block runs.

    Args:
        listen: Where, `host:port`; port 0 takes a free one.
        folder: Where tokens and sockets are; one gateway at a time may have it.
        tls: The folder with the arena's certificates; ``None`` only on this machine.
        say: Is told who comes and goes.

    Yields:
        The port.

    Raises:
        ConfigError: if the address, the folder or the certificates cannot be used.
    """
    host, _, port = listen.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise ConfigError(None, "--listen", f"expected HOST:PORT, got {listen!r}")
    if tls is None and not is_loopback(host):
        problem = f"{host} is not this machine alone, and tokens would travel in the clear"
        raise ConfigError(None, "--listen", f"{problem}; give --tls DIR (moon bot cert makes it)")
    credentials = None if tls is None else _server_credentials(Certificates.read(tls))
    _allow_files()
    with owned(folder):
        server = grpc.aio.server(options=SERVER_OPTIONS, maximum_concurrent_rpcs=2 * MOST_BOTS)
        arena_grpc.add_ArenaServiceServicer_to_server(Gateway(folder, say), server)
        try:
            if credentials is None:
                bound = server.add_insecure_port(listen)
            else:
                bound = server.add_secure_port(listen, credentials)
        except RuntimeError:
            problem = f"cannot listen on {listen}; it is in use, or no address of this machine"
            raise ConfigError(None, "--listen", problem) from None
        await server.start()
        try:
            yield bound
        finally:
            await server.stop(None)


def _allow_files() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MOST_FILES if hard == resource.RLIM_INFINITY else min(MOST_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def _server_credentials(certificates: Certificates) -> grpc.ServerCredentials:
    # A bot that dials in proves who it is by its token, and so needs no certificate.
    return grpc.ssl_server_credentials([(certificates.key, certificates.certificate)])


def _token(context: _AttachContext) -> str:
    for key, value in context.invocation_metadata() or ():
        if key == TOKEN_KEY and isinstance(value, str):
            return value.removeprefix(TOKEN_SCHEME)
    return ""


async def _abort(context: _Context | _AttachContext, code: grpc.StatusCode, why: str) -> NoReturn:
    await context.abort(code, why)
    raise AssertionError("abort raises")
