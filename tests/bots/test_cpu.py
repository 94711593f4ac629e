"""What bots use of the processors, as the system counts it."""

from __future__ import annotations

import subprocess
import sys

from referee.bots.cpu import cpu_seconds
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
