"""The way to a bot that runs somewhere else: where it is called, and who it must prove to be.

grpc://host:port             with the arena's certificates where there are any; without them
                             only on this machine, where nobody can listen
grpc+insecure://host:port    in the clear, because somebody said so
dial:name                    a bot that has dialled in to `moon serve-bots` on this machine
"""

from __future__ import annotations

import os
import ssl
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import grpc
import grpc.aio

from referee.bots.certificates import ARENA_CERTIFICATE, ARENA_KEY
from referee.bots.handshake import open_channel
from referee.bots.spec import IDENTITY, BotKind, BotSpec, unnamed
from referee.bots.terms import RemoteTerms
from referee.errors import ConfigError
from referee.wire.identities import (
    CA_FILE,
    KEEPALIVE_SECONDS,
    bot_identity,
    check_identity,
    is_loopback,
)

KEEPALIVE = (
    ("grpc.keepalive_time_ms", KEEPALIVE_SECONDS * 1000),
    ("grpc.keepalive_timeout_ms", 20_000),
    ("grpc.keepalive_permit_without_calls", 1),
)
"""What notices a dead connection: pings between questions, and what was sent and is not confirmed
for the timeout."""

SOCKETS = "sockets"
"""The folder, below that of the gateway, in which it offers the bots that have dialled in."""


@dataclass(frozen=True)
class Certificates:
    """What the referee shows to bots, and what it believes."""

    folder: Path
    authority: bytes
    certificate: bytes
    key: bytes

    @classmethod
    def read(cls, folder: Path) -> Certificates:
        """Returns the certificates in *folder*.

        Raises:
            ConfigError: if one is missing, or they do not belong together.
        """
        names = (CA_FILE, ARENA_CERTIFICATE, ARENA_KEY)
        try:
            found = cls(folder, *((folder / name).read_bytes() for name in names))
            found.context()
        except ssl.SSLError as error:
            problem = f"{', '.join(names)} are no certificates that belong together"
            raise ConfigError(folder, None, f"{problem} ({error.reason})") from None
        except OSError as error:
            problem = f"{(error.strerror or '').lower()}; moon bot cert --dir {folder} makes them"
            raise ConfigError(error.filename or folder, None, problem) from None
        return found

    @cached_property
    def credentials(self) -> grpc.ChannelCredentials:
        """What a channel needs to call with them."""
        return grpc.ssl_channel_credentials(self.authority, self.key, self.certificate)

    def context(self, *, anonymous: bool = False) -> ssl.SSLContext:
        """Returns what a handshake of our own needs; an *anonymous* one shows no certificate."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False  # the name of the bot counts, which is looked at afterwards
        context.set_alpn_protocols(["h2"])
        context.load_verify_locations(cadata=self.authority.decode("ascii", "replace"))
        if not anonymous:
            context.load_cert_chain(self.folder / ARENA_CERTIFICATE, self.folder / ARENA_KEY)
        return context


@dataclass(frozen=True)
class Way:
    """The way to one remote bot."""

    spec: BotSpec
    target: str
    """Where it is called, as gRPC names it."""
    certificates: Certificates | None = None
    """``None`` if the connection is in the clear."""
    identity: str = ""
    """What its certificate must say, if it needs one."""

    def open(self) -> grpc.aio.Channel:
        """Returns a channel to the bot."""
        if self.certificates is None:
            return open_channel(self.target, options=KEEPALIVE)
        options = (*KEEPALIVE, ("grpc.ssl_target_name_override", self.identity))
        return open_channel(self.target, self.certificates.credentials, options)


def way_to(spec: BotSpec, terms: RemoteTerms) -> Way:
    """Returns the way to the remote bot *spec*.

    Raises:
        ConfigError: if there is none that *terms* allow.
    """
    if spec.kind is BotKind.DIAL:
        return Way(spec, f"unix:{socket_of(gateway_folder(terms.dial_in), spec.address)}")
    wanted = dict(spec.params).get(IDENTITY)
    if spec.plain or terms.tls is None:
        host = spec.address.rpartition(":")[0]
        if not spec.plain and not is_loopback(host):
            raise _refused(
                spec,
                "is on another machine, and who answers there proves nothing without certificates;"
                " give --tls DIR (moon bot cert makes them), or write grpc+insecure:// to go "
                "without",
            )
        if wanted is not None:
            raise _refused(spec, f"{IDENTITY}={wanted} cannot be proved without --tls DIR")
        return Way(spec, spec.address)
    certificates = Certificates.read(Path(terms.tls))
    return Way(spec, spec.address, certificates, bot_identity(_name_of(spec, wanted)))


def _name_of(spec: BotSpec, wanted: str | None) -> str:
    """Returns who *spec* must prove to be: what it asks for, or the name in front of it."""
    if wanted is None and unnamed(spec.source) == spec.source.strip():
        raise _refused(
            spec,
            "who must it prove to be? write the name on its certificate in front, "
            f"far={spec.source}, or behind, ?{IDENTITY}=far",
        )
    try:
        return check_identity(wanted or spec.name)
    except ValueError as error:
        raise _refused(spec, f"{error}; or give the one on it with ?{IDENTITY}=NAME") from None


def _refused(spec: BotSpec, problem: str) -> ConfigError:
    return ConfigError(None, spec.source, problem)


def gateway_folder(given: str | None) -> Path:
    """Returns the folder of the gateway: the *given* one, or that of this user."""
    if given is not None:
        return Path(given)
    state = os.environ.get("XDG_STATE_HOME")
    home = Path(state) if state and Path(state).is_absolute() else Path.home() / ".local" / "state"
    return home / "moon-league" / "dial-in"


def socket_of(folder: Path, name: str) -> Path:
    """Returns where the gateway in *folder* offers the bot *name*."""
    return folder.absolute() / SOCKETS / name
