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


def close_to_bots() -> None:
    """Does all of this: before anything secret is read, and before it is tried whether it holds."""
    harden_self()
    hide_arguments()


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
    found = ctypes.create_string_buffer(len(words))
    here = (ctypes.c_size_t * 2)(ctypes.addressof(found), len(words))
    there = (ctypes.c_size_t * 2)(start, len(words))
    one, flags = ctypes.c_ulong(1), ctypes.c_ulong(0)
    copied = ctypes.CDLL(None).process_vm_readv(os.getpid(), here, one, there, one, flags)
    return bool(copied == len(words) and found.raw == words)
