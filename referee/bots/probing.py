"""Looks at who answers at the address of a remote bot, before anything is played.

gRPC reports a wrong certificate, a foreign one and a bot that is not there by the same status. So
that an organiser reads which it is, the first handshake is our own. It decides nothing: the
connections on which is played are judged again, by gRPC, each time they are made.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from referee.bots.remotes import Certificates, Way
from referee.bots.spec import BotKind
from referee.errors import ConfigError
from referee.text import printable
from referee.wire.identities import INSIDE, bot_identity

PATIENCE = 5.0
"""Seconds that an answer to any step may take."""
LISTEN_WITHIN = 3.0
"""Seconds in which a bot may begin to listen that was started together with us."""
LOOK_AGAIN = 0.1
"""Seconds between two looks at whether it does."""

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
"""How a connection of HTTP/2 begins, with settings that set nothing."""
_SETTINGS = 4

_EXPIRED, _NOT_YET, _NOT_FOR_THIS = 10, 9, 26
"""Numbers of OpenSSL for what is wrong with a certificate."""


@dataclass(frozen=True, slots=True)
class Probe:
    """What was seen of a bot that may be called."""

    ends: datetime | None = None
    """When its certificate does."""
    warnings: list[str] = field(default_factory=list)


async def probe(way: Way) -> Probe:
    """Returns what is seen of the bot at the end of *way*.

    Raises:
        ConfigError: if it cannot be the bot that is meant; the message says why.
    """
    try:
        await _listening(way)
        if way.certificates is None:
            await _check_plain(way)
            return Probe()
        return await _check_certificates(way, way.certificates)
    except TimeoutError:
        raise _refused(way, f"gives no sign within {PATIENCE:g} s") from None
    except OSError as error:
        problem = printable(error.strerror or str(error), 200).lower()
        raise _refused(way, f"cannot be reached: {problem}") from None


async def _listening(way: Way) -> None:
    """Returns once somebody listens there."""
    deadline = time.monotonic() + LISTEN_WITHIN
    while True:
        try:
            async with _connection(way):
                return
        except (ConnectionRefusedError, FileNotFoundError):
            if time.monotonic() < deadline:
                await asyncio.sleep(LOOK_AGAIN)
                continue
            if way.spec.kind is BotKind.DIAL:
                folder = way.target.removeprefix("unix:").rpartition("/")[0].rpartition("/")[0]
                problem = (
                    f"nobody has dialled in as {way.spec.address!r}; is the bot running, and "
                    f"moon serve-bots --dir {folder}?"
                )
            else:
                problem = "nobody listens there"
            raise _refused(way, problem) from None
        except socket.gaierror as error:
            problem = printable(error.strerror or "", 200).lower()
            raise _refused(way, f"the host is not known: {problem}") from None


async def _check_plain(way: Way) -> None:
    """Refuses a bot that speaks TLS only. What it says in the clear is judged by the handshake."""
    if way.spec.kind is BotKind.DIAL:
        return  # the gateway offers it, and in the clear
    if not await _speaks_plainly(way) and await _speaks_tls(way):
        raise _refused(
            way,
            "speaks TLS, and it was called in the clear; give --tls DIR with the certificates of "
            "its arena, and write grpc://",
        )


async def _check_certificates(way: Way, certificates: Certificates) -> Probe:
    try:
        names, ends = await _shake(way, certificates.context())
    except ssl.SSLCertVerificationError as error:
        raise _refused(way, _distrust(certificates, error)) from None
    except _DistrustedError as error:
        raise _refused(way, _distrusted(str(error))) from None
    except (ssl.SSLError, ConnectionError, TimeoutError) as error:
        if isinstance(error, ssl.SSLError) and _is_alert(error):
            raise _refused(way, _distrusted((error.reason or "").lower())) from None
        if await _speaks_plainly(way):
            raise _refused(
                way,
                "speaks in the clear, and must prove who it is; start it with --tls DIR, or write "
                "grpc+insecure:// to go without",
            ) from None
        if isinstance(error, ssl.SSLError):
            raise _refused(way, f"speaks no TLS that we know ({error.reason})") from None
        raise _refused(way, "breaks off the handshake of TLS, or never begins it") from None
    if way.identity not in names:
        raise _refused(way, _wrong_name(way.identity, names))
    warnings = []
    with contextlib.suppress(_DistrustedError, OSError, TimeoutError):
        await _shake(way, certificates.context(anonymous=True))
        warnings.append(
            "answers callers that show no certificate, so anybody who reaches it can question it"
        )
    return Probe(ends, warnings)


class _DistrustedError(Exception):
    """The bot ended the connection when it had seen our certificate. Its text says how."""


async def _shake(way: Way, context: ssl.SSLContext) -> tuple[list[str], datetime]:
    """Returns who the bot proves to be, and until when, once it has believed us too.

    Raises:
        ssl.SSLError: if we do not believe the bot, or it speaks no TLS.
        _DistrustedError: if it does not believe us.
        OSError: if the connection breaks.
        TimeoutError: if it falls silent.
    """
    async with _connection(way, context) as (reader, writer):
        shown: dict[str, Any] = writer.get_extra_info("peercert") or {}
        # A bot judges our certificate after the handshake is over at our end: its first word tells.
        writer.write(PREFACE)
        try:
            async with asyncio.timeout(PATIENCE):
                await reader.readexactly(1)
        except ssl.SSLError as error:
            raise _DistrustedError((error.reason or "").lower()) from None
        except (ConnectionError, asyncio.IncompleteReadError):
            raise _DistrustedError("it ends the connection") from None
    names = [str(name) for kind, name in shown.get("subjectAltName", ()) if kind == "DNS"]
    return names, datetime.fromtimestamp(ssl.cert_time_to_seconds(shown["notAfter"]), UTC)


async def _speaks_plainly(way: Way) -> bool:
    """Whether HTTP/2 is spoken there in the clear."""
    try:
        async with _connection(way) as (reader, writer), asyncio.timeout(PATIENCE):
            writer.write(PREFACE)
            return (await reader.readexactly(9))[3] == _SETTINGS
    except (OSError, TimeoutError, asyncio.IncompleteReadError):
        return False


async def _speaks_tls(way: Way) -> bool:
    """Whether TLS is spoken there, by whomever."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        async with _connection(way, context):
            return True
    except ssl.SSLError as error:
        return _is_alert(error)
    except (OSError, TimeoutError):
        return False


