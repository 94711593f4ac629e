"""A bot that dials in: it calls the arena, and answers over that call what it is asked."""

from __future__ import annotations

import random
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import SimpleQueue

import grpc
from moon.v1 import arena_service_pb2 as arena
from moon.v1 import arena_service_pb2_grpc as arena_grpc
from moon.v1 import bot_service_pb2 as pb

from referee.errors import ConfigError, MoonError
from referee.sdk.bot import Bot
from referee.sdk.certificates import arena_credentials
from referee.sdk.server import BotService, Log
from referee.text import printable
from referee.wire.errors import WireError
from referee.wire.identities import ARENA, TOKEN_KEY, TOKEN_SCHEME, is_loopback

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 15.0
"""Seconds before the arena is called again: the first time it is away, and at most."""

OPTIONS = (
    ("grpc.enable_http_proxy", 0),
    ("grpc.enable_retries", 0),
    ("grpc.use_local_subchannel_pool", 1),
    # Routers forget a connection on which nothing is said.
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.max_pings_without_data", 0),
)

_DISTRUST = ("CERTIFICATE_VERIFY_FAILED", "Hostname Verification Check failed")
"""What gRPC says, among other things, when we do not believe who answers."""

Fail = Callable[[MoonError], None]
"""Is told why the bot cannot take part, which ends it."""


def attach(
    bot: Bot, address: str, token_file: Path, tls: Path | None, fail: Fail, log: Log | None
) -> Callable[[], object]:
    """Has *bot* take part in the arena at *address*; returns at once what ends that.

    Args:
        bot: The bot.
        address: Where the arena is, `host:port`.
        token_file: The file with the token.
        tls: The folder with the certificate of the arena's authority; ``None`` only on this
            machine.
        fail: Is told if the arena refuses the bot.
        log: Is told of each decision.

    Raises:
        ConfigError: if the arena cannot be called so.
    """
    if tls is None and not is_loopback(address.rpartition(":")[0]):
        problem = "the token would travel in the clear; give --tls DIR with the arena's ca.pem"
        raise ConfigError(None, address, problem)
    credentials = None if tls is None else arena_credentials(tls)
    try:
        token = token_file.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        problem = getattr(error, "strerror", None) or "is no token"
        raise ConfigError(token_file, None, problem.lower()) from None
    if not token.isprintable() or " " in token or not token:
        raise ConfigError(token_file, None, "is no token; the organiser makes one: moon bot token")
    dialler = _Dialler(BotService(bot, log), type(bot).__name__, address, token, credentials)
    threading.Thread(target=dialler.run, args=(fail,), daemon=True, name="dialler").start()
    return dialler.stop


class _Dialler:
    """Calls the arena, again and again if it must."""

    def __init__(
        self,
        service: BotService,
        name: str,
        address: str,
        token: str,
        credentials: grpc.ChannelCredentials | None,
    ) -> None:
        self._service = service
        self._name = name
        self._address = address
        self._metadata = ((TOKEN_KEY, TOKEN_SCHEME + token),)
        self._credentials = credentials
        self._ended = threading.Event()
        self._was_attached = False
        self._channel: grpc.Channel | None = None

    def stop(self) -> None:
        """Ends the call."""
        self._ended.set()
        if self._channel is not None:
            self._channel.close()

    def run(self, fail: Fail) -> None:
        """Takes part until it is stopped, or the arena refuses the bot."""
        pause, is_told = FIRST_PAUSE, False
        while not self._ended.is_set():
            problem = "the arena has ended the call"
            self._was_attached = False
            try:
                self._call()
            except grpc.RpcError as error:
                refusal = _refusal(error)
                if refusal is not None and not self._ended.is_set():
                    fail(ConfigError(None, self._address, refusal))
                    return
                problem = _describe(error)
            if self._was_attached:
                pause, is_told = FIRST_PAUSE, False
            if self._ended.is_set():
                return
            if not is_told:
                self._say(f"{self._address} cannot be had, and is called again: {problem}")
                is_told = True
            self._ended.wait(pause * random.uniform(0.5, 1.0))  # noqa: S311 - not a secret
            pause = min(LONGEST_PAUSE, 2 * pause)

    def _call(self) -> None:
        """Takes part over one call."""
        if self._credentials is None:
            self._channel = channel = grpc.insecure_channel(self._address, OPTIONS)
        else:
            options = (*OPTIONS, ("grpc.ssl_target_name_override", ARENA))
            self._channel = channel = grpc.secure_channel(self._address, self._credentials, options)
        conversation = _Conversation(self._service)
        try:
            stub = arena_grpc.ArenaServiceStub(channel)
            for message in stub.Attach(conversation.answers(), metadata=self._metadata):
                if message.HasField("attached"):
                    self._was_attached = True
                    name = printable(message.attached.name, 40)
                    self._say(f"takes part at {self._address} as dial:{name}")
                else:
                    conversation.take(message)
        finally:
            conversation.end()
            channel.close()

    def _say(self, text: str) -> None:
        print(f"{self._name}: {text}", file=sys.stderr, flush=True)  # noqa: T201


