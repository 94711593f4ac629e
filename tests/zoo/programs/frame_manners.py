"""Ways to misbehave in HTTP/2 and gRPC (group G): what a `Call`, or a fresh connection, gets."""

from __future__ import annotations

import gzip
import time
import zlib

from frames import (
    CONTINUATION,
    DATA,
    END_HEADERS,
    END_STREAM,
    GOAWAY,
    HEADERS,
    INITIAL_WINDOW,
    MAX_FRAME,
    MAX_STREAMS,
    PING,
    PRIORITY,
    PUSH_PROMISE,
    RST_STREAM,
    SETTINGS,
    WINDOW_UPDATE,
    Wire,
    block,
    frame,
    literal,
    message,
    remembered,
    settings,
)
from server import OK, RESPONSE, Call, first_legal, response

MIB = 1 << 20
HOSTILE = "\x1b]0;pwned\x07\x1b[2J\r\nbot A wins\u202e\u2066\n\0"
"""What a terminal, a log or a page must never get as it is."""


def right_answer(call: Call) -> bytes:
    """Returns the honest answer to what is asked now, as a message of gRPC."""
    answers = map(first_legal, call.decisions)
    return message(response(call.streams, *answers).SerializeToString())


# Saying nothing, or something else than HTTP/2.


def silent(_: Call | Wire) -> None:
    """Says nothing, and does not read on either."""
    time.sleep(3600)


def mute(_: Call) -> None:
    """Does not answer, but reads on."""


def noise(to: Call | Wire) -> None:
    wire = to.wire if isinstance(to, Call) else to
    wire.send(bytes(range(255, -1, -1)) * 16)
    time.sleep(3600)


