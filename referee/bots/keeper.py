"""Starts, drains and ends the bots of one referee process, and leaves nothing of them behind.

Runs as a file of its own, `python -I -S keeper.py FD PARENT`, with the standard library alone and
one thread: the referee uses gRPC, and a process that does must not fork. Requests and events are
JSON, one a line, over the socket FD. The end of that socket, however the referee came to close it,
ends every bot at once.

Requests: `spawn` (id, argv, cwd, env, mark, keep), `kill` (id, grace_ms), `tail` (id, ask, size),
`shutdown`. Events: `started`, `failed`, `exited` (the program itself has ended), `gone` (nothing
that it started is left, or which pids are), `tail` (the end of its standard error).
"""

from __future__ import annotations

import base64
import contextlib
import ctypes
import errno
import json
import math
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple

MARK = "MOON_BOT_MARK"
"""The environment variable by which a process is known as a bot's, whoever its parent is now."""

PROC = Path("/proc")
CHUNK = 65536
CAN_PEEK = hasattr(os, "waitid")  # macOS has it from Python 3.13 on
SWEEP_PAUSE = 0.005
SWEEP_LIMIT = 5.0
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


class Entry(NamedTuple):
    """A line of the process table."""

    pid: int
    parent: int
    session: int
    born: int
    living: bool


def read_process(pid: int | str) -> Entry | None:
    """Returns what the system says about *pid*, or None if there is no such process."""
    try:
        text = (PROC / str(pid) / "stat").read_bytes()
    except OSError:
        return None
    fields = text[text.rindex(b")") + 2 :].split()
    # A process whose first thread has ended is shown as a zombie while its other threads run on.
    living = fields[0] not in {b"Z", b"X"} or int(fields[17]) > 1
    return Entry(int(pid), int(fields[1]), int(fields[3]), int(fields[19]), living)


def all_processes() -> Iterator[Entry]:
    """Yields every process that can be seen; none where the system has no process files."""
    names = [path.name for path in PROC.iterdir()] if PROC.is_dir() else []
    for name in names:
        if name.isdigit() and (entry := read_process(name)) is not None:
            yield entry


def family(root: int) -> Iterator[tuple[int, Entry]]:
    """Yields every living descendant of *root* with the child of *root* that it comes from."""
    children: dict[int, list[Entry]] = {}
    for entry in all_processes():
        children.setdefault(entry.parent, []).append(entry)
    queue = [(child.pid, child) for child in children.get(root, ())]
    while queue:
        top, entry = queue.pop()
        queue.extend((top, child) for child in children.get(entry.pid, ()))
        if entry.living:
            yield top, entry


