"""What the referee does for itself, so that a bot of the same user learns nothing from it."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import sys
from pathlib import Path

PR_GET_DUMPABLE, PR_SET_DUMPABLE = 3, 4
CMDLINE = Path("/proc/self/cmdline")


def harden_self() -> None:
    """Closes this process to others of its user: no reading, no tracing, no core file.

    Its memory, environment and descriptors are then out of reach for all but root, and no crash
    writes the hands to a file. A bot that closes its socket early does not end us either.
    """
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError, AttributeError):  # only Linux has it
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def hide_arguments(keep: int = 3) -> bool:
    """Wipes our arguments from the process list, but for the first *keep* words that are plain.

    The command line of every process can be read by everybody, and ``--seed`` stands in ours.

    Returns:
        Whether it could be done: not every C library says where the arguments are.
    """
    if sys.platform != "linux":
        return False
    with contextlib.suppress(OSError, AttributeError, ValueError):
        words = CMDLINE.read_bytes()
        start = ctypes.c_void_p.in_dll(ctypes.CDLL(None), "program_invocation_name").value
        if not start or not words.endswith(b"\0") or not _lies_at(start, words):
            return False
        kept = 0
        for word in words.split(b"\0")[:keep]:
            if word.startswith(b"--") or b"=" in word:
                break
            kept += len(word) + 1
        ctypes.memset(start + kept, 0, len(words) - kept)
        return True
    return False


def _lies_at(start: int, words: bytes) -> bool:
    """Returns whether our memory at *start* holds *words*; looks there by way of the kernel."""
    # A wrong guess must not be read through a pointer, which would end the process.
    descriptor = os.open("/proc/self/mem", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.pread(descriptor, len(words), start) == words
    finally:
        os.close(descriptor)