def http1(to: Call | Wire) -> None:
    wire = to.wire if isinstance(to, Call) else to
    wire.send(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 6\r\n\r\nno way")
    time.sleep(3600)


def settings_only(wire: Wire) -> None:
    wire.send(settings())
    time.sleep(3600)


def zero_window(call: Call) -> None:
    """Answers, and lets the referee send nothing any more."""
    call.wire.send(settings((INITIAL_WINDOW, 0)))
    if call.decisions:
        call.honest()


def no_streams(call: Call) -> None:
    """Answers, and lets the referee ask nothing any more."""
    call.wire.send(settings((MAX_STREAMS, 0)))
    if call.decisions:
        call.honest()


# Parts of an answer.


def headers_only(call: Call) -> None:
    call.begin()


def drip(call: Call) -> None:
    """Sends an answer byte by byte, 20 a second."""
    call.begin()
    for byte in right_answer(call) * 100:
        call.data(bytes((byte,)))
        time.sleep(0.05)


def no_trailers(call: Call) -> None:
    call.begin()
    call.data(right_answer(call))


def no_message(call: Call) -> None:
    call.begin()
    call.headers(*OK, end=True)


def trailers_only(call: Call) -> None:
    """Ends the call at once, with one block of headers that says all is well."""
    call.headers(*RESPONSE, *OK, end=True)


def half_message(call: Call) -> None:
    call.begin()
    call.data(right_answer(call)[:-3])
    call.headers(*OK, end=True)


def no_status(call: Call) -> None:
    call.begin()
    call.data(right_answer(call), end=True)


def trailers_first(call: Call) -> None:
    call.headers(*OK)
    call.data(right_answer(call))
    call.headers(*RESPONSE, end=True)


def close_in_message(call: Call) -> None:
    call.begin()
    call.data(right_answer(call)[:-3])
    call.wire.drop()


def reset_after_message(call: Call) -> None:
    call.begin()
    call.data(right_answer(call))
    call.wire.send(frame(RST_STREAM, 0, call.stream, bytes(4)))


# Too much.


def two_messages(call: Call) -> None:
    call.begin()
    call.data(right_answer(call) * 2)
    if not call.streams:
        call.headers(*OK, end=True)


def endless_messages(call: Call) -> None:
    """Sends one honest answer after another, as fast as they are taken."""
    call.begin()
    while True:
        call.data(right_answer(call) * 100)


def endless_empty(call: Call) -> None:
    """Sends empty messages, as fast as they are taken."""
    call.begin()
    while True:
        call.data(message(b"") * 2000)


def declares_2_gib(call: Call) -> None:
    call.begin()
    call.data(message(b"x", length=(1 << 31) - 1))


def sends_64_mib(call: Call) -> None:
    """Sends a message of 64 MiB without waiting to be allowed to."""
    call.begin()
    payload = message(b"", length=64 * MIB)
    call.data(payload)
    for _ in range(64 * MIB // MAX_FRAME):
        call.data(bytes(MAX_FRAME))
    call.headers(*OK, end=True)


def flag_2(call: Call) -> None:
    """Sends an answer with a compression flag that does not exist."""
    call.begin()
    call.data(message(right_answer(call)[5:], flag=2))
    call.headers(*OK, end=True)


def flag_without_codec(call: Call) -> None:
    call.begin()
    call.data(message(gzip.compress(right_answer(call)[5:]), flag=1))
    call.headers(*OK, end=True)


def unknown_codec(call: Call) -> None:
    call.begin(("grpc-encoding", "snappy"))
    call.data(message(right_answer(call)[5:], flag=1))
    call.headers(*OK, end=True)


def gzip_answer(call: Call) -> None:
    """Compresses an honest answer, although the referee does not offer to read that."""
    call.begin(("grpc-encoding", "gzip"))
    call.data(message(gzip.compress(right_answer(call)[5:]), flag=1))
    call.headers(*OK, end=True)


def gzip_bomb(call: Call, size: int = 60 * MIB) -> None:
    """Sends *size* zeros, a thousandth of that when compressed."""
    packer = zlib.compressobj(9, wbits=31)
    start = packer.compress(bytes(MIB)) + packer.flush(zlib.Z_FULL_FLUSH)
    again = packer.compress(bytes(MIB)) + packer.flush(zlib.Z_FULL_FLUSH)
    call.begin(("grpc-encoding", "gzip"))
    call.data(message(start + again * (size // MIB - 1), flag=1))
    call.headers(*OK, end=True)


def gzip_bomb_1_gib(call: Call) -> None:
    gzip_bomb(call, 1024 * MIB)


# Headers.


def trailers_of(call: Call, size: int) -> None:
    call.begin()
    call.data(right_answer(call))
    headers = block((*OK, *((f"x-{n}", "v" * 1000) for n in range(size // 1000))))
    parts = [headers[at : at + MAX_FRAME] for at in range(0, len(headers), MAX_FRAME)]
    for number, part in enumerate(parts):
        kind = CONTINUATION if number else HEADERS
        flags = (0 if number else END_STREAM) | (END_HEADERS if part is parts[-1] else 0)
        call.wire.send(frame(kind, flags, call.stream, part))


def trailers_4_kb(call: Call) -> None:
    trailers_of(call, 4_000)


def trailers_10_kb(call: Call) -> None:
    trailers_of(call, 10_000)


def trailers_16_mb(call: Call) -> None:
    trailers_of(call, 16_000_000)


def big_metadata(call: Call) -> None:
    """Answers, with 20 KB of headers of its own."""
    call.headers(*RESPONSE, ("set-cookie", "v" * 20_000))
    call.data(right_answer(call))
    call.headers(*OK, end=True)


def continuation_flood(call: Call) -> None:
    call.wire.send(frame(HEADERS, 0, call.stream, block(RESPONSE)))
    part = frame(CONTINUATION, 0, call.stream, block((f"x-{n}", "v" * 100) for n in range(100)))
    while True:
        call.wire.send(part * 4)


def empty_continuation_flood(call: Call) -> None:
    call.wire.send(frame(HEADERS, 0, call.stream, block(RESPONSE)))
    part = frame(CONTINUATION, 0, call.stream) * 1000
    while True:
        call.wire.send(part)


def table_bomb(call: Call) -> None:
    """Names a long header thousands of times, at a byte for each."""
    bomb = block(RESPONSE) + remembered("x", "v" * 4000) + b"\xbe" * 12_000
    call.wire.send(frame(HEADERS, END_HEADERS, call.stream, bomb))
    call.data(right_answer(call))
    call.headers(*OK, end=True)


def bad_table_index(call: Call) -> None:
    call.wire.send(frame(HEADERS, END_HEADERS, call.stream, b"\xff\xff\xff\xff\x0f"))


def informational_flood(call: Call) -> None:
    part = frame(HEADERS, END_HEADERS, call.stream, block(((":status", "100"),))) * 500
    while True:
        call.wire.send(part)


# Floods of small frames.


def flood(call: Call, part: bytes) -> None:
    while True:
        call.wire.send(part * 1000)


def ping_flood(call: Call) -> None:
    flood(call, frame(PING, payload=b"12345678"))


def settings_flood(call: Call) -> None:
    flood(call, settings())


def reset_flood(call: Call) -> None:
    flood(call, frame(RST_STREAM, 0, call.stream - 2, b"\0\0\0\x08"))


def window_flood(call: Call) -> None:
    flood(call, frame(WINDOW_UPDATE, 0, call.stream, b"\0\0\0\x01"))


def goaway_flood(call: Call) -> None:
    flood(call, frame(GOAWAY, payload=b"\x7f\xff\xff\xff\0\0\0\0"))


def empty_data_flood(call: Call) -> None:
    call.begin()
    flood(call, frame(DATA, 0, call.stream))


def priority_flood(call: Call) -> None:
    flood(call, frame(PRIORITY, 0, call.stream, b"\0\0\0\0\x10"))


def unknown_frame_flood(call: Call) -> None:
    flood(call, frame(0xFA, 0, call.stream, b"x" * 10))


# Refusing, so that it is asked again.


def refuse_stream(call: Call) -> None:
    call.wire.send(frame(RST_STREAM, 0, call.stream, b"\0\0\0\x07"))


def goaway_0(call: Call) -> None:
    """Says that no call was ever taken, as one does that wants them again."""
    call.wire.send(frame(GOAWAY, payload=bytes(8)))


def pushback(call: Call) -> None:
    call.headers(
        *RESPONSE,
        ("grpc-status", "14"),
        ("grpc-message", "again, please"),
        ("grpc-retry-pushback-ms", "1"),
        end=True,
    )


# Statuses.


def status(call: Call, code: str, text: str = "no idea") -> None:
    call.headers(*RESPONSE, ("grpc-status", code), ("grpc-message", text), end=True)


def status_after_message(call: Call) -> None:
    call.begin()
    call.data(right_answer(call))
    call.headers(("grpc-status", "13"), ("grpc-message", "forget it"), end=True)


def hostile_status(call: Call) -> None:
    text = "".join(f"%{byte:02X}" for byte in HOSTILE.encode())
    status(call, "13", text)


def status_bad_text(call: Call) -> None:
    """Sends a status whose message is no text."""
    trailers = block((*RESPONSE, ("grpc-status", "13"))) + literal("grpc-message", b"\xff\xfe\xc0")
    call.wire.send(frame(HEADERS, END_HEADERS | END_STREAM, call.stream, trailers))


def redirect(call: Call) -> None:
    call.headers((":status", "302"), ("location", "http://127.0.0.1:1/"), end=True)


def html(call: Call) -> None:
    call.headers((":status", "200"), ("content-type", "text/html"))
    call.data(b"<html><script>alert(1)</script></html>", end=True)


def http_503(call: Call) -> None:
    call.headers((":status", "503"), end=True)


# Frames that have no business there.


def push_promise(call: Call) -> None:
    call.wire.send(frame(PUSH_PROMISE, END_HEADERS, call.stream, b"\0\0\0\x02" + block(RESPONSE)))


def oversized_frame(call: Call) -> None:
    call.begin()
    call.wire.send(frame(DATA, 0, call.stream, bytes(4 * MIB)))


def bad_settings(call: Call) -> None:
    call.wire.send(settings((INITIAL_WINDOW, 0xFFFFFFFF)))


def window_overflow(call: Call) -> None:
    call.wire.send(frame(WINDOW_UPDATE, 0, 0, b"\x7f\xff\xff\xff") * 3)


def data_for_nobody(call: Call) -> None:
    call.wire.send(frame(DATA, 0, 0, b"zero"))


def upper_case(call: Call) -> None:
    call.wire.send(
        frame(
            HEADERS,
            END_HEADERS,
            call.stream,
            block(RESPONSE) + literal("X-Loud", "1") + literal(b"x\n", b"a\r\nb\0"),
        )
    )
    call.data(right_answer(call))
    call.headers(*OK, end=True)


def future_stream(call: Call) -> None:
    """Answers, and then the calls that are not yet made."""
    call.honest()
    payload = right_answer(call)
    for stream in range(call.stream + 2, call.stream + 20, 2):
        call.wire.send(
            frame(HEADERS, END_HEADERS, stream, block(RESPONSE)),
            frame(DATA, 0, stream, payload),
            frame(HEADERS, END_HEADERS | END_STREAM, stream, block(OK)),
        )


def answers_twice(call: Call) -> None:
    call.honest()
    call.has_headers = call.streams
    call.honest()


def drops_after_answer(call: Call) -> None:
    """Answers, hangs up, and listens again."""
    call.honest()
    time.sleep(0.02)
    call.wire.drop()


def more_settings(call: Call) -> None:
    """Answers, with an acknowledgement of settings that nobody sent."""
    call.wire.send(frame(SETTINGS, 1) * 3)
    call.honest()
