"""Who is who between machines: the names that certificates and tokens stand for.

The arena is an authority of its own. It signs a certificate for itself and one for each bot, and
both ends of a connection look for the name that the other must have, never for its host.
"""

from __future__ import annotations

import ipaddress
import re

INSIDE = "moon"
"""The end of every such name."""
ARENA = f"arena.{INSIDE}"
"""The name in the certificate of the arena: of the referee that calls, and of the gateway."""

CA_FILE = "ca.pem"
"""The certificate of the arena's authority, in every folder of certificates."""
BOT_CERTIFICATE, BOT_KEY = "bot.pem", "bot.key"
"""The certificate of a bot and its key, in the folder that its author gets."""

TOKEN_KEY = "authorization"  # noqa: S105 - the name of a header
"""The metadata key under which a bot that dials in gives its token."""
TOKEN_SCHEME = "Bearer "  # noqa: S105
"""What stands before the token."""

KEEPALIVE_SECONDS = 310
"""A dead connection is noticed after so long between questions. Servers allow one ping in five
minutes by default, and close the connection of a client that sends more."""

_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?")


def check_identity(name: str) -> str:
    """Returns *name* as certificates and tokens write it.

    >>> check_identity("Far-2")
    'far-2'

    Raises:
        ValueError: if it cannot be such a name.
    """
    lower = name.lower()
    if not _NAME.fullmatch(lower):
        raise ValueError(
            f"{name!r} cannot stand in a certificate; expected at most 32 letters a to z, digits "
            "and -, no - at the ends"
        )
    return lower


def bot_identity(name: str) -> str:
    """Returns what the certificate of the bot *name* must say.

    >>> bot_identity("far")
    'far.bot.moon'
    """
    return f"{name}.bot.{INSIDE}"


def is_loopback(host: str) -> bool:
    """Whether *host* is this machine, and nothing that is said to it leaves the machine.

    >>> [is_loopback(host) for host in ("localhost", "127.0.0.1", "[::1]", "10.0.0.1", "far.org")]
    [True, True, True, False, False]
    """
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower().rstrip(".") == "localhost"
