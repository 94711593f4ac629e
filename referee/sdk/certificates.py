"""The certificates with which a bot on another machine proves who it is."""

from __future__ import annotations

from pathlib import Path

import grpc

from referee.errors import ConfigError
from referee.wire.identities import BOT_CERTIFICATE, BOT_KEY, CA_FILE


def server_credentials(folder: Path) -> grpc.ServerCredentials:
    """Returns what a server needs to prove who it is, and to answer the arena's referee alone.

    Args:
        folder: What the organiser handed over.

    Raises:
        ConfigError: if a file in it is missing.
    """
    authority = _read(folder / CA_FILE)
    key, certificate = _read(folder / BOT_KEY), _read(folder / BOT_CERTIFICATE)
    return grpc.ssl_server_credentials([(key, certificate)], authority, require_client_auth=True)


def arena_credentials(folder: Path) -> grpc.ChannelCredentials:
    """Returns what a bot needs to call its arena, and nobody else.

    Args:
        folder: What the organiser handed over; the authority's certificate is enough.

    Raises:
        ConfigError: if it is missing.
    """
    return grpc.ssl_channel_credentials(_read(folder / CA_FILE))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        problem = f"cannot be read: {(error.strerror or '').lower()}"
        hint = "the organiser makes the folder with moon bot cert NAME"
        raise ConfigError(path, None, f"{problem}; {hint}") from None
