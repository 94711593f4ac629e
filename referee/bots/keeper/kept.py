"""A program that the keeper has started: its output, its processes, and what has become of it."""

from __future__ import annotations

import base64
import contextlib
import errno
import json
import math
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, Any

from referee.bots.keeper.processes import MARK, Entry, kill_process, read_process
from referee.bots.keeper.watch import Allowed, Watchdog

CHUNK = 65536
SWEEP_LIMIT = 5.0
"""Seconds for which the end of everything that a program has started is tried."""
LONGEST_SETTLE = 5.0
"""Seconds for which what a program has started may run on after it, whatever was asked for."""
MOST_OUTPUT = 256 << 20
"""Bytes after which a stream of a bot is closed: whoever writes that much writes for nobody."""


class Output:
    """One output stream of a bot, of which the last bytes are kept and all are counted."""

    def __init__(self, pipe: IO[bytes], keep: int) -> None:
        self.pipe = pipe
        self.keep = keep
        self.kept = bytearray()
        self.total = 0
        os.set_blocking(pipe.fileno(), False)

    def read(self, chunks: int) -> bool:
        """Reads at most so many chunks; returns False once all writers are gone, or wrote a lot."""
        with contextlib.suppress(BlockingIOError):
            for _ in range(chunks):
                chunk = os.read(self.pipe.fileno(), CHUNK)
                if not chunk:
                    return False
                self.kept += chunk
                self.total += len(chunk)
                del self.kept[: -self.keep]
        return self.total < MOST_OUTPUT

    def tail(self, size: int) -> str:
        """Returns the last *size* bytes in a form that JSON can carry."""
        return base64.b64encode(self.kept[-size:]).decode()


class Kept:
    """A program that was started, and what has become of it.

    Attributes:
        members: The processes that it was last seen to be made of, itself the first.
        inside: The first process of its sandbox, where one says so; see `enter`.
        over: What it used too much, so that it was ended; else empty.
        frozen: Whether it is stopped between its decisions.
        settle: Seconds for which what it has started may run on after it, before that is ended.
        outlived: The pids of what still ran when that time was over.
    """

    def __init__(self, request: dict[str, Any], process: subprocess.Popen[bytes]) -> None:
        self.number: int = request["id"]
        self.process = process
        self.pid = process.pid
        self.mark: str = request["mark"]
        self.user: int | None = request.get("user")
        pipes = {"stdout": process.stdout, "stderr": process.stderr}
        keep = request["keep"]
        self.outputs = {name: Output(pipe, keep) for name, pipe in pipes.items() if pipe}
        self.watch: Watchdog | None = None
        if (allowed := request.get("allowed")) is not None:
            place = request.get("place")
            self.watch = Watchdog(Allowed(**allowed), None if place is None else Path(place))
        self._place_inside: str | None = request.get("place_inside")
        self.members: tuple[Entry, ...] = tuple(filter(None, [read_process(self.pid)]))
        self.inside: Entry | None = None
        self.over = ""
        self.frozen = False
        self.settle = 0.0
        self.outlived: list[int] = []
        self.killed = False
        self.reaped = False
        self.due = math.inf
        self.give_up = math.inf

    @property
    def pids(self) -> list[int]:
        """The numbers of its members."""
        return [entry.pid for entry in self.members]

    def enter(self, inside: Entry) -> None:
        """Takes note of the first process in its sandbox; what it writes is seen through that."""
        self.inside = inside
        if self.watch is not None and self._place_inside is not None:
            self.watch.place = Path(f"/proc/{inside.pid}/root{self._place_inside}")

    def sweep_from(self, now: float) -> None:
        """Says that from *now* on nothing of it may live, and until when that is tried."""
        self.due = now
        self.give_up = min(self.give_up, now + SWEEP_LIMIT)

    def signal_all(self, number: signal.Signals) -> None:
        """Signals every process of it that is known, in the order in which they came."""
        for entry in self.members:
            kill_process(entry, number)

    def ask_to_end(self) -> None:
        """Sends it the polite signal."""
        if self.frozen:
            self.signal_all(signal.SIGCONT)
        if self.inside is None:
            with contextlib.suppress(OSError):
                os.killpg(self.pid, signal.SIGTERM)
            return
        # The polite signal would end the sandbox at once, and not reach what runs in it.
        for entry in self.members:
            if entry.pid not in {self.pid, self.inside.pid}:
                kill_process(entry, signal.SIGTERM)

    def exit_fields(self, code: int) -> dict[str, object]:
        """Returns what is to be told of its end with *code*, which is negative for a signal."""
        if self.inside is not None and code - 128 in set(signal.Signals):
            code = 128 - code  # what a sandbox makes of a signal, as a shell does
        cause = "limit" if self.over else "killed" if self.killed else "ended"
        return {
            "code": code if code >= 0 else None,
            "signal": -code if code < 0 else None,
            "cause": cause,
            "over": self.over,
            "peak": self.watch.peak if self.watch else 0,
            "written": sum(output.total for output in self.outputs.values()),
            "stderr_written": self.outputs["stderr"].total,
            **{name: output.tail(output.keep) for name, output in self.outputs.items()},
        }


