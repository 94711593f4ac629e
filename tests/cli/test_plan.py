"""`moon tournament plan` from outside: what will be played, how evenly, and how long it takes."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.handmade import config, result, store_of
from tests.e2e.screen import Screen
from tournaments.cli.plan import ENOUGH_TABLES
from tournaments.store import Store


@pytest.fixture
def out(capsys: pytest.CaptureFixture[str]) -> Screen:
    return Screen(capsys)


def plan(out: Screen, *words: object) -> dict[str, Any]:
    document = json.loads(out.moon("tournament", "plan", *words, "--json"))
    assert document["schema"] == "moon.tournament.plan/1"
    return dict(document)


def balance(document: dict[str, Any]) -> dict[str, tuple[int, int]]:
    return {row["what"]: (row["least"], row["most"]) for row in document["balance"]}


def test_a_plan_shows_rounds_tables_time_and_balance(out: Screen) -> None:
    text = out.moon("tournament", "plan", "--entrants", "8", "--format", "mendelsohn",
                    "--table-time", "30s")  # fmt: skip
    head, places, size, time, _, titles, *rows = text.splitlines()
    assert head == "8 entrants: mendelsohn, every two meet twice, once to the left of each other"
    assert places == "8 entrants and 1 house bot, 3 seats at a table"
    assert size == "8 rounds, 72 tables in 24 blocks of 3"
    assert time.startswith("about ")
    assert titles.split() == ["balance", "of", "least", "most"]
    counts = {" ".join(r.split()[:-3]): r.split()[-2:] for r in rows if "everybody" in r}
    assert counts == {
        "blocks of an entrant": ["8", "8"],
        "tables in a seat": ["8", "8"],
        "rounds sat out": ["0", "0"],
        "blocks ahead of another, at any time": ["0", "1"],
        "meetings of two": ["2", "2"],
        "tables to the left of another": ["3", "3"],
    }
    assert sum(row.startswith("round ") for row in rows) == 8
    assert "round 1: house-1, 1, 5 | 6, 3, 4 | 7, 2, 8" in rows


def test_the_time_is_that_of_the_tables_one_after_the_other_in_each_worker(
    out: Screen, tmp_path: Path
) -> None:
    file = tmp_path / "night.toml"
    file.write_text('bots = ["greedy", "greedy", "greedy", "random"]\nworkers = 3\n')
    document = plan(out, file, "--table-time", "2s")
    assert (document["tables"], document["workers"], document["seconds"]) == (24, 3, 16.0)


@pytest.mark.parametrize(
    ("apart", "seconds"), [(2, 2 * 360), (0, None)], ids=["two seconds", "all at once"]
)
def test_a_store_says_how_long_its_tables_took_unless_it_is_too_short(
    out: Screen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, apart: int, seconds: float | None
) -> None:
    tournament = config("ann", "bob", "cyd", rounds=60)
    path = tmp_path / "night.sqlite"
    store_of(path, tournament, [])
    file = tmp_path / "night.toml"
    file.write_text('bots = ["greedy", "greedy", "greedy"]\nrounds = 60\n')
    with Store.open(path, readonly=False) as store:
        for number, table in enumerate(tournament.schedule().tables[: 2 * ENOUGH_TABLES]):
            # After the first half the run was stopped for a day.
            at = datetime(2030, 1, 1) + timedelta(
                days=number // ENOUGH_TABLES, seconds=number * apart
            )
            monkeypatch.setattr("tournaments.store.stores.now", lambda at=at: f"{at.isoformat()}Z")
            store.add_results([result(table, (1, 2, 3))])
    document = plan(out, file)
    if seconds is None:
        assert document["seconds_from"].startswith("for bots that hardly think")
    else:
        assert (document["seconds"], document["seconds_from"]) == (seconds, f"as in {path}")


def test_a_plan_of_a_file_names_its_bots_and_fills_places_with_its_house_bots(
    out: Screen, tmp_path: Path
) -> None:
    file = tmp_path / "night.toml"
    file.write_text(
        'bots = ["random", "greedy", "counter", "sampler", "a=greedy"]\n'
        'format = "mendelsohn"\nhouse = ["first_legal"]\nname = "Night"\n'
    )
    document = plan(out, file)
    assert document["entrants"][:5] == ["random", "greedy", "counter", "sampler", "a"]
    assert document["house"] == document["entrants"][5:] == ["house-1", "house-2"]
    assert (document["name"], document["format"], document["blocks"]) == ("Night", "mendelsohn", 14)


def test_every_table_is_listed_with_its_seats(out: Screen) -> None:
    document = plan(out, "--entrants", "4")
    blocks = [block for one_round in document["rounds"] for block in one_round["blocks"]]
    assert [block["block"] for block in blocks] == list(range(8))
    assert blocks[0]["tables"] == [["1", "2", "3"], ["2", "3", "1"], ["3", "1", "2"]]
    assert document["rounds"][0]["sit_out"] == ["4"]


def test_more_rounds_are_played_the_other_way_round_the_table(out: Screen) -> None:
    once = balance(plan(out, "--entrants", "9", "--format", "kirkman"))
    twice = balance(plan(out, "--entrants", "9", "--format", "kirkman", "--rounds", "2"))
    assert once["tables to the left of another"] == (0, 3)
    assert twice["tables to the left of another"] == (3, 3)


def test_single_bots_are_counted_as_partners_and_as_opponents(out: Screen) -> None:
    counts = balance(plan(out, "--entrants", "11", "--seats", "4", "--format", "mixed"))
    assert counts["as partners"] == counts["meetings as its own partner"] == (1, 1)
    assert counts["as opponents"] == (2, 2)


def test_an_export_holds_the_rounds_and_what_must_be_counted_in_them(
    out: Screen, tmp_path: Path
) -> None:
    path = tmp_path / "plan.json"
    out.moon("tournament", "plan", "--entrants", "7", "--format", "mendelsohn", "--export", path)
    design = json.loads(path.read_text())
    assert (design["kind"], design["expand"], len(design["players"])) == ("ffa3", "rotations", 7)
    assert design["expect"]["pair_count"] == 2
    assert design["expect"]["left_neighbour_count"] == 3
    tables = [table for one_round in design["rounds"] for table in one_round["tables"]]
    assert len(tables) == 14
    for one_round in design["rounds"]:
        playing = [who for table in one_round["tables"] for who in table]
        assert sorted(playing + one_round["byes"]) == sorted(design["players"])


def test_a_large_round_robin_is_told_of_the_shorter_format(out: Screen) -> None:
    text = out.moon("tournament", "plan", "--entrants", "17")
    assert '"mendelsohn" has 114 blocks a round' in text
    assert "more rounds; --json lists all" in text
    assert "mendelsohn" not in out.moon("tournament", "plan", "--entrants", "16")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ([], "give a tournament file, or --entrants N; one of them"),
        (["night.toml", "--entrants", "5"], "give a tournament file, or --entrants N; one of them"),
        (["night.toml", "--seats", "4"], "--seats: the rules in night.toml say how many sit"),
        (["--entrants", "5", "--format", "circle"], '--format: "circle" is for 4 seats at a table'),
        (["--entrants", "3", "--format", "gauntlet"], "--entrants: the format \"gauntlet\" needs"),
        (["--entrants", "2"], "--entrants: a table with 3 seats needs at least 3 entrants, got 2"),
        (["--entrants", "5", "--export", "no/such/place"], "cannot be written: no such file"),
    ],
)  # fmt: skip
def test_what_cannot_be_planned_is_refused_with_the_reason(
    out: Screen, words: list[str], problem: str
) -> None:
    out.moon("tournament", "plan", *words, code=2)
    assert problem in out.error
