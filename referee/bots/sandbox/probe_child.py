"""Tries to do what a held bot must not be able to do, and tells what it could.

Runs as a file of its own in the place of a bot, with the standard library alone. What it is told to
try against is in the JSON of its only argument; what it could is JSON on standard output, words for
each promise. Nothing that it tries does harm where it succeeds: it reads a little, sends the signal
0, and sets what is set already.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import json
import os
import platform
import resource
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

PR_GET_NO_NEW_PRIVS = 39
PTRACE_SEIZE = 0x4206
PIDFD_OPEN, PIDFD_GETFD = 434, 438
NUMBERS = {"x86_64": (310, 248, 29), "aarch64": (270, 217, 194)}
"""Of `process_vm_readv`, `add_key` and `shmget`, on each machine."""
FAMILIES = {"netlink": 16, "packet": 17, "alg": 38, "vsock": 40}
IPC_PRIVATE, IPC_CREAT, SESSION_KEYRING = 0, 0o1000, -3
CLONE_NEWUSER = 0x10000000

libc = ctypes.CDLL(None, use_errno=True)
vm_read, add_key, shmget = NUMBERS.get(platform.machine(), (-1, -1, -1))

Attempts = Iterator[tuple[str, Callable[[], object]]]


def syscall(number: int, *arguments: Any) -> int:
    """Makes a system call that succeeds, or raises what the system says."""
    if number < 0:
        raise OSError(errno.ENOSYS, "unknown here")
    result = int(libc.syscall(number, *arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return result


def is_there(told: dict[str, Any]) -> bool:
    """Returns whether the referee can be named by its number: it may be another's in here."""
    return bool(told["same_numbers"]) or is_seen(told)


def is_seen(told: dict[str, Any]) -> bool:
    """Returns whether the referee is in the process list."""
    try:
        text = Path(f"/proc/{told['pid']}/stat").read_bytes()
    except OSError:
        return False
    return bool(int(text.rpartition(b")")[2].split()[19]) == told["born"])


def memory(told: dict[str, Any]) -> Attempts:
    """Looks into the referee."""
    pid = told["pid"]
    if not is_there(told):
        return
    process = Path(f"/proc/{pid}")
    yield "read its memory", lambda: os.close(os.open(process / "mem", os.O_RDONLY))
    yield "read its environment", (process / "environ").read_bytes
    yield "see its descriptors", lambda: [x.readlink() for x in (process / "fd").iterdir()]
    yield "trace it", lambda: trace(pid)
    yield "copy its memory", lambda: copy_memory(pid)
    yield (
        "take its descriptors",
        lambda: os.close(syscall(PIDFD_GETFD, syscall(PIDFD_OPEN, pid, 0), 0, 0)),
    )


def trace(pid: int) -> None:
    """Attaches to *pid* without halting it; our own end undoes it."""
    nothing = ctypes.c_void_p(None)
    if libc.ptrace(ctypes.c_long(PTRACE_SEIZE), pid, nothing, nothing) < 0:
        raise OSError(ctypes.get_errno(), "refused")


def copy_memory(pid: int) -> None:
    """Copies a byte from an address where there is none: what counts is who is refused."""
    piece = (ctypes.c_size_t * 2)(ctypes.addressof(ctypes.create_string_buffer(1)), 1)
    nowhere = (ctypes.c_size_t * 2)(0, 1)
    try:
        syscall(vm_read, pid, piece, ctypes.c_ulong(1), nowhere, ctypes.c_ulong(1), 0)
    except OSError as error:
        if error.errno != errno.EFAULT:
            raise


def files(told: dict[str, Any]) -> Attempts:
    """Reads what lies about."""
    yield "read a file of the referee", Path(told["canary"]).read_bytes
    yield "list a directory of the referee", lambda: list(Path(told["canary"]).parent.iterdir())


