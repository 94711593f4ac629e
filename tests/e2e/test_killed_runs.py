"""A run that is killed loses nothing that was stored, leaves nobody, and is continued."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from referee.errors import StoreError
from tests.e2e.league import League, league
from tournaments.store import Store

KILLS = 3
GONE = 20.0
"""Seconds within which everybody has to be gone here; it takes less than one on an idle machine."""


@pytest.fixture(scope="module")
def home() -> Iterator[League]:
    with league() as made:
        yield made


def played(store: Path) -> int:
    """Returns how many tables are stored by now."""
    try:
        with Store.open(store) as opened:
            return opened.counts().played
    except StoreError:  # it is not there yet
        return 0


def has_played(store: Path, wanted: int) -> bool:
    """Returns whether so many tables are stored."""
    return played(store) >= wanted


def all_but_measured(home: League, store: Path) -> tuple[str, str]:
    """Returns the standings without what was measured, and every record."""
    standings = json.loads(home.out("tournament", "standings", store, "--json"))
    assert standings.pop("measured")
    assert standings.pop("host")
    return json.dumps(standings), home.out("tournament", "export", store, "--format", "jsonl")


@pytest.mark.timeout(600)
def test_a_run_killed_three_times_and_continued_equals_one_that_ran_through(home: League) -> None:
    file = home.write("night.toml", rounds=17, deals=3, workers=2)
    through, killed = home.folder / "through.sqlite", home.folder / "killed.sqlite"
    home.moon("tournament", "run", file, "--store", through, "--workers", 1)
    rng = random.Random(20)
    tables = 17 * 6
    stored = 0
    for kill in range(KILLS):
        # The first one comes while bots start, the others at two places of the schedule.
        wanted = stored + 1 + rng.randrange(tables // KILLS) if kill else 0
        process = home.start("tournament", "run", file, "--store", killed)
        home.wait(process, partial(has_played, killed, wanted), f"{wanted} tables are stored")
        time.sleep(rng.uniform(0.0, 1.5 if kill == 0 else 0.2))
        before = played(killed)
        assert process.poll() is None, "it ended before it could be killed"
        home.kill(process, GONE)
        stored = played(killed)
        assert before <= stored < tables
    assert stored > 0
    home.moon("tournament", "run", file, "--store", killed)
    assert all_but_measured(home, killed) == all_but_measured(home, through)


def test_when_the_runner_is_killed_its_workers_do_not_play_on(home: League) -> None:
    bots = ["./meek.py", "./tall.py", "./stuck.py"]
    clock = {"move_time": 3600, "first_move": 3600}
    file = home.write("stuck.toml", bots=bots, clock=clock, sandbox="none")  # it leaves a file
    process = home.start("tournament", "run", file)
    home.wait(process, (home.folder / "asked").exists, "a bot is asked")
    home.kill(process, GONE)  # the bot alone would think for an hour
