"""Makes the certificates of an arena: its authority, its own leaf, and a leaf for each bot.

    tls/ca.pem, ca.key              the authority; the key signs, and never leaves the organiser
    tls/referee.pem, referee.key    what the referee and the gateway show to bots
    tls/bots/far/                   what the author of the bot `far` gets: ca.pem, bot.pem, bot.key

Nothing that is there is ever overwritten. A bot's leaf is good for a server only, so that no bot
can call another one in the referee's name.
"""

from __future__ import annotations

import ipaddress
import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from referee.errors import ConfigError, MoonError
from referee.wire.identities import (
    ARENA,
    BOT_CERTIFICATE,
    BOT_KEY,
    CA_FILE,
    INSIDE,
    bot_identity,
    check_identity,
)

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

CA_KEY = "ca.key"
ARENA_CERTIFICATE, ARENA_KEY = "referee.pem", "referee.key"
BOTS = "bots"
ARENA_DAYS = 3650
"""How long the authority and the arena's own leaf are good for, in days."""
BOT_DAYS = 30
"""How long a bot's leaf is good for unless somebody says otherwise, in days."""
MOST_DAYS = 825
"""The longest life of a bot's leaf, in days: the only way to take one back is to let it end."""
SKEW = timedelta(days=1)
"""By how much a clock may be slow before it finds a new certificate not yet valid."""

_INSTALL = "certificates are made with the package cryptography; pip install 'moon-league[remote]'"


def make_arena(folder: Path) -> bool:
    """Makes the authority and the arena's leaf in *folder*, where they are missing.

    Returns:
        Whether anything was missing.

    Raises:
        ConfigError: if there is half an authority, or the folder cannot be written.
        MoonError: if the library is missing.
    """
    _require_library()
    with _readable_errors(folder):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        is_new = _complete(folder, CA_FILE, CA_KEY)
        if is_new:
            key = _new_key()
            _write_pair(folder, CA_FILE, CA_KEY, _authority(key), key)
        if _complete(folder, ARENA_CERTIFICATE, ARENA_KEY):
            is_new = True
            key = _new_key()
            leaf = _leaf(folder, key, ARENA, [ARENA], ARENA_DAYS, is_client=True)
            _write_pair(folder, ARENA_CERTIFICATE, ARENA_KEY, leaf, key)
    return is_new


def make_bot(folder: Path, name: str, hosts: Sequence[str] = (), days: float = BOT_DAYS) -> Path:
    """Makes the certificate of a bot and returns the folder that its author is to get.

    Args:
        folder: That of the arena.
        name: What the bot is called in texts, `far` of `far=grpc://host:port`.
        hosts: The names or addresses of its machine. The referee does not look at them; other
            programs do.
        days: How long it is good for.

    Raises:
        ConfigError: if the name cannot be had, there is no arena, or the bot has a certificate.
        MoonError: if the library is missing.
    """
    _require_library()
    try:
        name = check_identity(name)
    except ValueError as error:
        raise ConfigError(None, "NAME", str(error)) from None
    if not (folder / CA_KEY).is_file():
        raise ConfigError(folder, None, f"has no {CA_KEY}; make the arena's first: moon bot cert")
    home = folder / BOTS / name
    if home.exists():
        raise ConfigError(
            home, None, "is there already and stays as it is; remove it to make a new certificate"
        )
    with _readable_errors(home):
        home.parent.mkdir(mode=0o700, exist_ok=True)
        key = _new_key()
        names = [bot_identity(name), *map(_outside, hosts)]
        leaf = _leaf(folder, key, name, names, days, is_client=False)
        # Whole or not at all: made beside its place, and moved there.
        making = Path(tempfile.mkdtemp(prefix=".making-", dir=home.parent))
        try:
            shutil.copyfile(folder / CA_FILE, making / CA_FILE)
            _write_pair(making, BOT_CERTIFICATE, BOT_KEY, leaf, key)
            making.rename(home)
        except BaseException:
            shutil.rmtree(making, ignore_errors=True)
            raise
    return home


_HOST = re.compile(r"[A-Za-z0-9_-]{1,63}(\.[A-Za-z0-9_-]{1,63})*")


def _outside(host: str) -> str:
    """Returns *host*, unless it is a name that stands for somebody in an arena."""
    if host.lower().rstrip(".").endswith(f".{INSIDE}"):
        raise ConfigError(None, "--host", f"{host!r} would be the name of somebody in the arena")
    return host


@contextmanager
def _readable_errors(path: Path) -> Iterator[None]:
    """Says what could not be written, and why: *path*, unless the system names another."""
    try:
        yield
    except OSError as error:
        problem = (error.strerror or str(error)).lower()
        raise ConfigError(error.filename or path, None, problem) from None


def _require_library() -> None:
    try:
        import cryptography  # noqa: F401, PLC0415 - only an organiser needs it
    except ImportError:
        raise MoonError(_INSTALL) from None


