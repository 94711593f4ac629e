"""Sizes as people write them: in a tournament file and on the command line."""

from __future__ import annotations

import re

LARGEST = 1 << 40
"""No size is larger: a TiB, in bytes."""

_UNITS = {
    "": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "kB": 1000, "MB": 1000**2, "GB": 1000**3,
}  # fmt: skip
_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(KiB|MiB|GiB|kB|MB|GB|)")


def parse_size(value: object) -> int:
    """Returns the bytes that *value* means.

    >>> [parse_size(value) for value in ("64MiB", "1.5 GiB", "100KiB", "2GB", 4096)]
    [67108864, 1610612736, 102400, 2000000000, 4096]

    Args:
        value: A number of bytes, or a text.

    Raises:
        ValueError: if it means none, or one out of bounds; says what was expected.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        size = value
    elif isinstance(value, str) and (match := _SIZE.fullmatch(value.strip())):
        size = round(float(match[1]) * _UNITS[match[2]])
    else:
        raise ValueError('expected a size like "64MiB", "1.5GiB", "2GB" or a number of bytes')
    if not 1 <= size <= LARGEST:
        raise ValueError("must be between 1 byte and 1024GiB")
    return size
