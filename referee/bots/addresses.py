"""The addresses of bots that run somewhere already, `grpc://host:50051`."""

from __future__ import annotations

import ipaddress
import re

_ADDRESS = re.compile(
    r"(?:grpc|grpc\+insecure)://(?:\[(?P<six>[^\]]*)\]|(?P<host>[^:/\[\]]*)):(?P<port>\d{1,5})"
)
_HOST = re.compile(r"(?!-)[A-Za-z0-9_-]{1,63}(\.(?!-)[A-Za-z0-9_-]{1,63})*\.?")


def read_address(text: str) -> str:
    """Returns the host and port that *text* names, in the one form in which equal ones are equal.

    >>> read_address("grpc://LocalHost:00443")
    'localhost:443'

    Raises:
        ValueError: if it names none; the message says what was expected.
    """
    expected = "expected grpc://HOST:PORT, such as grpc://localhost:50051 or grpc://[::1]:50051"
    match = _ADDRESS.fullmatch(text)
    if match is None or not 1 <= int(match["port"]) <= 65535:
        raise ValueError(f"not an address; {expected}, with a port from 1 to 65535")
    host = match["host"]
    try:
        if host is None:
            host = f"[{ipaddress.IPv6Address(match['six'])}]"
        elif re.fullmatch(r"[\d.]+", host):
            host = str(ipaddress.IPv4Address(host))
        elif not _HOST.fullmatch(host):
            raise ValueError(f"{host!r} is not the name of a host; {expected}")
    except ipaddress.AddressValueError as error:
        raise ValueError(f"{error}; {expected}") from None
    return f"{host.lower()}:{int(match['port'])}"
