"""The clock of this host: it runs while we run, and stands still while we stand still."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from referee.bots.clock import STALL, TICK, RunningClock, slept
from tests.bots.processes import wait_until

ROOT = Path(__file__).parents[2]


class Hand:
    """A monotonic clock that is moved by hand."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


def test_time_runs_as_long_as_it_is_looked_at() -> None:
    hand = Hand()
    clock = RunningClock(hand, lambda: 0.0)
    began = clock.now()
    for _ in range(100):
        hand.seconds += TICK
        clock.tick()
    assert clock.now() - began == pytest.approx(100 * TICK)
    assert (clock.stalls, clock.stalled) == (0, 0.0)


def test_a_pause_between_two_looks_is_a_stall_and_nobodys_time() -> None:
    hand = Hand()
    clock = RunningClock(hand, lambda: 0.0)
    began = clock.now()
    hand.seconds += 60.0
    assert clock.now() - began == pytest.approx(TICK), "what was due anyway is all that passed"
    assert clock.stalls == 1
    assert clock.stalled == pytest.approx(60.0 - TICK)
    hand.seconds += TICK
    clock.tick()
    assert clock.now() - began == pytest.approx(2 * TICK), "time goes on where it stood"


def test_a_look_that_is_a_little_late_is_no_stall() -> None:
    hand = Hand()
    clock = RunningClock(hand, lambda: 0.0)
    began = clock.now()
    hand.seconds += TICK + STALL - 0.001
    assert clock.now() - began == pytest.approx(TICK + STALL - 0.001)
    assert clock.stalls == 0


def test_stalls_add_up() -> None:
    hand = Hand()
    clock = RunningClock(hand, lambda: 0.0)
    clock.tick()
    for _ in range(3):
        hand.seconds += 1.0
        clock.tick()
    assert clock.stalls == 3
    assert clock.stalled == pytest.approx(3 * (1.0 - TICK))


def test_time_never_goes_back() -> None:
    hand = Hand()
    clock = RunningClock(hand, lambda: 0.0)
    last = clock.now()
    for step in (0.0, 0.001, 5.0, 0.0, TICK, STALL, 3.0, 0.01):
        hand.seconds += step
        now = clock.now()
        assert now >= last
        last = now


def test_watchers_look_at_every_tick_until_they_stop_even_in_the_middle_of_one() -> None:
    clock = RunningClock(Hand(), lambda: 0.0)
    looks: list[str] = []

    def once() -> None:
        looks.append("once")
        clock.unwatch(once)

    clock.watch(once)
    clock.watch(lambda: looks.append("always"))
    clock.tick()
    clock.tick()
    assert looks == ["once", "always", "always"]


async def test_it_ticks_by_itself_and_sees_an_event_loop_that_was_held_up() -> None:
    ticked = asyncio.Event()
    async with RunningClock() as clock:
        clock.watch(ticked.set)
        await ticked.wait()
        before = clock.now()
        time.sleep(5 * STALL)  # noqa: ASYNC251 - this is what holds up the loop
        passed = clock.now() - before
        assert clock.stalls >= 1
        assert passed < 5 * STALL, "the pause was charged to somebody"
        ticked.clear()
        await ticked.wait()
    ticked.clear()
    await asyncio.sleep(3 * TICK)
    assert not ticked.is_set(), "it ticks on after its block"


STOPPED = """
import asyncio
from referee.bots.clock import RunningClock

async def main():
    async with RunningClock() as clock:
        before = clock.now()
        print("ready", flush=True)
        while not clock.stalls:
            await asyncio.sleep(0.01)
        print(clock.now() - before, clock.stalled, flush=True)

asyncio.run(main())
"""


def test_a_process_that_was_stopped_has_not_run_meanwhile() -> None:
    program = subprocess.Popen(
        [sys.executable, "-c", STOPPED],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "proto")])},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert program.stdout is not None
    with program:
        assert program.stdout.readline() == "ready\n"
        program.send_signal(signal.SIGSTOP)
        state = Path(f"/proc/{program.pid}/stat")
        wait_until(lambda: state.read_text().rpartition(")")[2].split()[0] == "T", "it stands")
        stopped = time.monotonic()
        time.sleep(1.0)
        program.send_signal(signal.SIGCONT)
        pause = time.monotonic() - stopped
        ran, stalled = map(float, program.stdout.readline().split())
    assert stalled > 0.9 * pause - STALL
    # What it ran before and after is not known, but the pause is not in it.
    assert ran < 60.0


def test_a_sleep_of_the_machine_is_a_stall_and_takes_no_time() -> None:
    hand = Hand()
    slept = 50.0
    clock = RunningClock(hand, lambda: slept)
    began = clock.now()
    slept += 3600.0
    hand.seconds += TICK
    clock.tick()
    assert clock.now() - began == pytest.approx(TICK)
    assert (clock.stalls, clock.sleeps, clock.stalled) == (1, 1, pytest.approx(3600.0))
    slept -= 0.5  # read while we were held up between the two clocks of the system
    clock.tick()
    slept += 0.5
    clock.tick()
    assert clock.sleeps == 1


def test_the_sleep_of_this_machine_does_not_grow_while_it_runs() -> None:
    first = slept()
    assert slept() - first < STALL


def test_stalls_are_told_from_a_moment_on() -> None:
    hand = Hand()
    clock = RunningClock(hand, lambda: 0.0)
    moments = []
    for seconds in (1.0, 2.0, 4.0):
        moments.append(clock.now())
        hand.seconds += seconds
        clock.tick()
        for _ in range(10):
            hand.seconds += TICK
            clock.tick()
    told = [clock.stalled_since(moment) for moment in moments]
    assert told == [pytest.approx(total - n * TICK) for n, total in ((3, 7.0), (2, 6.0), (1, 4.0))]
    assert clock.stalled_since(clock.now()) == 0.0
