"""`moon tournament run` plays what `moon tournament plan` shows, in every format."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.league import League, league
from tournaments.store import Store

INSIDE = "inproc:sample_bots.first_legal:FirstLegal"


@pytest.fixture
def home() -> Iterator[League]:
    with league() as made:
        yield made


def write(home: League, form: str, count: int, **more: object) -> Path:
    return home.write("night.toml", bots=[INSIDE] * count, format=form, sandbox="none", **more)


@pytest.mark.parametrize(
    ("form", "count", "more"),
    [
        ("mendelsohn", 3, {}),
        ("mendelsohn", 5, {"house": INSIDE}),
        ("kirkman", 3, {}),
        ("gauntlet", 4, {}),
        ("circle", 3, {"rules": "tournament-4p"}),
        ("gauntlet", 3, {"rules": "tournament-4p"}),
        ("whist", 4, {"rules": "tournament-4p"}),
        ("mixed", 4, {"rules": "tournament-4p", "house": INSIDE}),
    ],
)
def test_a_run_plays_the_tables_of_the_plan_and_is_then_complete(
    home: League, form: str, count: int, more: dict[str, object]
) -> None:
    file = write(home, form, count, **more)
    planned = json.loads(home.out("tournament", "plan", file, "--json"))
    home.moon("tournament", "run", file)
    with Store.open(home.folder / "night.sqlite") as store:
        played = [list(result.seats) for result in store.results()]
    assert played == [
        seats
        for one_round in planned["rounds"]
        for block in one_round["blocks"]
        for seats in block["tables"]
    ]
    again = home.moon("tournament", "run", file)
    assert f"all {planned['tables']} tables are played" in again.stderr
    assert ": 0 differences" in home.out("replay", "verify", "night.sqlite")


def test_a_design_in_which_nothing_can_be_rated_is_planned_and_not_played(home: League) -> None:
    file = write(home, "mixed", 3, rules="tournament-4p")
    home.moon("tournament", "plan", file)
    refused = home.moon("tournament", "run", file, code=2)
    assert "night.toml: bots: with 3 entrants the format" in refused.stderr
    assert not (home.folder / "night.sqlite").exists()


def test_a_run_is_not_continued_in_another_format(home: League) -> None:
    file = write(home, "mendelsohn", 3)
    home.moon("tournament", "run", file)
    refused = home.moon("tournament", "run", file, "--format", "round-robin", code=2)
    assert "format: mendelsohn -> round-robin" in refused.stderr
