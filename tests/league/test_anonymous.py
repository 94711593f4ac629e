"""Nothing that a bot is sent tells who sits opposite: opponents are seats, matches are nonces."""

from __future__ import annotations

from collections.abc import Iterator

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from moon.v1 import bot_service_pb2

TEXTS = {"nonce", "protocol_version", "match_id", "rules"}
"""Every field of text that a bot is sent."""


def fields(message: Descriptor, seen: set[str]) -> Iterator[FieldDescriptor]:
    """Yields every field below *message*."""
    if message.full_name in seen:
        return
    seen.add(message.full_name)
    for field in message.fields:
        yield field
        if field.message_type is not None:
            yield from fields(field.message_type, seen)


def test_no_message_to_a_bot_has_room_for_the_name_of_an_opponent() -> None:
    methods = bot_service_pb2.DESCRIPTOR.services_by_name["BotService"].methods
    seen: set[str] = set()
    sent = [field for method in methods for field in fields(method.input_type, seen)]
    text = {f.name for f in sent if f.type in (f.TYPE_STRING, f.TYPE_BYTES)}
    assert text == TEXTS
