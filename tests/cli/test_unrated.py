"""Results with bots inside the program carry a mark wherever they are shown; others carry none."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.e2e.league import League, league

BOTS = ["mine=inproc:dice:Dice", "./meek.py", "yours=inproc:tall:Tall"]
MARK = "unrated: in-process bots: mine, yours"


@pytest.fixture
def here() -> Iterator[League]:
    with league() as made:
        yield made


def is_rated(here: League, *words: str) -> object:
    return json.loads(here.out(*words, "--json"))["rated"]


def test_a_match_with_bots_inside_is_marked(here: League) -> None:
    assert MARK in here.out("play", *BOTS, "--deals", 1).splitlines()
    assert is_rated(here, "play", *BOTS, "--deals", "1") is False


def test_a_match_of_processes_is_not_marked(here: League) -> None:
    text = here.out("play", "./meek.py", "./dice.py", "./tall.py", "--deals", 1)
    assert "unrated" not in text
    assert is_rated(here, "play", "./meek.py", "./dice.py", "./tall.py", "--deals", "1") is True


def test_a_run_with_bots_inside_is_marked_in_its_standings_and_description(here: League) -> None:
    here.write("night.toml", bots=BOTS)
    assert MARK in here.out("tournament", "run", "night.toml").splitlines()
    for command in ("standings", "show"):
        assert MARK in here.out("tournament", command, "night.toml").splitlines()
        assert is_rated(here, "tournament", command, "night.toml") is False


def test_a_run_of_processes_is_not_marked(here: League) -> None:
    here.write("night.toml")
    assert "unrated" not in here.out("tournament", "run", "night.toml")
    for command in ("standings", "show"):
        assert "unrated" not in here.out("tournament", command, "night.toml")
        assert is_rated(here, "tournament", command, "night.toml") is True
