"""What Landlock lets a bot do with files, as the numbers that the kernel takes.

Source of the numbers: `include/uapi/linux/landlock.h` of Linux.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

CREATE_RULESET, ASK_VERSION = 444, 1

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
REMOVE_DIR, REMOVE_FILE, MAKE_CHAR, MAKE_DIR = 16, 32, 64, 128
MAKE_REG, MAKE_SOCK, MAKE_FIFO, MAKE_BLOCK, MAKE_SYM = 256, 512, 1024, 2048, 4096
REFER, TRUNCATE, IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15

READ = READ_FILE | READ_DIR
RUN = READ | EXECUTE
DEVICE = READ_FILE | WRITE_FILE | TRUNCATE | IOCTL_DEV
SOCKET = MAKE_SOCK | REMOVE_FILE
WRITE = RUN | (2**16 - 1) & ~(MAKE_CHAR | MAKE_BLOCK | IOCTL_DEV)

_RIGHTS_SINCE = {1: 2**13 - 1, 2: REFER, 3: TRUNCATE, 5: IOCTL_DEV}
_ALL_TCP = 1 | 2
_ALL_SCOPES = 1 | 2  # abstract unix sockets, and signals
LOOSE_SINCE, TCP_SINCE, SCOPES_SINCE = 2, 4, 6

Rules = list[tuple[str, int]]


@cache
def abi() -> int:
    """Returns the version of Landlock that the kernel has, 0 for none."""
    if sys.platform != "linux":
        return 0
    version = ctypes.CDLL(None).syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ASK_VERSION)
    return max(int(version), 0)


def plan(rules: Iterable[tuple[Path, int]], version: int) -> dict[str, object]:
    """Returns what the launcher needs for a domain in which only *rules* are allowed."""
    known = _rights(version)
    paths = [(str(path), rights & known) for path, rights in rules]
    return {"handled": _head(known, version), "paths": paths}


def loose_plan(version: int) -> dict[str, object] | None:
    """Returns a domain that forbids no file: it only parts the bot from what runs beside it.

    None for the first version, in which no domain lets a file move to another directory.
    """
    if version < LOOSE_SINCE:
        return None
    return {"handled": _head(MAKE_BLOCK | REFER, version), "paths": [("/", REFER)]}


def _rights(version: int) -> int:
    return sum(rights for since, rights in _RIGHTS_SINCE.items() if since <= version)


def _head(rights: int, version: int) -> list[int]:
    """Returns `struct landlock_ruleset_attr`, as long as this version knows it."""
    head = [rights]
    if version >= TCP_SINCE:
        head.append(_ALL_TCP)
    if version >= SCOPES_SINCE:
        head.append(_ALL_SCOPES)
    return head
