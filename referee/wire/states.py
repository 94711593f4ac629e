"""A question as bytes: kept, read, and put to a bot again exactly as it was.

The bytes are those of a `DecideRequest`. They are a `PlayRequest` with one decision as well, since
both have the decision in the same field; so one form serves both ways of asking.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from google.protobuf.json_format import MessageToDict, ParseDict, ParseError
from google.protobuf.message import DecodeError
from moon.v1 import bot_service_pb2 as pb

from referee.rules import Decision, View
from referee.wire.choices import decode_decision
from referee.wire.errors import WireError

UNKNOWN = b"\xc0\x3e\x07\xca\x3e\x04moon"
"""Two fields that no message of ours has: number 1000 with 7, number 1001 with a text."""


@dataclass(frozen=True, slots=True)
class StoredQuestion:
    """A question as it was put to a bot."""

    data: bytes
    """The message, a serialized `DecideRequest`."""
    match_id: str
    number: int
    """The number of the decision in its match, from 1."""
    move_time: float
    """The time that the message allows, in seconds."""
    view: View
    """What it shows, with its question."""

    @property
    def decision(self) -> Decision:
        """What is asked."""
        decision = self.view.decision
        assert decision is not None, "a question was read with its decision"
        return decision

    @property
    def message(self) -> pb.Decision:
        """The message inside."""
        return pb.DecideRequest.FromString(self.data).decision

    def to_json(self) -> dict[str, Any]:
        """Returns the message in the JSON form of protobuf, with the names of the .proto files."""
        return as_json(self.message)


def store_question(message: pb.Decision) -> StoredQuestion:
    """Returns *message* as it travels.

    Raises:
        WireError: if it asks nothing that can be read.
    """
    return read_question(pb.DecideRequest(decision=message).SerializeToString())


def read_question(data: bytes) -> StoredQuestion:
    """Returns the question in *data*, a serialized `DecideRequest`.

    Raises:
        WireError: if it is none, or is not written as protobuf writes it, so that it could not be
            sent again byte for byte.
    """
    try:
        request = pb.DecideRequest.FromString(data)
    except DecodeError:
        raise WireError("question", f"{len(data)} bytes that are no DecideRequest") from None
    if request.SerializeToString() != data:
        raise WireError("question", "is not written as protobuf writes it")
    message = request.decision
    view = decode_decision(message, View)
    return StoredQuestion(
        data, message.match_id, message.decision_number, message.move_time_ms / 1000, view
    )


def question_of_json(fields: Mapping[str, Any]) -> StoredQuestion:
    """Returns the question that *fields*, in the JSON form of protobuf, describe.

    Raises:
        WireError: if they describe none.
    """
    _check_text(fields)
    try:
        return store_question(ParseDict(dict(fields), pb.Decision()))
    except ParseError as error:
        raise WireError("decision", f"is no Decision: {error}") from None


def _check_text(fields: Mapping[str, Any]) -> None:
    """Refuses text that is none in Unicode, which protobuf takes for a bug where it looks names up.

    JSON can write half of a surrogate pair, and no encoding can.

    Raises:
        WireError: if there is some; names the place.
    """
    todo: list[tuple[str, Any]] = [("decision", fields)]
    while todo:
        place, value = todo.pop()
        if isinstance(value, str):
            _check_word(place, value)
        elif isinstance(value, Mapping):
            for key, inner in value.items():
                _check_word(place, key)
                todo.append((f"{place}.{key}", inner))
        elif isinstance(value, list):
            todo += [(f"{place}[{number}]", inner) for number, inner in enumerate(value)]


def _check_word(place: str, word: str) -> None:
    try:
        word.encode()
    except UnicodeEncodeError:
        raise WireError(place, f"{word!a} has half of a surrogate pair; write text") from None


def with_unknown_fields(question: StoredQuestion) -> StoredQuestion:
    """Returns *question* with fields that a later protocol might add, in it and in its view."""
    message = question.message
    message.MergeFromString(UNKNOWN)
    message.view.MergeFromString(UNKNOWN)
    return store_question(message)


def as_json(message: pb.Decision | pb.Answer) -> dict[str, Any]:
    """Returns *message* in the JSON form of protobuf, with the names of the .proto files."""
    fields: dict[str, Any] = MessageToDict(message, preserving_proto_field_name=True)
    return fields
