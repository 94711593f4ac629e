"""The calls of moon.v1, with answers that are read here and not in gRPC.

gRPC turns an answer that it cannot read into ``None``, and writes a traceback to standard error.
Read here it is what it is: a fault of the bot, with a reason.
"""

from __future__ import annotations

from typing import TypeVar, cast

import grpc.aio
from google.protobuf.message import DecodeError, Message
from moon.v1 import bot_service_pb2 as pb

MessageT = TypeVar("MessageT", bound=Message)

_SERVICE = pb.DESCRIPTOR.services_by_name["BotService"].full_name


class UnreadableError(Exception):
    """A call that ended well, but brought nothing that can be read. Its text says what it was."""


class BotCalls:
    """What can be asked of the bot behind a channel.

    Decisions are put as bytes, see `DecisionMessage`; every answer is bytes, or ``None``.
    """

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self.get_bot_info = _unary(channel, "GetBotInfo", pb.GetBotInfoRequest)
        self.decide: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes]
        self.decide = channel.unary_unary(f"/{_SERVICE}/Decide")
        self.notify = _unary(channel, "Notify", pb.NotifyRequest)
        self.play: grpc.aio.StreamStreamMultiCallable[bytes, bytes]
        self.play = channel.stream_stream(f"/{_SERVICE}/Play")


def _unary(
    channel: grpc.aio.Channel, method: str, request: type[MessageT]
) -> grpc.aio.UnaryUnaryMultiCallable[MessageT, bytes]:
    return cast(
        "grpc.aio.UnaryUnaryMultiCallable[MessageT, bytes]",
        channel.unary_unary(f"/{_SERVICE}/{method}", request_serializer=request.SerializeToString),
    )


def read_message(kind: type[MessageT], data: object) -> MessageT:
    """Returns the message of *kind* in what a call brought.

    Raises:
        UnreadableError: if it brought no message, or another one.
    """
    if not isinstance(data, bytes):
        raise UnreadableError("the call ended without a message")
    try:
        return kind.FromString(data)
    except DecodeError:
        name = kind.DESCRIPTOR.name
        raise UnreadableError(f"the answer of {len(data)} bytes is no {name}") from None
