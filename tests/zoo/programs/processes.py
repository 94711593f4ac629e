"""Starts, hides, stops and ends processes, its own and those of others."""

import contextlib
import ctypes
import errno
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from _zoo import ARGUMENTS, HOME, attempt, attempt_apart, denied, end_after, run, syscall, tried

CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWNET = 0x20000, 0x10000000, 0x40000000
TIOCSTI = 0x5412
SETUID = ("/bin/su", "/usr/bin/su", "/usr/bin/sudo", "/usr/bin/passwd", "/usr/bin/newgrp")
HIDDEN = "ZOO_HIDDEN"
MARK = "MOON_BOT_MARK"


WASTEFUL = """
import os, socket, sys, time
if os.fork():
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
held = [socket.socketpair() for _ in range(70)]
time.sleep(30)
"""
"""More sockets than one bot may have, in a process that nobody is the parent of."""


def sleeper():
    """Becomes a process that only waits, without the environment it was known by."""
    # The command line stays, so that who looks afterwards knows whose it is.
    os.execve(sys.executable, [sys.executable, *sys.argv], {HIDDEN: "1"})


def daemon():
    """Leaves a process in a session of its own that nobody is the parent of."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            sleeper()
        os._exit(0)
    os.wait()
    tried("leave a process behind")


def leaves_a_daemon():
    daemon()


def wears_anothers_mark():
    """Has others found guilty of what its processes use, by the mark that they wear."""
    tried("have another bot ended for what it uses itself")
    own = os.environ.get(MARK, "")
    head = own.rpartition(".")[0]
    marks = {f"{head}.{number}" for number in range(1, 7)}
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            words = path.read_bytes().decode(errors="replace").split("\0")
            marks |= {word.partition("=")[2] for word in words if word.startswith(f"{MARK}=")}
    for mark in sorted(marks - {own})[:10]:
        subprocess.run(
            [sys.executable, "-S", "-c", WASTEFUL, *sys.argv],
            env={**os.environ, MARK: mark}, check=False,
        )  # fmt: skip
    time.sleep(3)


def leaves_a_daemon_and_ends():
    daemon()
    sys.exit(0)


def ends_and_leaves_children():
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    for _ in range(2):
        if os.fork() == 0:
            sleeper()
    tried("leave two children behind that ignore signals")
    os._exit(0)


def works_from_its_home():
    """Leaves a process whose working directory is the one to be removed."""
    os.chdir(os.environ["HOME"])
    daemon()


def leaves_a_chain():
    """Leaves processes of which each starts the next and ends, in a session of its own."""
    tried("hold up the ends of others by a chain of processes")
    for _ in range(2):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.execve(sys.executable, [sys.executable, *sys.argv], {HIDDEN: "chain"})
            os._exit(0)
        os.wait()


def go_on_as_another():
    """Is one process after the other for ten seconds."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        time.sleep(0.01)
        if os.fork():
            os._exit(0)
        os.setsid()


def fork_bomb():
    """Doubles five times over, then each starts another; at most 300 in all, for six seconds."""
    tried("start more and more processes")
    began = os.getpid()
    for _ in range(8):
        try:
            child = os.fork()
        except OSError as error:
            if os.getpid() == began:
                denied(f"start one more process ({error.strerror})")
            break
        if child == 0:
            os.setsid()
            end_after(6)
    if os.getpid() != began:
        time.sleep(6)
        os._exit(0)
    time.sleep(1.5)


def ignores_signals():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    # The SDK would answer to them again.
    signal.signal = lambda *_: None
    tried("ignore every polite signal")


def stops_itself():
    tried("stop itself")
    os.kill(os.getpid(), signal.SIGSTOP)


def can_signal(pid):
    """Asks the kernel whether a signal would be let through, without sending one."""
    os.kill(pid, 0)
    return True


def signals_strangers():
    referee = int(ARGUMENTS[0])
    attempt("signal the referee", can_signal, referee)
    if os.getppid() > 1:
        attempt("signal the keeper", can_signal, os.getppid())
    attempt("signal all that there is", can_signal, -1)


def ends_the_keeper():
    """Ends the program that holds it, and with it every other bot."""

    def end():
        keeper = os.getppid()
        if b"keeper" in Path(f"/proc/{keeper}/cmdline").read_bytes():
            os.kill(keeper, signal.SIGKILL)
            return True
        return False

    attempt("end the keeper", end)