def mark_of(pid: int) -> str:
    """Returns the mark that *pid* was started with, empty if it has none or may not be read."""
    try:
        variables = (PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return ""
    start = MARK.encode() + b"="
    return next((os.fsdecode(v[len(start) :]) for v in variables if v.startswith(start)), "")


def kill_process(entry: Entry) -> None:
    """Ends exactly the process of *entry*, never another one that got its number since."""
    with contextlib.ExitStack() as stack, contextlib.suppress(OSError):
        end = partial(os.kill, entry.pid)
        with contextlib.suppress(AttributeError, OSError):  # Linux before 5.3 has no such handles
            handle = os.pidfd_open(entry.pid)
            stack.callback(os.close, handle)
            end = partial(signal.pidfd_send_signal, handle)
        now = read_process(entry.pid)
        if now is not None and now.born == entry.born:
            end(signal.SIGKILL)


def signal_group(leader: int, number: int) -> None:
    """Signals the process group of *leader*, a child that was not yet waited for."""
    with contextlib.suppress(OSError):
        os.killpg(leader, number)


class Output:
    """One output stream of a bot, of which the last bytes are kept."""

    def __init__(self, pipe: IO[bytes], keep: int) -> None:
        self.pipe = pipe
        self.keep = keep
        self.kept = bytearray()
        os.set_blocking(pipe.fileno(), False)

    def read(self, chunks: int) -> bool:
        """Reads at most so many chunks; returns False once all writers are gone."""
        with contextlib.suppress(BlockingIOError):
            for _ in range(chunks):
                chunk = os.read(self.pipe.fileno(), CHUNK)
                if not chunk:
                    return False
                self.kept += chunk
                del self.kept[: -self.keep]
        return True

    def tail(self, size: int) -> str:
        """Returns the last *size* bytes in a form that JSON can carry."""
        return base64.b64encode(self.kept[-size:]).decode()


class Kept:
    """A program that was started, and what has become of it."""

    def __init__(self, number: int, process: subprocess.Popen[bytes], mark: str, keep: int) -> None:
        self.number = number
        self.process = process
        self.pid = process.pid
        self.mark = mark
        pipes = {"stdout": process.stdout, "stderr": process.stderr}
        self.outputs = {name: Output(pipe, keep) for name, pipe in pipes.items() if pipe}
        self.killed = False
        self.reaped = False
        self.due = math.inf
        self.give_up = math.inf

    def sweep_from(self, now: float) -> None:
        """Says that from *now* on nothing of it may live, and until when that is tried."""
        self.due = now
        self.give_up = min(self.give_up, now + SWEEP_LIMIT)


class Keeper:
    """The bots of one referee, and the conversation with it."""

    def __init__(self, control: socket.socket, parent: int) -> None:
        self._control = control
        self._parent = parent
        self._inbox = bytearray()
        self._outbox = bytearray()
        self._kept: dict[int, Kept] = {}
        self._leaders: dict[int, Kept] = {}
        self._over = False
        self._selector = selectors.DefaultSelector()
        self._wake, self._waker = socket.socketpair()
        for end in (control, self._wake, self._waker):
            end.setblocking(False)
        self._selector.register(control, selectors.EVENT_READ, self._receive)
        self._selector.register(self._wake, selectors.EVENT_READ, partial(self._wake.recv, CHUNK))
        self._requests = {
            "spawn": self._spawn,
            "kill": self._kill,
            "tail": self._tail,
        }

    def run(self) -> None:
        """Serves the referee until it is gone, then ends every bot."""
        # Handlers and not SIG_IGN, which the bots would inherit. A signal only wakes the loop: what
        # is meant for the whole terminal or service is the referee's to answer, not ours.
        signal.set_wakeup_fd(self._waker.fileno(), warn_on_full_buffer=False)
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda *_: None)
        while not self._over:
            due = min((kept.due for kept in self._kept.values()), default=math.inf)
            wait = None if due == math.inf else max(0.0, due - time.monotonic())
            for key, _ in self._selector.select(wait):
                key.data()
            self._reap()
            self._advance()
            self._send()
            self._over = self._over or os.getppid() != self._parent
        self._end_everything()

    def _receive(self) -> None:
        data = b""
        with contextlib.suppress(ConnectionError):
            data = self._control.recv(CHUNK)
        self._over = not data
        self._inbox += data
        *lines, self._inbox = self._inbox.split(b"\n")
        for line in lines:
            request = json.loads(line)
            if request["op"] == "shutdown":
                self._over = True
                return
            self._requests[request["op"]](request)

    def _say(self, event: str, **fields: object) -> None:
        self._outbox += json.dumps({"event": event, **fields}).encode() + b"\n"

    def _send(self) -> None:
        try:
            while self._outbox:
                del self._outbox[: self._control.send(self._outbox)]
        except BlockingIOError:
            pass
        except OSError:
            self._over = True
        wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if self._outbox else 0)
        self._selector.modify(self._control, wanted, self._receive)

    def _spawn(self, request: dict[str, Any]) -> None:
        number, mark = request["id"], request["mark"]
        try:
            process = subprocess.Popen(
                request["argv"],
                cwd=request["cwd"],
                env={**request["env"], MARK: mark},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            code = getattr(error, "errno", None) or errno.EINVAL
            problem = getattr(error, "strerror", None) or str(error)
            self._say("failed", id=number, errno=code, problem=problem)
            return
        kept = Kept(number, process, mark, request["keep"])
        self._kept[number] = self._leaders[kept.pid] = kept
        for output in kept.outputs.values():
            self._selector.register(output.pipe, selectors.EVENT_READ, partial(self._drain, output))
        self._say("started", id=number, pid=kept.pid)

    def _drain(self, output: Output, chunks: int = 1) -> None:
        if not output.pipe.closed and not output.read(chunks):
            self._close(output)

    def _close(self, output: Output) -> None:
        if not output.pipe.closed:
            self._selector.unregister(output.pipe)
            output.pipe.close()

    def _kill(self, request: dict[str, Any]) -> None:
        kept = self._kept.get(request["id"])
        if kept is None or kept.reaped:
            return
        if request["grace_ms"] and not kept.killed:
            signal_group(kept.pid, signal.SIGTERM)
        kept.killed = True
        kept.due = min(kept.due, time.monotonic() + request["grace_ms"] / 1000)

    def _tail(self, request: dict[str, Any]) -> None:
        kept = self._kept.get(request["id"])
        data = None
        if kept is not None:
            output = kept.outputs["stderr"]
            self._drain(output)
            data = output.tail(request["size"])
        self._say("tail", ask=request["ask"], data=data)

    def _reap(self) -> None:
        with contextlib.suppress(ChildProcessError):
            while True:
                pid = -1
                if CAN_PEEK:
                    ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
                    # While its leader is a zombie the number of a group cannot be anybody else's.
                    if ended is None:
                        return
                    if (pid := ended.si_pid) in self._leaders:
                        signal_group(pid, signal.SIGKILL)
                pid, status = os.waitpid(pid, os.WNOHANG)
                if not pid:
                    return
                if (kept := self._leaders.pop(pid, None)) is not None:
                    self._exited(kept, os.waitstatus_to_exitcode(status))

    def _exited(self, kept: Kept, code: int) -> None:
        if not CAN_PEEK:
            signal_group(kept.pid, signal.SIGKILL)
        kept.reaped = True
        kept.process.returncode = code
        for output in kept.outputs.values():
            # A pipe holds far less than 64 chunks; a process that writes on cannot hold us here.
            self._drain(output, 64)
        self._say(
            "exited",
            id=kept.number,
            code=code if code >= 0 else None,
            signal=-code if code < 0 else None,
            cause="killed" if kept.killed else "ended",
            **{name: output.tail(output.keep) for name, output in kept.outputs.items()},
        )
        kept.sweep_from(time.monotonic())

    def _advance(self) -> None:
        now = time.monotonic()
        due = [kept for kept in self._kept.values() if kept.due <= now]
        for kept in due:
            kept.sweep_from(now)
            if not kept.reaped:
                signal_group(kept.pid, signal.SIGKILL)
        if due:
            self._sweep(due, now)

    def _sweep(self, due: list[Kept], now: float) -> None:
        left: dict[int, set[int]] = {
            kept.number: set() if kept.reaped else {kept.pid} for kept in due
        }
        for top, entry in family(os.getpid()):
            owner = self._owner(top, entry)
            if owner is None or owner.number in left:
                kill_process(entry)
                for number in left if owner is None else (owner.number,):
                    left[number].add(entry.pid)
        for kept in due:
            pids = left[kept.number]
            if pids and now < kept.give_up:
                kept.due = now + SWEEP_PAUSE
            else:
                self._forget(kept, pids)

    def _owner(self, top: int, entry: Entry) -> Kept | None:
        """Returns whose *entry* is; None for a process that hid this, which any sweep may end."""
        if (kept := self._leaders.get(top)) is not None:
            return kept
        mark = mark_of(entry.pid)
        mine = (k for k in self._kept.values() if entry.session == k.pid or mark == k.mark)
        return next(mine, None)

    def _forget(self, kept: Kept, left: set[int]) -> None:
        for output in kept.outputs.values():
            self._close(output)
        del self._kept[kept.number]
        self._say("gone", id=kept.number, left=sorted(left))

    def _end_everything(self) -> None:
        for pid in self._leaders:
            signal_group(pid, signal.SIGKILL)
        deadline = time.monotonic() + SWEEP_LIMIT
        with contextlib.suppress(ChildProcessError):
            while time.monotonic() < deadline:
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
                for _, entry in family(os.getpid()):
                    kill_process(entry)
                time.sleep(SWEEP_PAUSE)


def main(control: int, parent: int) -> None:
    """Keeps bots for the process *parent*, which speaks through the socket *control*."""
    with contextlib.suppress(OSError, AttributeError):  # only Linux has it
        prctl = ctypes.CDLL(None).prctl
        prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        # Not SIGKILL: the keeper must outlive the referee for as long as it takes to end the bots.
        prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    with socket.socket(fileno=control) as conversation:
        Keeper(conversation, parent).run()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
