"""How threads wait for a processor, as the system counts it (``schedstat`` in ``proc(5)``)."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, Protocol

from referee.bots.cpu import cpu_seconds


class Threads(Protocol):
    """The threads of a bot, or our own."""

    def waited(self) -> dict[int, float]:
        """Returns for each of those that run now how long it was ready, but had no processor.

        In seconds. A wait that still goes on is counted once it is over.
        """

    def used(self) -> float:
        """Returns what they have used of the processors so far, all together, in seconds."""

    def eager(self) -> frozenset[int]:
        """Returns those that want a processor as we do, and have not given way by choice."""

    def ready(self) -> frozenset[tuple[int, bytes]]:
        """Returns those that are ready or have a processor now, each with what was counted of it.

        Whoever is in two answers, and they are further apart than the system counts (a tick of its
        scheduler, 10 ms at most), had no processor in between.
        """


class ProcessThreads:
    """The threads of processes on this machine; of none where the system does not tell."""

    def __init__(self, pids: Callable[[], Iterable[int]]) -> None:
        """Makes a view of the processes that *pids* returns whenever it is asked."""
        self._pids = pids

    def waited(self) -> dict[int, float]:
        """Returns how long each has waited. Takes about ten microseconds for a thread."""
        return {
            thread: int(counted.split()[1]) / 1e9
            for thread, folder in self._folders()
            if (counted := _read(f"{folder}/schedstat")).count(b" ") == 2
        }

    def used(self) -> float:
        """Returns what their processes have used, with threads that have ended."""
        return cpu_seconds(self._pids()) or 0.0

    def eager(self) -> frozenset[int]:
        """Returns those of ordinary scheduling that are no nicer than this process."""
        ours = os.getpriority(os.PRIO_PROCESS, 0)
        found = ((thread, _state(_read(f"{folder}/stat"))) for thread, folder in self._folders())
        return frozenset(
            thread for thread, state in found if state and state.is_ordinary and state.nice <= ours
        )

    def ready(self) -> frozenset[tuple[int, bytes]]:
        """Returns those that want a processor, but not the thread that asks."""
        found = (
            (thread, folder, _state(_read(f"{folder}/stat"))) for thread, folder in self._folders()
        )
        return frozenset(
            (thread, _read(f"{folder}/schedstat"))
            for thread, folder, state in found
            if state and state.is_ready and thread != threading.get_native_id()
        )

    def _folders(self) -> Iterator[tuple[int, str]]:
        for pid in self._pids():
            folder = f"/proc/{pid}/task"
            try:
                with os.scandir(folder) as threads:
                    names = [thread.name for thread in threads]
            except OSError:  # it is gone, or there is no such folder here
                continue
            for name in names:
                yield int(name), f"{folder}/{name}"


NO_THREADS = ProcessThreads(tuple)
"""Those of a bot of which nobody here knows how its threads fare."""


def our_threads() -> ProcessThreads:
    """Returns the threads of this process."""
    return ProcessThreads(lambda: (os.getpid(),))


_NICE, _POLICY = 16, 38
"""Where the priority and the way of scheduling stand among the fields behind the name."""


class _State(NamedTuple):
    """What a thread is at."""

    is_ready: bool
    """Whether it runs, or could run."""
    nice: int
    is_ordinary: bool
    """Whether it is scheduled as any other (``SCHED_OTHER`` in ``sched(7)``)."""


def waited() -> float:
    """Returns how long the thread that asks has waited for a processor so far, in seconds.

    0 where the system does not tell.
    """
    counted = _read("/proc/thread-self/schedstat").split()
    return int(counted[1]) / 1e9 if len(counted) == 3 else 0.0


def _read(path: str) -> bytes:
    """Returns what is in the file of a thread; nothing if the thread has ended."""
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return b""
    try:
        return os.read(file, 1000)
    except OSError:
        return b""
    finally:
        os.close(file)


def _state(stat: bytes) -> _State | None:
    """Returns what *stat* says of a thread (``proc(5)``), or None if there is no such thread.

    The fields stand behind the name of the thread, which may hold anything.
    """
    fields = stat.rpartition(b") ")[2].split()
    if len(fields) <= _POLICY:
        return None
    return _State(fields[0] == b"R", int(fields[_NICE]), fields[_POLICY] == b"0")
