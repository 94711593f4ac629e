"""Whether the clock is just: bots that answer 20 ms before their limit, on a busy host.

    python benchmarks/clock.py [--decisions 2000] [--move-time 0.25] [--think 120]

Three bots sleep until 20 ms before their limit and answer. They play as in any tournament, with as
many workers and tables in flight as there are by default: by the stream and by calls, alone, with a
process beside them that never rests, and with the referee stopped for three seconds now and then.
No timeout may be charged. Then they sleep twice the limit: each of these decisions must be judged
late, but those during which this host stood still: the last columns say how often and how long that
was, and how many decisions were out meanwhile. Of those that come 20 ms beyond the limit and the
grace, all are judged late on an idle host; on a busy one an answer may be later by as long as its
way has waited for a processor.

Lateness is what a decision was charged beyond what the bot slept: what the way, the host and the
other processes of the machine added.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from referee.bots.terms import CallStyle, ClockTerms
from referee.match import TableTerms
from referee.rules import derive_key, seed_key
from tournaments.config import default_workers
from tournaments.results import TableResult
from tournaments.runner.jobs import Job, TableJob
from tournaments.runner.report import RunReport
from tournaments.runner.runner import Runner

BOT = Path(__file__).resolve().parents[1] / "tests" / "fixtures" / "thinks.py"
ENTRANTS = ("a", "b", "c")
MARGIN = 0.02
"""Seconds by which the bots answer early, or late."""
GRACE = 0.02
"""The grace of the bots that are late: the least there is."""
STOP = 3.0
"""Seconds for which the referee is stopped."""
DECISIONS_A_TABLE = 20
"""About as many as are asked at a table of one deal."""


@dataclass(slots=True)
class Part:
    """One part of the measurement."""

    name: str
    sleep: float
    """Seconds for which the bots sleep."""
    move_time: float
    call: CallStyle = CallStyle.STREAM
    grace: float | None = None
    hog: bool = False
    stops: bool = False
    first: float = 0.0
    """Seconds for which they sleep at their first decision."""
    results: list[TableResult] = field(default_factory=list)

    def job(self) -> Job:
        """Returns what its tables have in common."""
        bot = f"{BOT}?seconds={self.sleep:.3f}&first={self.first:g}"
        # What comes early has the budget of a first decision that it has in any tournament.
        first_move = ClockTerms().first_move if self.sleep < self.move_time else self.move_time
        if self.first:
            first_move = self.first + 10.0
        return Job(
            rules="tournament-3p all_pass=force_last",
            entrants={name: (f"{name}={bot}",) for name in ENTRANTS},
            base=".",
            deals=1,
            clock=ClockTerms(
                self.move_time, first_move=first_move, grace=self.grace, startup=120.0
            ),
            table=TableTerms(strikes=1000),
            call=self.call,
        )

    @property
    def charged(self) -> list[float]:
        """What each decision was charged, in seconds."""
        deals = (json.loads(result.timings)["deals"] for result in self.results)
        return [us / 1e6 for deal in deals for times in deal for us in times if us is not None]

    def timeouts(self) -> int:
        """Returns how many were charged."""
        return sum(f.kind == "timeout" for result in self.results for f in result.faults)

    def stalled(self) -> int:
        """Returns how many decisions were out while this host stood still: those may be late."""
        return sum(len(json.loads(result.timings).get("stalls", ())) for result in self.results)

    def others(self) -> int:
        """Returns how many other faults there were."""
        return sum(len(result.faults) for result in self.results) - self.timeouts()


@contextmanager
def hog() -> Iterator[None]:
    """Runs a process beside the block that never rests."""
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as process:
        try:
            yield
        finally:
            process.kill()


def workers() -> list[int]:
    """Returns the worker processes of this one."""
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return [
        int(pid)
        for pid in children
        if b"tournaments.runner.worker" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]


async def stop_now_and_then(part: Part) -> None:
    """Stops the referee of *part* for a while, three times, once tables have come to an end."""
    while not part.results:  # noqa: ASYNC110 - a runner tells nobody else
        await asyncio.sleep(0.1)
    for _ in range(3):
        stopped = workers()
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        await asyncio.sleep(STOP)
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)
        await asyncio.sleep(1.0)


async def play(part: Part, decisions: int) -> RunReport:
    """Plays *part* with about so many decisions."""
    tables = [
        TableJob(n, n, n % 3, ENTRANTS, derive_key(seed_key("clock"), str(n)).hex())
        for n in range(max(1, decisions // DECISIONS_A_TABLE))
    ]

    def take(results: Sequence[TableResult]) -> None:
        part.results += results

    runner = Runner(part.job(), tables, workers=default_workers(), on_results=take)
    stopping = asyncio.create_task(stop_now_and_then(part)) if part.stops else None
    try:
        return await runner.run()
    finally:
        if stopping is not None:
            stopping.cancel()


def show(part: Part, report: RunReport) -> None:
    """Prints a line about *part*."""
    late = sorted(1000 * (seconds - part.sleep) for seconds in part.charged)
    p50, p99, most = (late[min(len(late) - 1, int(share * len(late)))] for share in (0.5, 0.99, 1))
    measured = report.measured
    grace = measured.grace if part.grace is None else part.grace
    problems = f"  {len(report.problems)} problems" if report.problems else ""
    print(
        f"{part.name:34}{len(late):10}{part.timeouts():9}{part.others():7}{p50:9.1f}{p99:8.1f}"
        f"{most:8.1f}{1000 * grace:9.0f}{measured.stalls:8}{measured.stalled:9.1f}"
        f"{part.stalled():10}{problems}",
        flush=True,
    )


def parts(move_time: float) -> list[tuple[Part, float]]:
    """Returns what is played, with the share of the decisions that each is given."""
    early = move_time - MARGIN
    found: list[tuple[Part, float]] = []
    for call in (CallStyle.STREAM, CallStyle.UNARY):
        for busy in (False, True):
            name = f"20 ms early, {call.value}{', with a hog' if busy else ''}"
            found.append((Part(name, early, move_time, call, hog=busy), 1.0))
        name = f"20 ms early, {call.value}, stopped 3 x 3 s"
        found.append((Part(name, early, move_time, call, stops=True), 0.25))
        late = move_time + GRACE + MARGIN
        for name, sleep in (("20 ms late", late), ("twice the limit", 2 * move_time)):
            found.append((Part(f"{name}, {call.value}", sleep, move_time, call, GRACE), 0.1))
    return found


async def think(seconds: float) -> None:
    """Plays a match in which the first decision of every bot takes so long."""
    for call in (CallStyle.STREAM, CallStyle.UNARY):
        part = Part(f"thinks {seconds:g} s, {call.value}", 0.0, 10.0, call, first=seconds)
        began = time.monotonic()
        report = await play(part, DECISIONS_A_TABLE)
        faults = sum(len(result.faults) for result in part.results)
        print(
            f"{part.name}: longest decision {max(part.charged):.1f} s, {faults} faults, "
            f"{len(report.problems)} problems, {time.monotonic() - began:.0f} s in all"
        )


async def main() -> None:
    """Measures and prints."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--decisions", type=int, default=2000, help="of each of the longer parts")
    parser.add_argument("--move-time", type=float, default=0.25, help="in seconds")
    parser.add_argument("--only", default="", help="the parts whose names hold this")
    parser.add_argument("--think", type=float, help="play decisions of so many seconds, not these")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="moon-") as folder:
        os.environ["XDG_RUNTIME_DIR"] = folder
        if options.think:
            await think(options.think)
            return
        print(f"{default_workers()} workers, load {os.getloadavg()[0]:.1f}")
        print(
            f"{'':34}{'decisions':>10}{'timeouts':>9}{'other':>7}{'late p50':>9}{'p99':>8}"
            f"{'max':>8}{'grace ms':>9}{'stalls':>8}{'seconds':>9}{'decisions':>10}"
        )
        for part, share in parts(options.move_time):
            if options.only in part.name:
                with hog() if part.hog else tempfile.TemporaryDirectory():
                    show(part, await play(part, int(share * options.decisions)))


if __name__ == "__main__":
    asyncio.run(main())
