"""How threads wait for a processor, as the system counts it: real processes on one core."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from referee.bots.clock import RunningClock
from referee.bots.lateness import CpuWaits
from referee.bots.waits import NO_THREADS, ProcessThreads
from tests.bots.processes import wait_until

CROWD = 16
"""So many that each waits longer than a `TICK` between its turns."""
TICK = 0.02
"""Seconds in which the system counts what a thread has used at least once."""


@pytest.fixture
def crowd() -> Iterator[list[int]]:
    """Processes that never rest and share one core; the last one gives way to the others."""
    core = min(os.sched_getaffinity(0))
    spin = f"import os, sys; os.sched_setaffinity(0, [{core}]); os.nice(int(sys.argv[1]))"
    shell = "os.execlp('sh', 'sh', '-c', 'while :; do :; done')"
    with contextlib.ExitStack() as stack:
        pids = []
        for nice in ["0"] * (CROWD - 1) + ["5"]:
            process = stack.enter_context(
                subprocess.Popen([sys.executable, "-S", "-c", f"{spin}; {shell}", nice])
            )
            stack.callback(process.kill)
            pids.append(process.pid)
        yield pids


def waits_of(threads: ProcessThreads) -> CpuWaits:
    """Begins to count for *threads*, beside a referee that does not wait."""
    return CpuWaits(RunningClock(threads=NO_THREADS), threads)


def test_two_that_share_a_processor_wait_for_it_and_a_process_that_is_gone_has_not(
    crowd: list[int],
) -> None:
    threads = ProcessThreads(lambda: crowd)
    before = sum(threads.waited().values())
    wait_until(lambda: sum(threads.waited().values()) > before + 0.1, "they wait")
    crowd[:] = [2**22 + 1]
    assert (threads.waited(), threads.ready()) == ({}, frozenset())


def test_a_wait_that_is_not_counted_yet_is_seen_but_for_who_gives_way(crowd: list[int]) -> None:
    poor, nice = ProcessThreads(lambda: crowd[:1]), ProcessThreads(lambda: crowd[-1:])

    def seen() -> bool:
        waits = waits_of(poor)
        goes_on = waits.go_on()
        time.sleep(TICK)
        return goes_on and waits.go_on() and waits.seconds == 0.0

    wait_until(lambda: sum(poor.waited().values()) > 0.05, "both run by now")
    wait_until(seen, "it waits, and nothing of it is counted")
    wait_until(lambda: not nice.eager(), "the nice one has given way")
    assert nice.waited()
    assert poor.eager() == {crowd[0]}


@pytest.mark.parametrize(
    ("code", "is_ready"),
    [("import time; time.sleep(60)", False), ("while True: pass", True)],
    ids=["sleeps", "works"],
)
def test_who_sleeps_and_who_has_a_processor_does_not_wait(code: str, is_ready: bool) -> None:
    def is_free() -> bool:
        waits = waits_of(threads)
        first = waits.go_on()
        time.sleep(TICK)
        return first is is_ready and not waits.go_on()

    with subprocess.Popen([sys.executable, "-c", code]) as process:
        threads = ProcessThreads(lambda: [process.pid])
        wait_until(is_free, "it has begun, and has no wait")
        process.kill()
