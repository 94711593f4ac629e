"""Ways to misbehave in the messages themselves (group B): bytes that are, or are not, an answer."""

from __future__ import annotations

from moon.v1 import bot_service_pb2 as pb
from server import Call, first_legal, response

MEMBERS = {"bid": 10, "trump": 11, "exchange": 12, "discard": 13, "play": 14}
VARINT, FIXED64, LENGTH, START_GROUP, END_GROUP = 0, 1, 2, 3, 4
MIB = 1 << 20


def varint(value: int) -> bytes:
    """Returns *value* as protobuf writes numbers."""
    out = bytearray()
    value &= (1 << 64) - 1
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*out, value))


def number(tag: int, value: int) -> bytes:
    """Returns a field that holds a number."""
    return varint(tag << 3 | VARINT) + varint(value)


def text(tag: int, value: bytes) -> bytes:
    """Returns a field that holds bytes, a text or a message."""
    return varint(tag << 3 | LENGTH) + varint(len(value)) + value


def ids(decision: pb.Decision) -> bytes:
    """Returns the fields of an answer that say what it is an answer to."""
    return text(1, decision.match_id.encode()) + number(2, decision.decision_number)


def member(decision: pb.Decision) -> int:
    """Returns the number of the field that answers *decision*."""
    return MEMBERS[decision.WhichOneof("prompt")]


def right(decision: pb.Decision) -> bytes:
    """Returns the honest answer as the bytes of an `Answer`."""
    return first_legal(decision).SerializeToString()


def send(call: Call, answer: bytes, beside: bytes = b"") -> None:
    """Answers with the bytes of an `Answer`, and others *beside* it."""
    call.reply(text(1, answer) + beside)


def empty(call: Call) -> None:
    call.reply(b"")


def empty_answer(call: Call) -> None:
    send(call, b"")


def no_choice(call: Call) -> None:
    send(call, ids(call.decisions[0]))


def no_ids(call: Call) -> None:
    """Answers rightly, but does not say what."""
    decision = call.decisions[0]
    send(call, right(decision)[len(ids(decision)) :])


def unspecified(call: Call) -> None:
    decision = call.decisions[0]
    send(call, ids(decision) + number(member(decision), 0))


def every_choice(call: Call) -> None:
    """Sets every member of the choice, the right one first."""
    answer = right(call.decisions[0])
    wrong = (tag for tag in MEMBERS.values() if tag != member(call.decisions[0]))
    send(call, answer + b"".join(number(tag, 1) for tag in wrong))


def two_parts(call: Call) -> None:
    """Sends an answer in two halves, which a reader puts together; nothing is wrong with that."""
    decision = call.decisions[0]
    answer = right(decision)
    if call.streams:
        send(call, answer)
    else:
        halves = ids(decision), answer[len(ids(decision)) :]
        call.reply(b"".join(text(1, half) for half in halves))


def huge_number(call: Call) -> None:
    """Chooses 2**40, of which a reader of 32 bits sees nothing."""
    decision = call.decisions[0]
    send(call, ids(decision) + number(member(decision), 1 << 40))


def huge_plus_one(call: Call) -> None:
    """Chooses 2**40 + n, of which a reader of 32 bits sees n, the right choice."""
    decision = call.decisions[0]
    chosen = getattr(first_legal(decision), decision.WhichOneof("prompt"))
    send(call, ids(decision) + number(member(decision), (1 << 40) + chosen))


def negative(call: Call) -> None:
    decision = call.decisions[0]
    send(call, ids(decision) + number(member(decision), -1))


def unknown_enum(call: Call) -> None:
    decision = call.decisions[0]
    send(call, ids(decision) + number(member(decision), 9999))


def wrong_wire_type(call: Call) -> None:
    decision = call.decisions[0]
    send(call, ids(decision) + varint(member(decision) << 3 | FIXED64) + bytes(8))


def unknown_field(call: Call) -> None:
    """Answers rightly, with 30 KiB beside it that mean nothing."""
    send(call, right(call.decisions[0]) + text(99, bytes(30 << 10)))


def unknown_mib(call: Call) -> None:
    send(call, right(call.decisions[0]) + text(99, bytes(MIB)))


def many_empty(call: Call) -> None:
    """Sends two million empty answers in 4 MiB."""
    call.reply(text(1, b"") * (2 << 20))


def many_small(call: Call) -> None:
    """Sends thirty thousand empty answers, which no limit of bytes forbids."""
    call.reply(text(1, b"") * 30_000)


def nested(call: Call) -> None:
    depth = 10_000
    send(call, right(call.decisions[0]) + b"\x9b\x06" * depth + b"\x9c\x06" * depth)


def bad_utf8(call: Call) -> None:
    decision = call.decisions[0]
    send(
        call,
        text(1, b"\xff\xfe\xc0") + right(decision)[len(text(1, bytes(len(decision.match_id)))) :],
    )


def truncated(call: Call) -> None:
    call.reply(text(1, right(call.decisions[0]))[:-2])


def group_garbage(call: Call) -> None:
    send(call, right(call.decisions[0]) + varint(7 << 3 | END_GROUP))


def endless_varint(call: Call) -> None:
    send(call, b"\x10" + b"\xff" * 64)


