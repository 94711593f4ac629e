"""`moon tournament h2h` from outside: everybody against everybody, from both sides."""

from __future__ import annotations

import csv
import io
import json
from itertools import permutations
from pathlib import Path

import pytest

from tests.e2e.handmade import config, result, store_of
from tests.e2e.screen import Screen

NAMES = ("ann", "bob", "cyd")
TOURNAMENT = config(*NAMES)
POINTS = ({"ann": 3, "bob": 0, "cyd": 1},) * 3 + ({"ann": 5, "bob": 2, "cyd": 5},) * 3
"""By table: who got how many points, in one deal each. A block has three tables."""


@pytest.fixture
def out(capsys: pytest.CaptureFixture[str]) -> Screen:
    return Screen(capsys)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    results = [
        result(table, [points[name] for name in table.seats])
        for table, points in zip(TOURNAMENT.schedule().tables, POINTS, strict=True)
    ]
    return store_of(tmp_path / "night.sqlite", TOURNAMENT, results)


def test_every_two_have_a_line_each_way_in_points_a_deal(out: Screen, store: Path) -> None:
    titles, *lines = out.moon("tournament", "h2h", store).splitlines()
    rows, notes = lines[:6], lines[6:]
    assert titles.split() == [
        "entrant", "against", "blocks", "tables", "ahead", "level", "behind", "pts/deal", "95%",
    ]  # fmt: skip
    cells = {tuple(row.split()[:2]): row.split()[2:] for row in rows}
    assert set(cells) == set(permutations(NAMES, 2))
    assert cells["ann", "bob"] == ["2", "6", "6", "0", "0", "+3.00", "-"], "all alike"
    assert cells["ann", "cyd"] == ["2", "6", "3", "3", "0", "+1.00", "-"], "two blocks say little"
    assert cells["cyd", "ann"] == ["2", "6", "0", "3", "3", "-1.00", "-"]
    text = " ".join(notes)
    assert "by how much the entrant was ahead of the other, in points a deal" in text
    assert "a short match counts as much as a long one" in text
    assert "- with fewer than 5 blocks, or if all are alike" in text


def test_from_five_blocks_on_there_is_an_interval(out: Screen, tmp_path: Path) -> None:
    tournament = config(*NAMES, rounds=3)
    results = [
        result(
            table, [{"ann": 3 + table.block % 2, "bob": 0, "cyd": 3}[who] for who in table.seats]
        )
        for table in tournament.schedule().tables
    ]
    store = store_of(tmp_path / "night.sqlite", tournament, results)
    rows = [line.split() for line in out.moon("tournament", "h2h", store).splitlines()]
    cells = {tuple(row[:2]): row[-3:] for row in rows}
    assert cells["ann", "bob"] == ["+2.93", "to", "+4.07"]
    assert cells["bob", "cyd"][-2:] == ["-3.00", "-"], "blocks that are alike show no spread"
    lines = csv.DictReader(io.StringIO(out.moon("tournament", "h2h", store, "--csv")))
    assert {(line["low"], line["high"]) for line in lines if "ann" not in line.values()} == {
        ("", "")
    }


def test_json_and_csv_agree_and_the_two_sides_of_a_pair_mirror_each_other(
    out: Screen, store: Path
) -> None:
    document = json.loads(out.moon("tournament", "h2h", store, "--json"))
    assert (document["schema"], document["name"]) == ("moon.tournament.h2h/1", "night")
    rows = {(row["entrant"], row["other"]): row for row in document["rows"]}
    assert len(rows) == 6
    for (one, other), row in rows.items():
        mirror = rows[other, one]
        assert row["difference"] == -mirror["difference"]
        assert row["low"] is row["high"] is None, "of two blocks"
        assert row["ahead"] + row["level"] + mirror["ahead"] == row["tables"]
    table = list(csv.DictReader(io.StringIO(out.moon("tournament", "h2h", store, "--csv"))))
    for line in table:
        row = rows[line["entrant"], line["other"]]
        told = {key: type(row[key])(value) if value else None for key, value in line.items()}
        assert told == row


def test_one_entrant_can_be_asked_for_and_must_exist(out: Screen, store: Path) -> None:
    document = json.loads(out.moon("tournament", "h2h", store, "--of", "bob", "--json"))
    assert {(row["entrant"], row["other"]) for row in document["rows"]} == {
        ("bob", "ann"),
        ("bob", "cyd"),
    }
    assert out.moon("tournament", "h2h", store, "--of", "bobb", code=3) == ""
    assert "did you mean 'bob'?" in out.error


def test_who_never_met_has_a_dash_and_null(out: Screen, tmp_path: Path) -> None:
    path = store_of(tmp_path / "night.sqlite", TOURNAMENT)
    rows = out.moon("tournament", "h2h", path).splitlines()[1:7]
    assert all(row.split()[2:] == ["0", "0", "0", "0", "0", "-", "-"] for row in rows)
    document = json.loads(out.moon("tournament", "h2h", path, "--json"))
    assert {row["difference"] for row in document["rows"]} == {None}


def test_long_names_are_whole_on_a_narrow_terminal(
    out: Screen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("a name of twenty-four ch", "another of twenty-four c", "bob")
    tournament = config(*names)
    results = [result(table, (3, 2, 1)) for table in tournament.schedule().tables]
    path = store_of(tmp_path / "night.sqlite", tournament, results)
    monkeypatch.setenv("COLUMNS", "80")
    text = out.moon("tournament", "h2h", path)
    assert "…" not in text
    assert all(text.count(name) == 4 for name in names[:2])
    assert "left out, as this is narrow: " in text
    assert max(map(len, text.splitlines())) <= 80


def test_partners_have_a_line_each_way_and_with_themselves(out: Screen, tmp_path: Path) -> None:
    tournament = config(*"abcdefg", rules="tournament-4p", form="mixed")
    played = [result(table, (2, 1)) for table in tournament.schedule().tables]
    store = store_of(tmp_path / "night.sqlite", tournament, played)
    document = json.loads(out.moon("tournament", "h2h", store, "--partners", "--of", "a", "--json"))
    rows = {row["partner"]: row for row in document["rows"]}
    assert sorted(rows) == [*"abcdefg"]
    assert {(row["entrant"], row["tables"], row["blocks"]) for row in rows.values()} == {
        ("a", 4, 1)
    }
    assert [row["bonus"] for row in document["own_partner"]] == pytest.approx([0.0])
    text = out.moon("tournament", "h2h", store, "--partners")
    assert text.startswith("entrant  with ")
    assert "as its own partner, points a deal beyond what skills of partners add up to:" in text


def test_nobody_has_partners_where_nobody_changes_them(out: Screen, store: Path) -> None:
    out.moon("tournament", "h2h", store, "--partners", code=2)
    assert "--partners: nobody changes partners in night; leave it out" in out.error
