"""`moon bot zoo` that is interrupted: what was tried until then is not lost."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator

import pytest

from tests.e2e.league import LIMIT, League, league


@pytest.fixture
def home() -> Iterator[League]:
    with league() as made:
        yield made


def test_ctrl_c_says_what_was_tried_until_then(home: League) -> None:
    process = home.start("bot", "zoo", "--only", "P1g,P2,P6", "--jobs", "1")
    assert process.stderr is not None
    try:
        assert any(" of 3 behaviours" in line for line in process.stderr)
    finally:
        process.send_signal(signal.SIGINT)
        text, error = process.communicate(timeout=LIMIT)
    assert process.returncode == 130
    assert text == ""
    assert re.search(r"^moon: [12] of 3 tried, 0 promises broken\nmoon: interrupted\n", error)
    assert "several minutes" in home.moon("bot", "zoo", "--help").stdout
