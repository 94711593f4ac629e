"""A bot of moon.v1 made of raw frames: honest, until a manner of misbehaving takes over."""

from __future__ import annotations

import os
import socket
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from frames import (
    ACK,
    CONTINUATION,
    DATA,
    END_HEADERS,
    END_STREAM,
    HEADER_TABLE_SIZE,
    HEADERS,
    PADDED,
    PING,
    PREFACE,
    PRIORITIZED,
    RST_STREAM,
    SETTINGS,
    WINDOW_UPDATE,
    Frame,
    GoneError,
    Wire,
    block,
    frame,
    message,
    path_in,
    settings,
)
from moon.v1 import bot_service_pb2 as pb

SERVICE = "/moon.v1.BotService/"
RESPONSE = ((":status", "200"), ("content-type", "application/grpc"))
OK = (("grpc-status", "0"),)


@dataclass
class Call:
    """One call of the referee: a handshake, a question, or the stream of questions."""

    wire: Wire
    stream: int
    path: str
    body: bytearray = field(default_factory=bytearray)
    has_headers: bool = False
    decisions: Sequence[pb.Decision] = ()
    """What is asked now."""

    @property
    def streams(self) -> bool:
        """Whether it is the stream."""
        return self.path == SERVICE + "Play"

    def headers(self, *headers: tuple[str, str], end: bool = False) -> None:
        """Sends headers, or trailers if it *end*s the call."""
        self.has_headers = True
        flags = END_HEADERS | (END_STREAM if end else 0)
        self.wire.send(frame(HEADERS, flags, self.stream, block(headers)))

    def begin(self, *more: tuple[str, str]) -> None:
        """Sends the headers of an answer, if they were not sent before."""
        if not self.has_headers:
            self.headers(*RESPONSE, *more)

    def data(self, payload: bytes, *, end: bool = False) -> None:
        """Sends bytes as they are, in frames of the usual size."""
        parts = [payload[at : at + 16_384] for at in range(0, len(payload), 16_384)] or [b""]
        for part in parts[:-1]:
            self.wire.send(frame(DATA, 0, self.stream, part))
        self.wire.send(frame(DATA, END_STREAM if end else 0, self.stream, parts[-1]))

    def reply(self, payload: bytes) -> None:
        """Answers with a message; a call for one question is over then."""
        self.begin()
        self.data(message(payload))
        if not self.streams:
            self.headers(*OK, end=True)

    def answer(self, *answers: pb.Answer) -> None:
        """Answers as the protocol asks for."""
        self.reply(response(self.streams, *answers).SerializeToString())

    def honest(self) -> None:
        """Answers what is asked now with the first legal choices."""
        self.answer(*map(first_legal, self.decisions))


Manner: TypeAlias = Callable[[Call], None]


def response(streams: bool, *answers: pb.Answer) -> pb.DecideResponse | pb.PlayResponse:
    """Returns the message that holds *answers*."""
    return pb.PlayResponse(answers=answers) if streams else pb.DecideResponse(answer=answers[0])


def first_legal(decision: pb.Decision) -> pb.Answer:
    """Returns the answer that chooses what comes first."""
    answer = pb.Answer(match_id=decision.match_id, decision_number=decision.decision_number)
    prompt = decision.WhichOneof("prompt")
    legal = getattr(decision, prompt)
    setattr(answer, prompt, legal.ListFields()[0][1][0])
    if decision.play.legal_called_suits:
        answer.called_suit = decision.play.legal_called_suits[0]
    return answer


