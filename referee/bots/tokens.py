"""The tokens of bots that dial in. Only a hash of each is kept, so that no file gives one away."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from pathlib import Path

from referee.errors import ConfigError
from referee.wire.identities import check_identity

TOKENS = "tokens"
"""The folder of the hashes, below that of the gateway; a file is named after its bot."""
LONGEST = 200
"""What is longer, in characters, is no token of ours and not even hashed."""


def make_token(folder: Path, name: str, *, renew: bool = False) -> str:
    """Returns a new token for the bot *name*, and keeps its hash below *folder*.

    Args:
        folder: That of the gateway.
        name: What the bot is called: it plays as `dial:NAME`.
        renew: Whether a token that the bot has is good no longer; else it is not touched.

    Raises:
        ConfigError: if the bot has a token, or cannot have this name.
    """
    try:
        name = check_identity(name)
    except ValueError as error:
        raise ConfigError(None, "NAME", str(error)) from None
    path = folder / TOKENS / name
    token = secrets.token_urlsafe(32)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.parent.mkdir(mode=0o700, exist_ok=True)
        if renew:
            path.unlink(missing_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        problem = f"{name} has a token, of which only the hash is kept; --renew replaces it"
        raise ConfigError(path, None, problem) from None
    except OSError as error:
        raise ConfigError(error.filename, None, (error.strerror or "").lower()) from None
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(_hash(token) + "\n")
    return token


def holder_of(folder: Path, token: str) -> str | None:
    """Returns the name of the bot whose token this is, or ``None``; takes as long for any token.

    Raises:
        OSError: if the tokens cannot be read.
    """
    if not token or len(token) > LONGEST:
        return None
    wanted = _hash(token)
    holder = None
    for path in sorted((folder / TOKENS).glob("[!.]*")):
        try:
            kept = path.read_bytes().strip()
        except (FileNotFoundError, IsADirectoryError, PermissionError):
            continue  # no token, or one that was taken back just now, or of somebody else
        if hmac.compare_digest(kept, wanted.encode()):
            holder = path.name
    return holder


def _hash(token: str) -> str:
    # A token is 256 random bits, so a plain hash of it cannot be searched for.
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
