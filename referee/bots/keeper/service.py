"""The keeper of one referee process: what it is asked for, and what it does of itself."""

from __future__ import annotations

import contextlib
import ctypes
import json
import math
import os
import selectors
import signal
import socket
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from referee.bots.keeper.kept import (
    CHUNK,
    LONGEST_SETTLE,
    SWEEP_LIMIT,
    Kept,
    Output,
    assign,
    read_inside,
    start,
    words_of,
)
from referee.bots.keeper.processes import (
    Entry,
    family,
    kill_process,
    mark_of,
    process_count,
    read_process,
    signal_group,
    user_of,
)

CAN_PEEK = hasattr(os, "waitid")  # macOS has it from Python 3.13 on
SWEEP_PAUSE = 0.005
LOOK_PAUSE = 0.25
"""Seconds between two looks for processes that bots have started, at least."""
LOOK_SHARE = 0.02
"""The share of a processor that these looks may take: each reads the whole process table."""
CLOSE_LOOK_PAUSE = 1.0
"""The same, where their number has not changed."""
PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36


class Service:
    """The bots of one referee, and the conversation with it."""

    def __init__(self, control: socket.socket, parent: int) -> None:
        self._control = control
        self._parent = parent
        self._inbox = bytearray()
        self._outbox = bytearray()
        self._kept: dict[int, Kept] = {}
        self._leaders: dict[int, Kept] = {}
        self._over = False
        self._look_due = math.inf
        self._look_closely_due = 0.0
        self._process_count = 0
        self._strangers: dict[tuple[int, int], float] = {}
        self._hidden_since = self._hidden_last = -math.inf
        self._selector = selectors.DefaultSelector()
        self._wake, self._waker = socket.socketpair()
        for end in (control, self._wake, self._waker):
            end.setblocking(False)
        self._selector.register(control, selectors.EVENT_READ, self._receive)
        self._selector.register(self._wake, selectors.EVENT_READ, partial(self._wake.recv, CHUNK))
        self._requests: dict[str, Callable[[dict[str, Any]], None]] = {
            "spawn": self._spawn,
            "kill": self._kill,
            "freeze": partial(self._freeze, frozen=True),
            "thaw": partial(self._freeze, frozen=False),
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
            due = min(self._due_times(), default=math.inf)
            wait = None if due == math.inf else max(0.0, due - time.monotonic())
            for key, _ in self._selector.select(wait):
                key.data()
            self._reap()
            self._watch()
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

    def _due_times(self) -> Iterator[float]:
        for kept in self._kept.values():
            yield kept.due
            if kept.watch is not None and not kept.reaped and not kept.over:
                yield min(kept.watch.due, self._look_due)

    def _spawn(self, request: dict[str, Any]) -> None:
        number = request["id"]
        try:
            kept, info = start(request)
        except (OSError, ValueError) as error:
            code, problem = words_of(error)
            self._say("failed", id=number, errno=code, problem=problem)
            return
        self._kept[number] = self._leaders[kept.pid] = kept
        for output in kept.outputs.values():
            self._selector.register(output.pipe, selectors.EVENT_READ, partial(self._drain, output))
        if info is not None:
            self._selector.register(info, selectors.EVENT_READ, partial(self._enter, kept, info))
        if kept.watch is not None:
            self._look_due = min(self._look_due, time.monotonic())
        self._say("started", id=number, pid=kept.pid)

    def _enter(self, kept: Kept, info: int) -> None:
        """Takes note of the first process in the sandbox of *kept*."""
        self._selector.unregister(info)
        pid = read_inside(info)
        inside = None if pid is None else read_process(pid)
        if inside is not None:
            kept.enter(inside)
            self._say("inside", id=kept.number, pid=pid)

    # What bots use.

    def _watch(self) -> None:
        now = time.monotonic()
        if now >= self._look_due:
            watched = any(kept.watch is not None for kept in self._kept.values())
            begun = time.thread_time()
            self._look_for_processes()
            pause = max(LOOK_PAUSE, (time.thread_time() - begun) / LOOK_SHARE)
            self._look_due = now + pause if watched else math.inf
        for kept in self._kept.values():
            watch = kept.watch
            if watch is None or kept.reaped or kept.over or watch.due > now:
                continue
            if watch.look(kept.pids, now):
                # Once more with those that are its own now: a number may be another's by then.
                self._look_for_processes(closely=True)
                kept.over = watch.look(kept.pids, now)
            if kept.over:
                kept.due = min(kept.due, now)

    def _look_for_processes(self, *, closely: bool = False) -> None:
        """Learns which processes belong to whom, if any seems to have begun or ended."""
        count, now = process_count(), time.monotonic()
        is_same = count and count == self._process_count and now < self._look_closely_due
        if is_same and not closely:
            return
        self._process_count = count
        self._look_closely_due = now + CLOSE_LOOK_PAUSE
        running = [kept for kept in self._kept.values() if not kept.reaped]
        pairs = [(self._owner(top, entry), entry) for top, entry in family(os.getpid())]
        for kept in assign(running, pairs):
            self._say("family", id=kept.number, pids=kept.pids)
        self._end_strangers({entry for owner, entry in pairs if owner is None})

    def _end_strangers(self, found: set[Entry]) -> None:
        """Ends what hid whose it is, so that nobody's limits hold for it.

        Not at once: a process that is just beginning to run a program has no mark either.
        """
        now, before = time.monotonic(), self._strangers
        self._strangers = {(e.pid, e.born): before.get((e.pid, e.born), now) for e in found}
        for entry in found:
            if now - self._strangers[entry.pid, entry.born] >= LOOK_PAUSE:
                kill_process(entry)

    def _freeze(self, request: dict[str, Any], *, frozen: bool) -> None:
        kept = self._kept.get(request["id"])
        if kept is None or kept.reaped or kept.killed or kept.frozen == frozen:
            return
        if frozen:
            self._look_for_processes(closely=True)
        kept.frozen = frozen
        kept.signal_all(signal.SIGSTOP if frozen else signal.SIGCONT)

    def _drain(self, output: Output, chunks: int = 1) -> None:
        if not output.pipe.closed and not output.read(chunks):
            self._close(output)

    def _close(self, output: Output) -> None:
        if not output.pipe.closed:
            self._selector.unregister(output.pipe)
            output.pipe.close()

    def _kill(self, request: dict[str, Any]) -> None:
        self._reap()  # what has ended by itself was not killed, however late we come to it
        kept = self._kept.get(request["id"])
        if kept is None or kept.reaped:
            return
        if request["grace_ms"] and not kept.killed:
            self._look_for_processes()
            if process_count():  # else nobody could say what there is left
                kept.settle = min(request["settle_ms"] / 1000, LONGEST_SETTLE)
            kept.ask_to_end()
        kept.killed = True
        kept.due = min(kept.due, time.monotonic() + request["grace_ms"] / 1000)

    def _tail(self, request: dict[str, Any]) -> None:
        kept = self._kept.get(request["id"])
        data, total = None, 0
        if kept is not None:
            output = kept.outputs["stderr"]
            self._drain(output)
            data, total = output.tail(request["size"]), output.total
        self._say("tail", ask=request["ask"], data=data, total=total)

    def _reap(self) -> None:
        with contextlib.suppress(ChildProcessError):
            while True:
                pid = -1
                if CAN_PEEK:
                    ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
                    # While its leader is a zombie the number of a group cannot be anybody else's.
                    if ended is None:
                        return
                    leader = self._leaders.get(pid := ended.si_pid)
                    if leader is not None and not leader.settle:
                        signal_group(pid, signal.SIGKILL)
                pid, status, used = os.wait4(pid, os.WNOHANG)
                if not pid:
                    return
                if (kept := self._leaders.pop(pid, None)) is not None:
                    cpu = used.ru_utime + used.ru_stime
                    self._exited(kept, os.waitstatus_to_exitcode(status), cpu)

    def _exited(self, kept: Kept, code: int, cpu: float) -> None:
        if not CAN_PEEK and not kept.settle:
            signal_group(kept.pid, signal.SIGKILL)
        kept.reaped = True
        kept.process.returncode = code
        for output in kept.outputs.values():
            # A pipe holds far less than 64 chunks; a process that writes on cannot hold us here.
            self._drain(output, 64)
        self._say("exited", id=kept.number, cpu=cpu, **kept.exit_fields(code))
        if kept.settle and not self._pids_of(kept):
            kept.settle = 0.0
        kept.sweep_from(time.monotonic() + kept.settle)

    def _pids_of(self, kept: Kept) -> list[int]:
        """Returns what runs now of *kept*, or hides whose it is."""
        pairs = ((self._owner(top, entry), entry) for top, entry in family(os.getpid()))
        return sorted(entry.pid for owner, entry in pairs if owner is None or owner is kept)

    def _advance(self) -> None:
        now = time.monotonic()
        due = [kept for kept in self._kept.values() if kept.due <= now]
        for kept in due:
            if kept.reaped and kept.settle:
                kept.outlived = self._pids_of(kept)
            kept.settle = 0.0
            kept.sweep_from(now)
            if not kept.reaped:
                if kept.inside is not None:
                    kill_process(kept.inside)  # with which all that is in the sandbox ends
                signal_group(kept.pid, signal.SIGKILL)
        if due:
            self._sweep(due, now)

    def _sweep(self, due: list[Kept], now: float) -> None:
        left: dict[int, set[int]] = {
            kept.number: set() if kept.reaped else {kept.pid} for kept in due
        }
        hidden: set[int] = set()
        for top, entry in family(os.getpid()):
            owner = self._owner(top, entry)
            if owner is None or owner.number in left:
                kill_process(entry)
                (hidden if owner is None else left[owner.number]).add(entry.pid)
        # What hides whose it is holds up the ends of all together for as long as that of one.
        if hidden:
            if now > self._hidden_last + SWEEP_LIMIT:
                self._hidden_since = now  # it is another one
            self._hidden_last = now
        is_held_up = bool(hidden) and now < self._hidden_since + SWEEP_LIMIT
        for kept in due:
            own = left[kept.number]
            if (own or is_held_up) and now < kept.give_up:
                kept.due = now + SWEEP_PAUSE
            else:
                self._forget(kept, own | hidden)

    def _owner(self, top: int, entry: Entry) -> Kept | None:
        """Returns whose *entry* is; None for a process that hid this, which any sweep may end.

        A user is its bot's alone, and so decides before the mark, which a program can choose.
        """
        if (kept := self._leaders.get(top)) is not None:
            return kept
        kept_now = self._kept.values()
        if (kept := next((k for k in kept_now if k.pid == entry.session), None)) is not None:
            return kept
        user = user_of(entry.pid)
        owner = next((k for k in kept_now if k.user is not None and k.user == user), None)
        if owner is not None:
            return owner
        mark = mark_of(entry.pid)
        return next((k for k in kept_now if k.mark == mark), None)

    def _forget(self, kept: Kept, left: set[int]) -> None:
        for output in kept.outputs.values():
            self._close(output)
        del self._kept[kept.number]
        self._say("gone", id=kept.number, left=sorted(left), outlived=kept.outlived)

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
        prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)  # what it knows of a bot is no business of another
        # Not SIGKILL: the keeper must outlive the referee for as long as it takes to end the bots.
        prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    with socket.socket(fileno=control) as conversation:
        Service(conversation, parent).run()