def not_a_message(call: Call) -> None:
    call.reply(b"<html>play 6-4</html>")


# Well-formed answers that the rules, or the question, refuse.


def change(call: Call, **fields: object) -> None:
    """Answers honestly but for *fields*."""
    answer = first_legal(call.decisions[0])
    for name, value in fields.items():
        setattr(answer, name, value)
    call.answer(answer)


def refused_choice(call: Call) -> None:
    """Chooses what exists, but is not legal: a tile that is not held, a bid too low."""
    decision = call.decisions[0]
    prompt = decision.WhichOneof("prompt")
    legal = set(getattr(decision, prompt).ListFields()[0][1])
    count = {"bid": 9, "trump": 10, "exchange": 2}.get(prompt, 28)
    refused = [choice for choice in range(1, count + 1) if choice not in legal]
    if refused:
        change(call, **{prompt: refused[0]})
    else:
        call.honest()


def other_seat_tile(call: Call) -> None:
    """Plays a tile that another seat has laid, or one it cannot hold."""
    if call.decisions[0].WhichOneof("prompt") == "play":
        refused_choice(call)
    else:
        call.honest()


def bid_too_low(call: Call) -> None:
    """Bids what another has bid, as soon as one has."""
    if call.decisions[0].WhichOneof("prompt") == "bid":
        refused_choice(call)
    else:
        call.honest()


def other_member(call: Call) -> None:
    """Answers another question than the one that was asked."""
    decision = call.decisions[0]
    answer = pb.Answer(match_id=decision.match_id, decision_number=decision.decision_number)
    setattr(answer, "bid" if decision.WhichOneof("prompt") == "play" else "play", 1)
    call.answer(answer)


def unasked_suit(call: Call) -> None:
    change(call, called_suit=1)


def next_id(call: Call) -> None:
    """Answers a question that was not yet asked."""
    change(call, decision_number=call.decisions[0].decision_number + 1)


def old_id(call: Call) -> None:
    """Answers the first question of the match again."""
    change(call, decision_number=1)


def other_match(call: Call) -> None:
    change(call, match_id="0123456789abcdef")


def hostile_id(call: Call) -> None:
    change(call, match_id="\x1b[2J\u202ebot A wins\n" * 50)


def strays(call: Call) -> None:
    """Answers, with an answer to something never asked beside it."""
    decision = call.decisions[0]
    stray = pb.Answer(match_id=decision.match_id, decision_number=decision.decision_number + 500)
    answers = [stray, first_legal(decision)] if call.streams else [first_legal(decision)]
    call.reply(response(call.streams, *answers).SerializeToString())


def answers_late_ones(call: Call) -> None:
    """Holds back every answer until the next question, and then gives both."""
    held = getattr(call.wire, "held", None)
    if held is None:
        call.wire.held = first_legal(call.decisions[0])  # type: ignore[attr-defined]
        return
    call.answer(held, first_legal(call.decisions[0]))


# What it says of itself.


def introduce(call: Call, **fields: object) -> None:
    """Answers the handshake as an honest bot does, but for *fields*."""
    nonce = pb.GetBotInfoRequest.FromString(bytes(call.body[5:])).nonce
    said: dict[str, object] = {"nonce": nonce, "name": "zoo", "protocol_versions": ["moon.v1"]}
    call.reply(pb.GetBotInfoResponse(**{**said, **fields}).SerializeToString())


def old_protocol(call: Call) -> None:
    introduce(call, protocol_versions=["moon.v0"])


def many_protocols(call: Call) -> None:
    """Speaks an older and a newer protocol besides, and says things of a newer one."""
    nonce = pb.GetBotInfoRequest.FromString(bytes(call.body[5:])).nonce
    said = pb.GetBotInfoResponse(
        nonce=nonce, name="zoo", protocol_versions=["moon.v0", "moon.v2", "moon.v1"]
    )
    call.reply(said.SerializeToString() + text(99, b"of a newer protocol"))


def wrong_nonce(call: Call) -> None:
    introduce(call, nonce="the nonce of an earlier match")


def empty_introduction(call: Call) -> None:
    call.reply(b"")


def garbled_introduction(call: Call) -> None:
    call.reply(b"\xff" * 40)


def no_introduction(call: Call) -> None:
    call.headers(
        (":status", "200"), ("content-type", "application/grpc"), ("grpc-status", "0"), end=True
    )


def long_introduction(call: Call) -> None:
    introduce(call, name="n" * MIB)


def hostile_name(call: Call) -> None:
    """Calls itself what a terminal acts on, then plays honestly."""
    words = "\x1b]0;pwned\x07[bold red]\n'\";,\U0001f600\u202etob" + "x" * 300
    introduce(call, name=words, version=words, author=words)


def hostile_rules(call: Call) -> None:
    introduce(call, rule_sets=["\x1b[31mred\n"] * 500)


def stolen_name(call: Call) -> None:
    """Calls itself as its neighbour is called."""
    introduce(call, name="honest", version="1", author="honest")


def wild_numbers(call: Call) -> None:
    """Wants a billion decisions at a time and notices that do not exist, then plays honestly."""
    introduce(call, max_batch=2**31 - 1, notifications=[1, 2, 77, -5] * 1000)


def negative_batch(call: Call) -> None:
    introduce(call, max_batch=-(2**31))