def signals(told: dict[str, Any]) -> Attempts:
    """Bothers the referee, harmlessly."""
    pid = told["pid"]
    if not is_there(told):
        return
    yield "signal it", lambda: os.kill(pid, 0)
    yield "change its priority", lambda: os.setpriority(os.PRIO_PROCESS, pid, told["nice"])
    yield "choose its cores", lambda: os.sched_setaffinity(pid, told["cores"])
    yield "read its limits", lambda: resource.prlimit(pid, resource.RLIMIT_NOFILE)


def network(told: dict[str, Any]) -> Attempts:
    """Speaks to the network, of which the own machine is the nearest part."""
    yield "connect by TCP", lambda: connect(socket.AF_INET, ("127.0.0.1", told["port"]))
    yield "send by UDP", lambda: send(socket.AF_INET, ("127.0.0.1", told["port"]))
    yield "listen on a port", lambda: listen(("127.0.0.1", 0))


def connect(family: int, address: Any) -> None:
    """Connects to *address*."""
    with socket.socket(family, socket.SOCK_STREAM) as end:
        end.settimeout(2)
        end.connect(address)


def send(family: int, address: Any) -> None:
    """Sends a datagram to *address*."""
    with socket.socket(family, socket.SOCK_DGRAM) as end:
        end.sendto(b"?", address)


