"""The referee itself is stopped while honest bots think: a real match, in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.bots.processes import wait_until

ROOT = Path(__file__).parents[2]
STOP = 3.0

REFEREE = """
import asyncio, json, sys
from referee.bots import line
from referee.bots.terms import CallStyle, ClockTerms
from referee.rules import seed_key
from tournaments.runner.arena import Arena
from tournaments.runner.jobs import Job, TableJob

call, margin, bots = sys.argv[1], float(sys.argv[2]), sys.argv[3]
line.CALL_MARGIN = margin  # so that a call ends for want of time while we stand still

async def main():
    job = Job(
        rules="tournament-3p all_pass=force_last",
        entrants={name: (bots,) for name in "abc"},
        base=".",
        deals=1,
        clock=ClockTerms(move_time=1.0, first_move=1.0, startup=60.0),
        call=CallStyle(call),
    )
    async with Arena(job) as arena:
        await arena.start_all()
        print("ready", flush=True)
        done = await arena.result(TableJob(0, 0, 0, ("a", "b", "c"), seed_key("x").hex()))
    print(json.dumps({
        "problem": done.problem,
        "faults": [fault.kind for fault in done.result.faults],
        "timings": json.loads(done.result.timings),
        "stalled": arena.measured.stalled,
    }), flush=True)

asyncio.run(main())
"""


@pytest.mark.parametrize(
    ("call", "margin"), [("unary", 0.25), ("stream", 5.0)], ids=["unary", "stream"]
)
def test_no_bot_is_charged_for_three_seconds_in_which_the_referee_was_stopped(
    call: str, margin: float, runtime: Path
) -> None:
    bots = f"{ROOT / 'tests' / 'fixtures' / 'thinks.py'}?seconds=0.4"
    with subprocess.Popen(
        [sys.executable, "-c", REFEREE, call, str(margin), bots],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "proto")])},
        stdout=subprocess.PIPE,
        text=True,
    ) as referee:
        assert referee.stdout is not None
        assert referee.stdout.readline() == "ready\n"
        time.sleep(0.2)  # in the first decision, or near it; every moment must do
        referee.send_signal(signal.SIGSTOP)
        state = Path(f"/proc/{referee.pid}/stat")
        wait_until(lambda: state.read_text().rpartition(")")[2].split()[0] == "T", "it stands")
        time.sleep(STOP)
        referee.send_signal(signal.SIGCONT)
        told = json.loads(referee.stdout.readline())
    assert told["problem"] == ""
    assert told["faults"] == []
    assert told["stalled"] > STOP - 0.5
    stalls = told["timings"]["stalls"]
    assert stalls[0][0] >= 1
    assert max(milliseconds for _, milliseconds in stalls) > 1000 * (STOP - 0.5)
    charged = [us for times in told["timings"]["deals"] for us in times if us is not None]
    assert max(charged) <= 1_000_000
