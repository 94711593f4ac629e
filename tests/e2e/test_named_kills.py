"""A run that is killed at the worst moments, one after the other, ends as if it never was."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.e2e.events import Run
from tests.e2e.league import League, league
from tournaments.results import TableResult
from tournaments.store import Store

POINTS = {
    # A worker while its keeper starts a bot, and the runner before it has stored the second group.
    "keeper.spawn:2,store.before_commit:2": -signal.SIGKILL,
    "store.after_commit:1": -signal.SIGKILL,  # stored, and nobody was told
    # A worker in the middle of a result, and a keeper while it starts a bot.
    "worker.result:2,keeper.killed:2": 0,
}


@pytest.fixture
def home() -> Iterator[League]:
    with league() as made:
        yield made


def stored(path: Path) -> dict[int, TableResult]:
    """Returns the tables in the store at *path*, by number."""
    if not path.exists():
        return {}
    with Store.open(path) as store:
        assert store.damages() == ()
        return {result.number: result for result in store.results()}


def fingerprint(path: Path) -> str:
    with Store.open(path) as store:
        return store.fingerprint()


@pytest.mark.timeout(600)
def test_killed_at_every_named_point_a_run_keeps_what_it_told_and_ends_the_same(
    home: League,
) -> None:
    bots = ("inproc:dice:Dice", "inproc:tall:Tall", "./meek.py")
    file = home.write("night.toml", bots=bots, rounds=8, deals=2, tables_in_flight=2)
    killed, through = home.folder / "night.sqlite", home.folder / "through.sqlite"
    home.moon("tournament", "run", file, "--store", through)
    told: dict[int, list[int]] = {}
    untold = False
    for points, code in POINTS.items():
        before = stored(killed)
        with (
            TemporaryDirectory() as once,
            home.setting(MOON_TEST_CRASH=points, MOON_TEST_CRASH_ONCE=once),
        ):
            run = Run(home, file)
            assert run.end() == code, run.said
        home.check_nothing_runs()
        after = stored(killed)
        new = {event["number"]: event["scores"] for event in run.announced}
        assert not told.keys() & new.keys(), f"{points}: a table was told twice"
        told |= new
        assert before.items() <= after.items()
        assert all(list(after[number].scores) == scores for number, scores in told.items())
        assert (len(after) > len(told)) == ("after_commit" in points or untold), points
        untold = len(after) > len(told)
        assert (len(after) == 48) == (code == 0)
    assert run.said.count("a fault of moon's own: a worker ended") == 2, run.said
    assert fingerprint(killed) == fingerprint(through)