def start(request: dict[str, Any]) -> tuple[Kept, int | None]:
    """Starts the program of *request*.

    Returns:
        The program, and the descriptor from which the pid of its sandbox can be read, if it has
        one.

    Raises:
        OSError: If it cannot be started.
        ValueError: If an argument cannot be one.
    """
    info: int | None = None
    argv: list[str] = list(request["argv"])
    with contextlib.ExitStack() as stack:
        passed: list[int] = []
        if inputs := request.get("inputs"):
            words = {f"@{n}": _readable(base64.b64decode(data)) for n, data in enumerate(inputs)}
            for fd in words.values():
                stack.callback(os.close, fd)
            if "@info" in argv:
                info, words["@info"] = os.pipe()
                stack.callback(os.close, words["@info"])
            passed = list(words.values())
            argv = [str(words.get(word, word)) for word in argv]
        try:
            process = subprocess.Popen(
                argv,
                cwd=request["cwd"],
                env={**request["env"], MARK: request["mark"]},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                pass_fds=passed,
                start_new_session=True,
            )
        except BaseException:
            if info is not None:
                os.close(info)
            raise
    return Kept(request, process), info


def _readable(data: bytes) -> int:
    """Returns a descriptor from which *data* can be read once."""
    with tempfile.TemporaryFile(buffering=0) as file:
        file.write(data)
        descriptor = os.dup(file.fileno())
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def read_inside(fd: int) -> int | None:
    """Returns the pid that a sandbox wrote to *fd*, or None if it wrote none; closes *fd*."""
    with os.fdopen(fd, "rb") as file:
        try:
            return int(json.loads(file.read(CHUNK))["child-pid"])
        except (OSError, ValueError, KeyError, TypeError):
            return None


def words_of(problem: OSError | ValueError) -> tuple[int, str]:
    """Returns the number and the words of *problem*."""
    code = getattr(problem, "errno", None) or errno.EINVAL
    return code, getattr(problem, "strerror", None) or str(problem)


def assign(kept: Sequence[Kept], pairs: Iterable[tuple[Kept | None, Entry]]) -> list[Kept]:
    """Sets the members of each of *kept* from *pairs*; returns those in which that changed."""
    found: dict[int, list[Entry]] = {each.number: [] for each in kept}
    for owner, entry in pairs:
        if owner is not None and owner.number in found:
            found[owner.number].append(entry)
    changed = []
    for each in kept:
        before = [entry.pid for entry in each.members]
        each.members = tuple(sorted(found[each.number], key=lambda e: (e.pid != each.pid, e.pid)))
        if [entry.pid for entry in each.members] != before:
            changed.append(each)
    return changed