def listen(address: Any) -> None:
    """Listens on *address*."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as end:
        end.bind(address)
        end.listen()


def families(told: dict[str, Any]) -> Attempts:
    """Makes sockets that no network namespace holds back."""
    for name, number in FAMILIES.items():
        yield f"make a {name} socket", partial(make_socket, number)


def make_socket(family: int) -> None:
    """Makes a socket of *family*."""
    socket.socket(family, socket.SOCK_DGRAM).close()


def sockets(told: dict[str, Any]) -> Attempts:
    """Dials another bot."""
    yield "connect to another bot", lambda: connect(socket.AF_UNIX, told["socket"])
    yield "connect by an abstract name", lambda: connect(socket.AF_UNIX, "\0" + told["abstract"])


def program(told: dict[str, Any]) -> Attempts:
    """Changes its own program."""
    me = Path(__file__)
    yield "change its program", lambda: me.open("ab").close()
    yield "add a file to its program", (me.parent / "more.py").touch
    yield "write to the system", (Path(sys.prefix) / "moon-probe").touch


def privileges(told: dict[str, Any]) -> Attempts:
    """Looks for more privilege than it has."""

    def gain() -> None:
        if libc.prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1:
            raise PermissionError

    def namespace() -> None:
        if libc.unshare(CLONE_NEWUSER) < 0:
            raise PermissionError

    def root() -> None:
        if 0 not in os.getresuid() and 0 not in os.getresgid():
            raise PermissionError

    yield "be root", root
    yield "gain privileges", gain
    yield "make a user namespace", namespace


def machine(told: dict[str, Any]) -> Attempts:
    """Opens settings of the machine to write, and writes nothing."""
    for name in ("sys/kernel/core_pattern", "sysrq-trigger", "sys/vm/drop_caches"):
        yield f"write {name}", partial(open_to_write, Path("/proc") / name)
    groups = Path("/sys/fs/cgroup")
    for path in (groups / "cgroup.procs", *groups.glob("*/cgroup.procs")):
        yield f"write {path}", partial(open_to_write, path)


def open_to_write(path: Path) -> None:
    """Opens *path* to write, and writes nothing."""
    os.close(os.open(path, os.O_WRONLY))


def channels(told: dict[str, Any]) -> Attempts:
    """Leaves something where another bot could find it."""
    yield (
        "keep a key",
        lambda: syscall(
            add_key, b"user", b"moon", b"x", ctypes.c_size_t(1), ctypes.c_int(SESSION_KEYRING)
        ),
    )
    yield (
        "share memory",
        lambda: syscall(shmget, IPC_PRIVATE, ctypes.c_size_t(4096), IPC_CREAT | 0o600),
    )
    yield "lock a file that others see", lambda: lock(Path(os.__file__))
    yield "watch who opens a file", watch


def watch() -> None:
    """Makes what watches files."""
    if (made := libc.inotify_init1(0)) < 0:
        raise OSError(ctypes.get_errno(), "refused")
    os.close(made)


def lock(path: Path) -> None:
    """Locks *path* and looks whether the system has noticed."""
    with path.open("rb") as one, path.open("rb") as other:
        fcntl.flock(one, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
            raise PermissionError


def descriptors(told: dict[str, Any]) -> Attempts:
    """Looks for what was left open."""

    def look() -> None:
        if not [n for n in range(3, 1024) if is_open(n)]:
            raise PermissionError

    yield "find an open descriptor", look


def is_open(number: int) -> bool:
    """Returns whether there is a descriptor *number*."""
    with contextlib.suppress(OSError):
        os.fstat(number)
        return True
    return False


def environment(told: dict[str, Any]) -> Attempts:
    """Looks for variables that it was not given."""

    def own() -> None:
        if set(os.environ) <= {*told["variables"], "LC_CTYPE"}:
            raise PermissionError

    def other() -> None:
        words = Path("/proc/1/environ").read_bytes().split(b"\0")
        if not [word for word in words if word and not word.startswith(b"MOON_BOT_MARK=")]:
            raise PermissionError

    yield "see foreign variables", own
    yield "see the environment of process 1", other


def processes(told: dict[str, Any]) -> Attempts:
    """Looks for processes that are not its own."""

    def look() -> None:
        if not is_seen(told):
            raise PermissionError

    yield "see the referee in the process list", look


def file_size(told: dict[str, Any]) -> Attempts:
    """Makes a file longer than it may be, without filling it."""

    def write() -> None:
        with tempfile.TemporaryFile() as file:
            os.pwrite(file.fileno(), b"x", told["file_size"] + 1)

    yield "write a file longer than allowed", write


def disk(told: dict[str, Any]) -> Attempts:
    """Looks how much room there is for it."""

    def look() -> None:
        room = os.statvfs(tempfile.gettempdir())
        if room.f_blocks * room.f_frsize <= told["disk"]:
            raise PermissionError

    yield "fill more than its share of the disk", look


def forks(told: dict[str, Any]) -> Attempts:
    """Starts more processes than it may; each waits for us to end it."""

    def bomb() -> None:
        reading, writing = os.pipe()
        children: list[int] = []
        try:
            for _ in range(told["tasks"] + 1):
                if not (child := os.fork()):
                    os.close(writing)
                    os.read(reading, 1)
                    os._exit(0)
                children.append(child)
        finally:
            os.close(writing)
            for child in children:
                os.waitpid(child, 0)

    yield f"start {told['tasks']} processes", bomb


def survivors(told: dict[str, Any]) -> Attempts:
    """Leaves a process behind; who reads our output hears whether it was ended."""

    def leave() -> None:
        if not os.fork():
            os.setsid()
            if os.fork():
                os._exit(0)
            while True:
                os.read(os.pipe()[0], 1)
        os.wait()
        raise PermissionError

    yield "leave", leave


TRIES = (
    descriptors, memory, files, signals, network, families, sockets, program, privileges, machine,
    channels, environment, processes, file_size, disk, forks, survivors,
)  # fmt: skip
NAMES = tuple(tried.__name__ for tried in TRIES)
"""The promises that are tried."""


def main() -> None:
    """Tries everything that it is told to."""
    told = json.loads(sys.argv[1])
    could: dict[str, list[str]] = {}
    for tried in TRIES:
        if tried.__name__ in told["skip"]:
            continue
        could[tried.__name__] = []
        for words, attempt in tried(told):
            with contextlib.suppress(OSError):
                attempt()
                could[tried.__name__].append(words)
    sys.stdout.write(json.dumps(could))


if __name__ == "__main__":
    main()