@dataclass
class Bot:
    """What the bot does: when it misbehaves, and how.

    Attributes:
        at: Where it misbehaves: when it is connected (``accept``), asked for its name (``info``),
            asked for a decision (``decide``), or told something (``notify``).
        manner: How.
        after: How many decisions it answers honestly before.
        settings: What it announces when it is connected.
        info: What it says of itself.
        wishes: What it wants to be told.
        answered: How many decisions it has answered.
    """

    at: str
    manner: Callable[..., None]
    after: int = 2
    streams: bool = False
    settings: tuple[tuple[int, int], ...] = ((HEADER_TABLE_SIZE, 0),)
    info: Mapping[str, object] = field(default_factory=dict)
    answered: int = 0
    seen: set[tuple[str, int]] = field(default_factory=set)

    def serve(self) -> None:
        """Listens until the end."""
        address = os.environ["MOON_BOT_LISTEN"].removeprefix("unix:")
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(address)
            listening.listen()
            while True:
                connection, _ = listening.accept()
                threading.Thread(target=self._talk, args=(Wire(connection),), daemon=True).start()

    def _talk(self, wire: Wire) -> None:
        try:
            if self.at == "accept":
                self.manner(wire)
            Conversation(self, wire).run()
        except GoneError:
            wire.drop()

    def take(self, call: Call) -> None:
        """Answers one call, or what came of it by now."""
        match call.path.removeprefix(SERVICE):
            case "GetBotInfo":
                self._introduce(call)
            case "Decide" | "Play":
                self._decide(call)
            case "Notify":
                self.manner(call) if self.at == "notify" else call.reply(b"")
            case _:
                attempt = f"zoo: got a call of {call.path}"
                print(attempt, file=sys.stderr, flush=True)
                call.headers(*RESPONSE, ("grpc-status", "12"), end=True)

    def _introduce(self, call: Call) -> None:
        if self.at == "info":
            self.manner(call)
            return
        call.reply(self.introduction(call).SerializeToString())

    def introduction(self, call: Call) -> pb.GetBotInfoResponse:
        """Returns what the bot says of itself."""
        said: dict[str, object] = {
            "nonce": pb.GetBotInfoRequest.FromString(bytes(call.body[5:])).nonce,
            "name": "zoo",
            "protocol_versions": ["moon.v1"],
            "serves_play": self.streams,
            "max_batch": 8,
            "notifications": [1, 2] if self.at == "notify" else [],
        }
        return pb.GetBotInfoResponse(**{**said, **self.info})

    def _decide(self, call: Call) -> None:
        for decision in call.decisions:
            key = decision.match_id, decision.decision_number
            if key in self.seen:
                print("zoo: got a question twice", file=sys.stderr, flush=True)
            self.seen.add(key)
        if self.at == "decide" and self.answered >= self.after:
            self.manner(call)
        else:
            call.honest()
        self.answered += len(call.decisions)


class Conversation:
    """One connection, from the first byte of the client to the last."""

    def __init__(self, bot: Bot, wire: Wire) -> None:
        self._bot = bot
        self._wire = wire
        self._calls: dict[int, Call] = {}
        self._block = bytearray()

    def run(self) -> None:
        """Reads and answers until the connection is closed."""
        if self._wire.take(len(PREFACE)) != PREFACE:
            raise GoneError
        self._wire.send(settings(*self._bot.settings))
        while True:
            self._take(self._wire.read())

    def _take(self, got: Frame) -> None:
        if got.kind == SETTINGS and not got.flags & ACK:
            self._wire.send(frame(SETTINGS, ACK))
        elif got.kind == PING and not got.flags & ACK:
            self._wire.send(frame(PING, ACK, payload=got.payload))
        elif got.kind in (HEADERS, CONTINUATION):
            self._take_headers(got)
        elif got.kind == RST_STREAM:
            self._calls.pop(got.stream, None)
        elif got.kind == DATA:
            self._take_data(got)

    def _take_headers(self, got: Frame) -> None:
        payload = got.payload
        if got.kind == HEADERS:
            self._block.clear()
            if got.flags & PADDED:
                payload = payload[1 : len(payload) - payload[0]]
            if got.flags & PRIORITIZED:
                payload = payload[5:]
        self._block += payload
        if got.flags & END_HEADERS:
            self._calls[got.stream] = Call(self._wire, got.stream, path_in(bytes(self._block)))

    def _take_data(self, got: Frame) -> None:
        if got.payload:
            more = len(got.payload).to_bytes(4)
            self._wire.send(frame(WINDOW_UPDATE, 0, 0, more))
            if not got.flags & END_STREAM:
                self._wire.send(frame(WINDOW_UPDATE, 0, got.stream, more))
        call = self._calls.get(got.stream)
        if call is None:
            return
        call.body += got.payload
        if call.streams:
            self._take_stream(call)
        elif got.flags & END_STREAM:
            if call.path == SERVICE + "Decide":
                call.decisions = [pb.DecideRequest.FromString(bytes(call.body[5:])).decision]
            self._bot.take(call)

    def _take_stream(self, call: Call) -> None:
        while len(call.body) >= 5:
            end = 5 + int.from_bytes(call.body[1:5])
            if len(call.body) < end:
                return
            call.decisions = pb.PlayRequest.FromString(bytes(call.body[5:end])).decisions
            del call.body[:end]
            self._bot.take(call)