def _complete(folder: Path, certificate: str, key: str) -> bool:
    """Returns whether both files are missing; one without the other is nothing to go on from."""
    there = [name for name in (certificate, key) if (folder / name).exists()]
    if len(there) == 1:
        [missing] = {certificate, key} - set(there)
        raise ConfigError(folder, None, f"has {there[0]} but no {missing}; put it back, or remove")
    return not there


def _new_key() -> EllipticCurvePrivateKey:
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415

    return ec.generate_private_key(ec.SECP256R1())


def _builder(
    key: EllipticCurvePrivateKey, name: str, issuer: x509.Name | None, days: float
) -> x509.CertificateBuilder:
    from cryptography import x509  # noqa: PLC0415

    now = datetime.now(UTC)
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer or subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        # One that is over before it begins is for trying out what then happens.
        .not_valid_before(now + min(-SKEW, timedelta(days=2 * days)))
        .not_valid_after(now + timedelta(days=days))
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _authority(key: EllipticCurvePrivateKey) -> x509.Certificate:
    from cryptography import x509  # noqa: PLC0415
    from cryptography.hazmat.primitives import hashes  # noqa: PLC0415

    # A name of its own, so that the authority of another arena is told apart by name too.
    name = f"moon arena {secrets.token_hex(4)}"
    return (
        _builder(key, name, None, ARENA_DAYS)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs=True), critical=True)
        .sign(key, hashes.SHA256())
    )


def _leaf(
    folder: Path,
    key: EllipticCurvePrivateKey,
    name: str,
    names: Sequence[str],
    days: float,
    *,
    is_client: bool,
) -> x509.Certificate:
    """Returns a certificate of *key*, signed by the authority in *folder*.

    Args:
        folder: That of the arena.
        key: What the certificate vouches for.
        name: Whose it is, for people.
        names: Whose it is, for programs.
        days: How long it is good for.
        is_client: Whether it may call, besides being called.
    """
    from cryptography import x509  # noqa: PLC0415
    from cryptography.hazmat.primitives import hashes  # noqa: PLC0415
    from cryptography.x509.oid import ExtendedKeyUsageOID as Use  # noqa: PLC0415

    authority, signing = _read_authority(folder)
    issuer_key = x509.AuthorityKeyIdentifier.from_issuer_public_key(signing.public_key())
    uses = [Use.SERVER_AUTH, Use.CLIENT_AUTH] if is_client else [Use.SERVER_AUTH]
    return (
        _builder(key, name, authority.subject, days)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage(uses), critical=False)
        .add_extension(issuer_key, critical=False)
        .add_extension(x509.SubjectAlternativeName(list(map(_general, names))), critical=False)
        .sign(signing, hashes.SHA256())
    )


def _general(name: str) -> x509.GeneralName:
    from cryptography import x509  # noqa: PLC0415

    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        pass
    if not _HOST.fullmatch(name):
        raise ConfigError(None, "--host", f"{name!r} is no name of a host")
    return x509.DNSName(name)


def _usage(*, signs: bool) -> x509.KeyUsage:
    from cryptography import x509  # noqa: PLC0415

    return x509.KeyUsage(
        digital_signature=not signs, key_cert_sign=signs, crl_sign=signs, content_commitment=False,
        key_encipherment=False, data_encipherment=False, key_agreement=False, encipher_only=False,
        decipher_only=False,
    )  # fmt: skip


def _read_authority(folder: Path) -> tuple[x509.Certificate, EllipticCurvePrivateKey]:
    from cryptography import x509  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric.ec import (  # noqa: PLC0415
        EllipticCurvePrivateKey,
    )
    from cryptography.hazmat.primitives.serialization import load_pem_private_key  # noqa: PLC0415

    try:
        certificate = x509.load_pem_x509_certificate((folder / CA_FILE).read_bytes())
        key = load_pem_private_key((folder / CA_KEY).read_bytes(), None)
    except (ValueError, TypeError) as error:
        raise ConfigError(folder, None, f"{CA_FILE} and {CA_KEY} cannot be used: {error}") from None
    if not isinstance(key, EllipticCurvePrivateKey):
        raise ConfigError(folder / CA_KEY, None, "is not a key that moon bot cert has made")
    return certificate, key


def _write_pair(
    folder: Path,
    certificate_file: str,
    key_file: str,
    certificate: x509.Certificate,
    key: EllipticCurvePrivateKey,
) -> None:
    from cryptography.hazmat.primitives import serialization as forms  # noqa: PLC0415

    private = key.private_bytes(forms.Encoding.PEM, forms.PrivateFormat.PKCS8, forms.NoEncryption())
    for name, data, mode in (
        (key_file, private, 0o600),
        (certificate_file, certificate.public_bytes(forms.Encoding.PEM), 0o644),
    ):
        descriptor = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
