"""The channel to a bot, and the first words with it."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

import grpc
import grpc.aio
from moon.v1 import bot_service_pb2 as pb

from referee.bots.calls import BotCalls, UnreadableError, read_message
from referee.bots.terms import CallStyle
from referee.text import printable
from referee.wire import PROTOCOL

MAX_MESSAGE = 64 * 1024
"""The largest message a bot may send, in bytes. A batch of 256 answers has about 8 KB."""

MAX_METADATA = 8 * 1024
"""The most headers or trailers a bot may send with one answer, in bytes."""

CHANNEL_OPTIONS: tuple[tuple[str, int], ...] = (
    # A bot must never get a question twice, or through somebody's proxy.
    ("grpc.enable_retries", 0),
    ("grpc.enable_http_proxy", 0),
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.max_receive_message_length", MAX_MESSAGE),
    ("grpc.max_send_message_length", -1),
    # Between two different limits it is left to chance whether metadata is refused.
    ("grpc.max_metadata_size", MAX_METADATA),
    ("grpc.absolute_max_metadata_size", MAX_METADATA),
    # How a bot is asked is for nobody else to say, as a name server could.
    ("grpc.service_config_disable_resolution", 1),
    # One connection is all a bot gets: it must not be closed because a bot was not asked for long.
    ("grpc.client_idle_timeout_ms", 2**31 - 1),
    # A channel opened before the bot listens would otherwise wait for seconds between attempts.
    ("grpc.initial_reconnect_backoff_ms", 20),
    ("grpc.max_reconnect_backoff_ms", 100),
    # That is how long an attempt itself may last: a busy bot takes its time to say its first word.
    ("grpc.min_reconnect_backoff_ms", 10_000),
)


class HandshakeError(Exception):
    """The bot answered the handshake, but not as it must."""


@dataclass(frozen=True, slots=True)
class BotInfo:
    """What a bot says of itself."""

    name: str
    version: str
    author: str
    rule_sets: tuple[str, ...]
    """The presets it plays; empty means every one."""
    max_batch: int
    """How many decisions it takes at a time, at least 1: in a batch, or a call for each."""
    serves_stream: bool
    """Whether it serves the stream of batches."""
    notifications: frozenset[int]
    """What it wants to be told, as numbers of the protocol."""

    def window(self, style: CallStyle) -> int:
        """Returns how many decisions may be out to it at a time when it is asked by *style*."""
        return 1 if style is CallStyle.UNARY else self.max_batch

    @property
    def introduction(self) -> str:
        """The name, the version and the author, as far as it gives them."""
        return " ".join(
            filter(None, (self.name, self.version, self.author and f"by {self.author}"))
        )


def open_channel(
    target: str,
    credentials: grpc.ChannelCredentials | None = None,
    options: Sequence[tuple[str, int | str]] = (),
) -> grpc.aio.Channel:
    """Returns a channel to *target*.

    Args:
        target: Where the bot listens, as gRPC names it.
        credentials: How it proves who it is, and we who we are; ``None`` for a connection in the
            clear.
        options: What is set besides the options that every bot gets.
    """
    options = (*CHANNEL_OPTIONS, *options)
    if credentials is None:
        return grpc.aio.insecure_channel(target, options=options)
    return grpc.aio.secure_channel(target, credentials, options=options)


async def shake_hands(calls: BotCalls, limit: float | None) -> BotInfo:
    """Returns what the bot behind *calls* says of itself, once it listens.

    Args:
        calls: The bot.
        limit: How long it may take, in seconds; ``None`` leaves that to the caller.

    Raises:
        HandshakeError: if it answers something else than the protocol asks for.
        asyncio.TimeoutError: if it does not answer in time.
        grpc.RpcError: if the call fails.
    """
    nonce = secrets.token_hex(16)
    request = pb.GetBotInfoRequest(nonce=nonce, protocol_version=PROTOCOL)
    async with asyncio.timeout(limit):
        data = await calls.get_bot_info(request, wait_for_ready=True)
    try:
        answer = read_message(pb.GetBotInfoResponse, data)
    except UnreadableError as error:
        raise HandshakeError(f"answered the handshake, but {error}") from None
    if answer.nonce != nonce:
        raise HandshakeError(
            f"answered the handshake with the nonce {printable(answer.nonce, 40)!r} instead of the "
            "one it was given: is another process listening at its address?"
        )
    if PROTOCOL not in answer.protocol_versions:
        spoken = printable(", ".join(answer.protocol_versions), 80) or "none"
        raise HandshakeError(f"does not speak {PROTOCOL}; it speaks {spoken}")
    return BotInfo(
        printable(answer.name, 64),
        printable(answer.version, 32),
        printable(answer.author, 64),
        tuple(answer.rule_sets),
        max(1, answer.max_batch),
        answer.serves_play,
        frozenset(answer.notifications),
    )