def ends_its_group():
    tried("end its own process group")
    os.killpg(0, signal.SIGKILL)


def segfaults():
    tried("read address 0")
    ctypes.string_at(0)


def aborts():
    tried("abort")
    os.abort()


def exits():
    print("giving up", file=sys.stderr, flush=True)
    os._exit(3)


def raises():
    raise RuntimeError("a bug of mine")


def gains_privileges():
    """Runs programs that have the rights of their owner, who is root."""
    attempt("be root on this host", is_root)
    for path in SETUID:
        if Path(path).exists():
            attempt(f"run {path} as root", runs_as_root, path)


def is_root():
    maps = Path("/proc/self/uid_map").read_text().split()
    return os.geteuid() == 0 and maps[:2] == ["0", "0"]


def runs_as_root(path):
    with subprocess.Popen(
        [path], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as child:
        time.sleep(0.1)
        try:
            status = Path(f"/proc/{child.pid}/status").read_text()
        except OSError:
            status = "Uid: ? ?"
        child.kill()
    users = next(line.split() for line in status.splitlines() if line.startswith("Uid:"))
    return users[2] == "0" and users[1] != "0"


def starts_threads():
    """Starts 400 threads, which only wait."""
    threading.stack_size(65536)
    tried("start 400 threads")
    for number in range(400):
        try:
            threading.Thread(target=time.sleep, args=(4,), daemon=True).start()
        except RuntimeError as error:
            denied(f"start thread {number} ({error})")
            break
    time.sleep(2)


def nests_namespaces():
    attempt_apart("make a user namespace", syscall, "unshare", CLONE_NEWUSER)
    attempt_apart("make a mount namespace", syscall, "unshare", CLONE_NEWNS)
    attempt_apart("make a network namespace", syscall, "unshare", CLONE_NEWNET)
    attempt_apart("become root in a namespace and mount", mount_in_namespace)


def mount_in_namespace():
    syscall("unshare", CLONE_NEWUSER | CLONE_NEWNS)
    return syscall("mount", b"none", os.fsencode(HOME), b"tmpfs", 0, 0) == 0


def joins_namespaces():
    attempt_apart("join the namespaces of the referee", join, int(ARGUMENTS[0]))


def join(pid):
    descriptor = os.open(f"/proc/{pid}/ns/mnt", os.O_RDONLY)
    # A process with several threads may not change this one: this has one.
    return syscall("setns", descriptor, CLONE_NEWNS) == 0


def mounts():
    attempt_apart("mount a file system", may_mount)
    attempt_apart("change its root", lambda: syscall("chroot", b"/") == 0)


def may_mount():
    """Asks for a file system that no kernel has: only who may mount hears that there is none."""
    try:
        syscall("mount", b"none", os.fsencode(HOME), b"zoofs", 0, 0)
    except OSError as error:
        return error.errno == errno.ENODEV


def types_for_the_operator():
    import fcntl

    for path in ("/dev/tty", "/proc/self/fd/0"):
        attempt(f"type a key at {path}", type_key, path, fcntl)


def type_key(path, fcntl):
    descriptor = os.open(path, os.O_RDWR | os.O_NOCTTY)
    try:
        # An empty line: it would do nothing, and is never let through.
        return fcntl.ioctl(descriptor, TIOCSTI, b"\n") == 0
    finally:
        os.close(descriptor)


def leaves_zombies():
    for _ in range(30):
        if os.fork() == 0:
            os._exit(0)
    for _ in range(10):
        if os.fork() == 0:
            if os.fork() == 0:
                os._exit(0)
            os._exit(0)
    tried("wait for none of 40 children")


if os.environ.get(HIDDEN) == "chain":
    go_on_as_another()
    os._exit(0)
if os.environ.get(HIDDEN):
    end_after(60)
    time.sleep(60)
    os._exit(0)
run(
    at_once=(
        leaves_a_daemon, leaves_a_daemon_and_ends, ends_and_leaves_children, works_from_its_home,
        leaves_a_chain, fork_bomb, ignores_signals, nests_namespaces, joins_namespaces, mounts,
        gains_privileges, leaves_zombies,
    ),
    when_asked=(
        stops_itself, signals_strangers, ends_the_keeper, ends_its_group,
        segfaults, aborts, exits, raises,
        types_for_the_operator, starts_threads, wears_anothers_mark,
    ),
)  # fmt: skip
