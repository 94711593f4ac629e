"""What bots use of the processors, as the system counts it."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys

from referee.bots.cpu import cpu_seconds, waiting_seconds
from tests.bots.processes import wait_until


def test_the_time_of_a_process_grows_while_it_works_and_is_unknown_once_it_is_gone() -> None:
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as busy:
        first = cpu_seconds([busy.pid])
        assert first is not None
        wait_until(lambda: (cpu_seconds([busy.pid]) or 0.0) > first + 0.05, "it works")
        both = cpu_seconds([busy.pid, busy.pid])
        assert both is not None
        assert both > 2 * first + 0.1
        busy.kill()
    assert cpu_seconds([busy.pid]) is None
    assert cpu_seconds([]) is None


def test_two_that_share_a_processor_wait_for_it_and_a_process_that_is_gone_has_not() -> None:
    [core, *_] = os.sched_getaffinity(0)
    spin = f"import os\nos.sched_setaffinity(0, [{core}])\nwhile True: pass"
    with contextlib.ExitStack() as stack:
        both = [stack.enter_context(subprocess.Popen([sys.executable, "-c", spin])) for _ in "ab"]
        for process in both:
            stack.callback(process.kill)
        pids = [process.pid for process in both]
        before = waiting_seconds(pids)
        wait_until(lambda: waiting_seconds(pids) > before + 0.1, "they wait")
    assert waiting_seconds(pids) == 0.0
