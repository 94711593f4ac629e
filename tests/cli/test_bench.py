"""`moon bench` from outside: figures that hold together, and nothing that outlives it."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable, Iterator

import pytest

from tests.e2e.league import LIMIT, League, league
from tests.e2e.processes import belonging_to, command_line, wait_gone
from tournaments.bench.suite import (
    BATCH,
    EUCHRE,
    FLOORS,
    IN_PROCESS,
    START,
    STEPS,
    STREAM,
    TOURNAMENT,
    Figure,
    Figures,
    overheads,
)
from tournaments.cli import bench
from tournaments.cli.bench import WORDS
from tournaments.cli.main import main
from tournaments.cli.patience import Patience


@pytest.fixture
def here() -> Iterator[League]:
    with league() as made:
        yield made


def start(here: League) -> subprocess.Popen[str]:
    """Returns a long run in which the bare ways and the bots are there."""
    process = here.start("bench", "--seconds", "60")
    for program in ("referee.bots.echo", "sample_bots.first_legal"):
        here.wait(process, lambda program=program: runs(here, program), program)
    return process


def runs(here: League, program: str) -> bool:
    return any(program in command_line(process.pid) for process in belonging_to(here.folder))


def test_every_figure_is_there_and_they_hold_together(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = []

    class Counted(Patience):
        def step(self) -> None:
            steps.append(1)
            super().step()

    monkeypatch.setattr(bench, "Patience", Counted)
    assert main(["bench", "--seconds", "0.2", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "moon.bench/1"
    figures = document["figures"]
    assert set(WORDS) - {EUCHRE} <= set(figures) <= {*WORDS, START, TOURNAMENT}
    assert {START, TOURNAMENT} <= set(figures)
    for figure in figures.values():
        assert 0 < figure["lowest"] <= figure["value"] <= figure["highest"]
    assert figures[BATCH]["value"] > figures[STREAM]["value"], "that is what batches are for"
    assert figures[IN_PROCESS]["value"] > figures[STREAM]["value"], "nothing travels"
    assert set(document["overhead"]) == set(FLOORS)
    assert document["host"]["cores"] >= 1
    assert len(steps) == STEPS, "the time left that is told holds"


def test_the_table_shows_what_was_measured_and_no_more(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def measured(seconds: float, step: Callable[[], None]) -> Figures:
        return {
            key: Figure("/s", (2000.0,)) for key in (*WORDS, START, TOURNAMENT) if key != EUCHRE
        }

    monkeypatch.setattr(bench, "measure", measured)
    assert main(["bench"]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split() == ["a", "second", "us", "each", "over", "bare"]
    cells = {row[:40].strip(): row[40:].split() for row in rows[: len(WORDS) - 1]}
    assert list(cells) == [words for key, words in WORDS.items() if key != EUCHRE]
    assert cells[WORDS[STREAM]] == ["2,000", "500.0", "+0.0", "us", "+0%"]
    assert cells[WORDS[IN_PROCESS]] == ["2,000", "500.0"]
    assert rows[-3:-1] == [
        "a bot starts in 2,000 ms",
        "a tournament of cheap bots plays and stores 2,000.0 tables a second",
    ]


def test_overhead_is_what_a_decision_takes_longer_than_the_bare_way() -> None:
    figures = {key: Figure("/s", (1000.0,)) for key in (*FLOORS, *FLOORS.values())}
    figures[STREAM] = Figure("/s", (900.0, 500.0, 100.0))
    over = overheads(figures)[STREAM]
    assert (over.micros, over.share) == (pytest.approx(1000), pytest.approx(1.0))


def test_interrupted_it_ends_at_once_and_leaves_nothing(here: League) -> None:
    process = start(here)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=LIMIT)
    assert process.returncode == 130, err
    assert out == ""
    assert "Traceback" not in err
    assert "interrupted" in err
    wait_gone(belonging_to(here.folder))


def test_killed_it_leaves_nothing(here: League) -> None:
    process = start(here)
    here.kill(process, LIMIT)
