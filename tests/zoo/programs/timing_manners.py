"""Ways to be late, to hang and to end (group T, and bots that other harnesses met)."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import sys
import threading
import time

from server import Call, first_legal

MIB = 1 << 20


def allowed(call: Call) -> float:
    """Returns the seconds for this decision."""
    return call.decisions[0].move_time_ms / 1000


def once(call: Call) -> bool:
    """Returns whether this is the first time on this connection."""
    first = not hasattr(call.wire, "was_late")
    call.wire.was_late = True  # type: ignore[attr-defined]
    return first


def late_once(call: Call) -> None:
    """Answers one decision after its time, and the others at once."""
    if once(call):
        time.sleep(allowed(call) * 4)
    call.honest()


def late(call: Call) -> None:
    """Answers every decision after four times its time."""
    time.sleep(allowed(call) * 4)
    call.honest()


def just_in_time(call: Call) -> None:
    """Answers 20 ms before its time is over."""
    time.sleep(allowed(call) - 0.02)
    call.honest()


def half_time(call: Call) -> None:
    """Answers after half its time."""
    time.sleep(allowed(call) / 2)
    call.honest()


def warm_up(call: Call) -> None:
    """Takes three times its time for its first decision."""
    if once(call):
        time.sleep(allowed(call) * 3)
    call.honest()


def pause_once(call: Call) -> None:
    """Stands still once, as a collector of garbage may."""
    if once(call):
        gc.collect()
        time.sleep(allowed(call) * 4)
    call.honest()


def ignores_deadline(call: Call) -> None:
    """Answers each question in a thread of its own, the first one much too late."""

    def answer(seconds: float) -> None:
        time.sleep(seconds)
        call.honest()

    slow = allowed(call) * 4 if once(call) else 0.0
    threading.Thread(target=answer, args=(slow,), daemon=True).start()


def computes_on(call: Call) -> None:
    """Does not answer, and computes until it is ended."""
    while True:
        first_legal(call.decisions[0])


def stops_itself(_: Call) -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def exits_0(_: Call) -> None:
    os._exit(0)


def exits_3(_: Call) -> None:
    print("giving up", file=sys.stderr, flush=True)
    os._exit(3)


def dies_by_segv(_: Call) -> None:
    ctypes.string_at(0)


def answers_and_exits(call: Call) -> None:
    call.honest()
    time.sleep(0.02)
    os._exit(0)


def never_returns(_: Call) -> None:
    """Is told of the end of a deal or a match, and does nothing more."""
    time.sleep(3600)


def chatters(call: Call) -> None:
    """Writes 50 MB to both streams, then answers."""
    if once(call):
        line = b"thinking aloud, at length, about nothing much\n" * 20_000
        for _ in range(50 * MIB // len(line)):
            os.write(1, line)
            os.write(2, line)
    call.honest()


def long_line(call: Call) -> None:
    """Writes a line of 10 MB without an end, then answers."""
    if once(call):
        for _ in range(10):
            sys.stderr.write("x" * MIB)
        sys.stderr.flush()
    call.honest()


def hostile_stderr(call: Call) -> None:
    """Writes what a terminal acts on, then fails."""
    os.write(2, b"\x1b]0;pwned\x07\x1b[2J\xff\xfe\0\xe2\x80\xaebot A wins\r\n")
    time.sleep(0.1)
    os._exit(1)


def clock_seeded(call: Call) -> None:
    """Chooses by the clock, legally; no two matches of it are the same."""
    decision = call.decisions[0]
    answer = first_legal(decision)
    prompt = decision.WhichOneof("prompt")
    legal = getattr(decision, prompt).ListFields()[0][1]
    if not decision.play.legal_called_suits:
        setattr(answer, prompt, legal[time.time_ns() % len(legal)])
    call.answer(answer)


def tells_its_time(call: Call) -> None:
    """Is late, and claims in its headers that it took no time at all."""
    time.sleep(allowed(call) * 4)
    call.begin(("x-elapsed-ms", "0"), ("date", "Thu, 01 Jan 1970 00:00:00 GMT"))
    call.honest()