@asynccontextmanager
async def _connection(
    way: Way, context: ssl.SSLContext | None = None
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    async with asyncio.timeout(PATIENCE):
        if way.target.startswith("unix:"):
            path = way.target.removeprefix("unix:")
            reader, writer = await asyncio.open_unix_connection(path)
        else:
            host, _, port = way.target.rpartition(":")
            name = None if context is None else way.identity or host.strip("[]")
            reader, writer = await asyncio.open_connection(
                host.strip("[]"), int(port), ssl=context, server_hostname=name
            )
    try:
        yield reader, writer
    finally:
        writer.transport.abort()


def _is_alert(error: ssl.SSLError) -> bool:
    return "ALERT" in (error.reason or "")


def _distrust(certificates: Certificates, error: ssl.SSLCertVerificationError) -> str:
    """Returns why we do not believe the bot."""
    match error.verify_code:
        case code if code == _EXPIRED:
            return "its certificate has expired; make another with moon bot cert"
        case code if code == _NOT_YET:
            return "its certificate is not valid yet; is one of the two clocks wrong?"
        case code if code == _NOT_FOR_THIS:
            return "its certificate is not one for a bot"
    return (
        f"its certificate is not of this arena, whose authority is in {certificates.folder} "
        f"({printable(error.verify_message, 80)})"
    )


def _distrusted(reason: str) -> str:
    """Returns why the bot does not believe us."""
    told = reason.partition("alert_")[2].replace("_", " ") or reason
    return (
        f"does not believe the referee's certificate ({told}); does it have the ca.pem of this "
        "arena, and is the arena's certificate still good?"
    )


def _wrong_name(identity: str, names: list[str]) -> str:
    """Returns who answered instead of *identity*."""
    end = bot_identity("")
    inside = [printable(name, 60) for name in names if name.endswith(f".{INSIDE}")]
    bots = [name.removesuffix(end) for name in inside if name.endswith(end)]
    who = f"the bot {bots[0]!r}" if bots else ", ".join(inside) or "nobody of the arena"
    return f"proves to be {who}, not the bot {identity.removesuffix(end)!r}"


def _refused(way: Way, problem: str) -> ConfigError:
    return ConfigError(None, way.spec.source, problem)
