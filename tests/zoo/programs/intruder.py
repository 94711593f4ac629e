"""Looks into other processes: the referee, another bot, the first process of the system."""

import contextlib
import ctypes
import os
import re
from pathlib import Path

FILES_AT_START = sorted(map(int, os.listdir("/proc/self/fd"))) if os.path.isdir("/proc") else []

from _zoo import (  # noqa: E402 - the files it was given are looked at before anything is opened
    ARGUMENTS,
    HOME,
    attempt,
    attempt_apart,
    denied,
    got,
    run,
    siblings,
    syscall,
    tried,
    wait_for,
)

PTRACE_SEIZE = 0x4206
LONGEST_REGION = 64 * 2**20
PLAN = "zoo-plan-of-another-bot"


class Region(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]


def regions(pid):
    """Yields the memory of *pid* that it writes to: start and length."""
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        span, rights, *_ = line.split()
        low, high = (int(end, 16) for end in span.split("-"))
        if rights.startswith("rw") and high - low <= LONGEST_REGION:
            yield low, high - low


def search_memory(pid, wanted):
    """Shows what follows *wanted* wherever it stands in the memory of *pid*."""
    found = set()
    with open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for start, length in regions(pid):
            with contextlib.suppress(OSError, OverflowError):
                memory.seek(start)
                found.update(re.findall(wanted.encode() + b"[0-9a-f]{32}", memory.read(length)))
    for text in sorted(found)[:20]:
        print(text.decode(), flush=True)
    return True  # it could be opened, so everything in it could be read


def read_elsewhere(pid):
    """Reads from the memory of *pid* with the system call that is made for it."""
    start = int(Path(f"/proc/{pid}/maps").read_text().split("-")[0], 16)
    space = ctypes.create_string_buffer(64)
    here, there = Region(ctypes.addressof(space), 64), Region(start, 64)
    return syscall("process_vm_readv", pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0) > 0