class _Conversation:
    """What is asked and answered over one call. The bot is asked one thing at a time."""

    def __init__(self, service: BotService) -> None:
        self._service = service
        self._is_over = False
        self._asked: SimpleQueue[arena.AttachResponse | None] = SimpleQueue()
        self._said: SimpleQueue[arena.AttachRequest | None] = SimpleQueue()
        threading.Thread(target=self._work, daemon=True, name="answers").start()

    def answers(self) -> Iterator[arena.AttachRequest]:
        """Yields what the bot says, as it says it."""
        return iter(self._said.get, None)

    def take(self, message: arena.AttachResponse) -> None:
        """Takes what the arena says; returns at once."""
        if message.HasField("get_bot_info"):
            info = self._service.info(message.get_bot_info)
            self._said.put(arena.AttachRequest(call=message.call, get_bot_info=info))
        else:
            self._asked.put(message)

    def end(self) -> None:
        """Answers nothing more."""
        self._is_over = True
        self._asked.put(None)
        self._said.put(None)

    def _work(self) -> None:
        while (message := self._asked.get()) is not None and not self._is_over:
            try:
                for answer in self._answer(message):
                    answer.call = message.call
                    self._said.put(answer)
            except WireError as error:
                failed = arena.CallFailed(reason=str(error)[:400])
                self._said.put(arena.AttachRequest(call=message.call, failed=failed))

    def _answer(self, message: arena.AttachResponse) -> Iterator[arena.AttachRequest]:
        service = self._service
        match message.WhichOneof("message"):
            case "decide":
                [response] = service.answers([message.decide.decision])
                yield arena.AttachRequest(decide=pb.DecideResponse(answer=response.answers[0]))
            case "play":
                for response in service.answers(message.play.decisions):
                    yield arena.AttachRequest(play=response)
            case "notify":
                service.tell(message.notify)
                yield arena.AttachRequest(notify=pb.NotifyResponse())
            case other:
                reason = f"this bot does not know {other or 'what was asked'}"
                yield arena.AttachRequest(failed=arena.CallFailed(reason=reason))


def _refusal(error: grpc.RpcError) -> str | None:
    """Returns why it makes no sense to call again; ``None`` if it does."""
    code, details = error.code(), error.details() or ""
    if code is grpc.StatusCode.UNAUTHENTICATED:
        return "the arena refuses the token; ask the organiser for another"
    if code is grpc.StatusCode.ALREADY_EXISTS:
        return "another bot has dialled in with this token; each needs one of its own"
    if code is grpc.StatusCode.UNIMPLEMENTED:
        return "no arena answers there: moon serve-bots is what bots dial in to"
    if any(words in details for words in _DISTRUST):
        return "who answers there is not the arena whose ca.pem the bot has"
    return None


def _describe(error: grpc.RpcError) -> str:
    details = printable(error.details() or "", 200)
    return f"{error.code().name}: {details}" if details else str(error.code().name)
