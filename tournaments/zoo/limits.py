"""The limits of a sandbox, as the catalogue writes them."""

from __future__ import annotations

import re

from tournaments.toml_reader import Reader, shown

SIZES = ("memory", "file_size", "disk")
COUNTS = ("processes", "threads", "open_files", "files")
TIMES = ("cpu_time",)

_UNITS = {"": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
_SIZE = re.compile(r"(\d{1,9})\s*(|KiB|MiB|GiB)")


def read_limits(reader: Reader) -> dict[str, float]:
    """Returns the limits that the table `limits` names: bytes, counts and seconds.

    Raises:
        ConfigError: if it names another, or a value means nothing.
    """
    known = (*SIZES, *COUNTS, *TIMES)
    table = Reader(reader.table("limits"), known, path=reader.path, table="limits")
    limits: dict[str, float] = {}
    for key in known:
        if table.get(key) is None:
            continue
        if key in SIZES:
            limits[key] = _size(table, key)
        elif key in COUNTS:
            limits[key] = table.number(key, default=1, least=1)
        else:
            limits[key] = table.duration(key, default=1.0)
    return limits


def _size(table: Reader, key: str) -> int:
    value = table.get(key)
    match = _SIZE.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        raise table.error(key, f'expected a size like "96MiB", got {shown(value)}')
    return int(match[1]) * _UNITS[match[2]]