def read_blindly(pid):
    """Tries to read without knowing where anything lies: refused before it is looked at."""
    space = ctypes.create_string_buffer(64)
    here, there = Region(ctypes.addressof(space), 64), Region(0x10000, 64)
    try:
        syscall("process_vm_readv", pid, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
    except OSError as error:
        return error.errno == 14  # EFAULT: only the address was wrong
    return True


def steal_descriptor(pid):
    handle = syscall("pidfd_open", pid, 0)
    stolen = syscall("pidfd_getfd", handle, 0, 0)
    os.close(stolen)
    return True


def trace(pid):
    # The end of the tracer, a child that ends at once, lets go of what it holds.
    return syscall("ptrace", PTRACE_SEIZE, pid, 0, 0) == 0


def environment(pid):
    return bool(Path(f"/proc/{pid}/environ").read_bytes())


def open_files(pid):
    return bool([os.readlink(f"/proc/{pid}/fd/{name}") for name in os.listdir(f"/proc/{pid}/fd")])


def intrude(pid, who, wanted):
    attempt(f"read the memory of {who}", search_memory, pid, wanted)
    attempt(f"read the memory of {who} by a system call", read_elsewhere, pid)
    attempt(f"read the memory of {who} blindly", read_blindly, pid)
    attempt(f"read the environment of {who}", environment, pid)
    attempt(f"see the files of {who}", open_files, pid)
    attempt(f"take a file of {who}", steal_descriptor, pid)
    attempt_apart(f"trace {who}", trace, pid)


def the_referee():
    intrude(int(ARGUMENTS[0]), "the referee", ARGUMENTS[1])


def the_keeper():
    if os.getppid() <= 1:
        denied("see the keeper")
    else:
        intrude(os.getppid(), "the keeper", ARGUMENTS[1])


def another_bot():
    """Intrudes upon the other program of this pair."""
    pid = wait_for(lambda: partner(b"is-watched"), 4)
    if pid is None:
        denied("see another bot")
    else:
        intrude(pid, "another bot", PLAN)


def is_watched():
    tried("be left alone")
    globals()["kept"] = PLAN + "0" * 32


def partner(act):
    """Returns the pid of the other program of this pair, if it can be seen."""
    for path in Path("/proc").iterdir():
        if path.name.isdigit() and int(path.name) != os.getpid():
            with contextlib.suppress(OSError):
                words = (path / "cmdline").read_bytes().split(b"\0")
                if act in words and any(word.endswith(b"/intruder.py") for word in words):
                    return int(path.name)
    return None


def the_first_process():
    """Looks at what the first process it sees was given: more than it was itself?"""

    def look():
        own = set(Path("/proc/self/environ").read_bytes().split(b"\0"))
        return bool(set(Path("/proc/1/environ").read_bytes().split(b"\0")) - own)

    attempt("read the environment of the first process", look)


def the_process_list():
    """Looks who else runs on this host, and with which arguments."""

    def look():
        mine = {os.getpid(), os.getppid(), 1}
        seen = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
        strangers = [pid for pid in seen if pid not in mine]
        return any(Path(f"/proc/{pid}/cmdline").read_bytes() for pid in strangers)

    attempt("see the programs of others", look)
    attempt("see the sockets of others", other_sockets)


def other_sockets():
    text = Path("/proc/net/unix").read_text()
    own = str(HOME.parent)
    return any("/" in line.split()[-1] and own not in line for line in text.splitlines()[1:])


def its_own_files():
    """Looks which files it was given open: what was inherited by mistake could be used."""
    # One more is the directory itself, which was open while it was listed.
    more = [number for number in FILES_AT_START if number > 3]
    (got if more else denied)(f"use files that it was not given {more or ''}")


def keyrings():
    def add():
        number = syscall("add_key", b"user", b"zoo", b"x", 1, -2)  # to this process alone
        return number > 0

    attempt("keep a secret in a keyring", add)


def odd_calls():
    attempt("handle its own page faults", close_after, "userfaultfd", 1)
    attempt("load a program into the kernel (bpf)", bpf)
    attempt("watch events of the processor (perf)", perf)
    attempt("make a ring of calls (io_uring)", ring)


def close_after(name, *arguments):
    os.close(syscall(name, *arguments))
    return True


def bpf():
    terms = (ctypes.c_uint32 * 30)(2, 4, 4, 1)  # an array of one number
    os.close(syscall("bpf", 0, ctypes.byref(terms), ctypes.sizeof(terms)))
    return True


def perf():
    terms = (ctypes.c_uint64 * 16)(1 | 128 << 32, 0)  # software, 128 bytes long: CPU clock
    os.close(syscall("perf_event_open", ctypes.byref(terms), 0, -1, -1, 0))
    return True


def ring():
    terms = (ctypes.c_uint32 * 64)()
    os.close(syscall("io_uring_setup", 2, ctypes.byref(terms)))
    return True


def everything():
    """Searches all it can reach of those who hold secrets, in every way it knows."""
    referee, prefix, *paths = ARGUMENTS
    found = False
    pids = {int(referee), os.getppid(), *filter(None, [partner(b"is-watched")])}
    for pid in sorted(pids - {0, 1, os.getpid()}):
        for look in (search_memory, search_environment, search_open_files):
            with contextlib.suppress(OSError, ValueError):
                found = look(pid, prefix) or found
    for path in (*paths, HOME.parent.parent / "canary", *nearby(paths)):
        with contextlib.suppress(OSError):
            text = Path(path).read_text(errors="replace")[:200]
            print(text, flush=True)
            found = found or prefix in text
    (got if found else denied)("find a secret by any means")


def search_environment(pid, prefix):
    """Reads what others were started with; returns whether it could."""
    text = Path(f"/proc/{pid}/environ").read_bytes()
    for found in re.findall(prefix.encode() + b"[0-9a-f]{32}", text):
        print(found.decode(), flush=True)
    return bool(text)


def search_open_files(pid, prefix):
    """Reads what others have open, by way of the process list; returns whether it could."""
    could = False
    for name in os.listdir(f"/proc/{pid}/fd"):
        path = f"/proc/{pid}/fd/{name}"
        with contextlib.suppress(OSError):
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    could = True
                    for found in re.findall(prefix.encode() + b"[0-9a-f]{32}", file.read(2**20)):
                        print(found.decode(), flush=True)
    return could


def nearby(paths):
    """Yields files that lie beside those that hold secrets, and in the places of other bots."""
    for place in siblings():
        with contextlib.suppress(OSError):
            yield from (path for path in place.rglob("*") if path.is_file())
    root = Path(f"/proc/{os.getppid()}/root")
    yield from (f"{root}{path}" for path in paths)


run(
    at_once=(the_referee, the_keeper, another_bot, is_watched, everything),
    when_asked=(
        the_first_process, the_process_list, its_own_files, keyrings, odd_calls,
    ),
)  # fmt: skip
