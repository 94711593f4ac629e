"""HTTP/2 by hand, as much of it as a bot needs to misbehave in: frames, and headers as literals.

Nothing is checked on the way out, because what is wrong is what the programs here are for.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Iterable
from typing import NamedTuple

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY = range(8)
WINDOW_UPDATE, CONTINUATION = 8, 9
END_STREAM = ACK = 0x1
END_HEADERS, PADDED, PRIORITIZED = 0x4, 0x8, 0x20
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
MAX_FRAME = 16_384

HEADER_TABLE_SIZE, ENABLE_PUSH, MAX_STREAMS, INITIAL_WINDOW, MAX_FRAME_SIZE = range(1, 6)

_STATIC_PATHS = {4: "/", 5: "/index.html"}
_STATIC_COUNT = 61


class Frame(NamedTuple):
    """A frame that came in."""

    kind: int
    flags: int
    stream: int
    payload: bytes


class GoneError(Exception):
    """The other side closed the connection."""


def frame(kind: int, flags: int = 0, stream: int = 0, payload: bytes = b"") -> bytes:
    """Returns one frame as bytes."""
    return struct.pack(">IBBI", len(payload), kind, flags, stream)[1:] + payload


def settings(*pairs: tuple[int, int]) -> bytes:
    """Returns a SETTINGS frame."""
    return frame(SETTINGS, payload=b"".join(struct.pack(">HI", *pair) for pair in pairs))


def integer(value: int, bits: int, first: int = 0) -> bytes:
    """Returns *value* as HPACK writes numbers, in a first byte with *bits* free bits."""
    limit = (1 << bits) - 1
    if value < limit:
        return bytes((first | value,))
    out = bytearray((first | limit,))
    value -= limit
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*out, value))


def literal(name: str | bytes, value: str | bytes) -> bytes:
    """Returns one header as a literal that no table remembers."""
    name, value = (text.encode() if isinstance(text, str) else text for text in (name, value))
    return b"\0" + integer(len(name), 7) + name + integer(len(value), 7) + value


def remembered(name: str, value: str) -> bytes:
    """Returns one header as a literal that the reader is to keep in its table."""
    return b"\x40" + integer(len(name), 7) + name.encode() + integer(len(value), 7) + value.encode()


def block(headers: Iterable[tuple[str, str]]) -> bytes:
    """Returns headers as one block of literals."""
    return b"".join(literal(name, value) for name, value in headers)


def path_in(headers: bytes) -> str:
    """Returns the path in a block of headers, from a client that was told to keep no table.

    A client of gRPC writes its texts without Huffman codes; one that does not is not understood.
    """
    at = 0
    while at < len(headers):
        first = headers[at]
        if first & 0x80:
            index, at = _read_integer(headers, at, 7)
            if index in _STATIC_PATHS:
                return _STATIC_PATHS[index]
            continue
        if first & 0xE0 == 0x20:
            _, at = _read_integer(headers, at, 5)
            continue
        index, at = _read_integer(headers, at, 6 if first & 0x40 else 4)
        name = ""
        if index == 0:
            name, at = _read_text(headers, at)
        value, at = _read_text(headers, at)
        if index in _STATIC_PATHS or name == ":path":
            return value
    return ""


def _read_integer(data: bytes, at: int, bits: int) -> tuple[int, int]:
    limit = (1 << bits) - 1
    value = data[at] & limit
    at += 1
    if value < limit:
        return value, at
    shift = 0
    while True:
        value += (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def _read_text(data: bytes, at: int) -> tuple[str, int]:
    length, start = _read_integer(data, at, 7)
    return data[start : start + length].decode("latin-1"), start + length


def message(payload: bytes, flag: int = 0, length: int | None = None) -> bytes:
    """Returns *payload* as one message of gRPC; *length* is what it claims to have."""
    return struct.pack(">BI", flag, len(payload) if length is None else length) + payload


class Wire:
    """One connection, read frame by frame; may be written by several threads."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._lock = threading.Lock()

    def send(self, *parts: bytes) -> None:
        """Sends bytes as they are, and waits while the other side does not take them."""
        try:
            with self._lock:
                self._socket.sendall(b"".join(parts))
        except OSError as error:
            raise GoneError from error

    def take(self, size: int) -> bytes:
        """Returns the next *size* bytes."""
        got = bytearray()
        while len(got) < size:
            try:
                part = self._socket.recv(size - len(got))
            except OSError as error:
                raise GoneError from error
            if not part:
                raise GoneError
            got += part
        return bytes(got)

    def read(self) -> Frame:
        """Returns the next frame."""
        head = self.take(9)
        length = int.from_bytes(head[:3])
        return Frame(head[3], head[4], int.from_bytes(head[5:]) & 0x7FFFFFFF, self.take(length))

    def drop(self) -> None:
        """Closes the connection."""
        with contextlib.suppress(OSError):  # it was closed before
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
