"""The command `moon bot zoo`: what it shows, and what it exits with."""

from __future__ import annotations

import json

import pytest

from tournaments.cli.main import main


def test_the_list_shows_what_there_is_and_what_is_promised(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["bot", "zoo", "--list", "--sandbox", "hardened", "--only", "I"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert [row.split()[0] for row in rows[1:]][:3] == ["I1a", "I1b", "I2"]
    assert "reads and traces the referee" in rows[1]
    assert rows[1].endswith("prevented")


def test_a_wrong_name_is_told_with_its_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bot", "zoo", "--only", "P7x"]) == 3
    assert "did you mean 'P7" in capsys.readouterr().err
    assert main(["bot", "zoo", "--only", "quux"]) == 3
    assert capsys.readouterr().err.endswith("'quux' in the zoo (--list shows all)\n")


def test_an_id_is_known_in_either_case(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bot", "zoo", "--list", "--only", "p8C,i1A"]) == 0
    assert [row.split()[0] for row in capsys.readouterr().out.splitlines()[1:]] == ["P8c", "I1a"]


def test_what_was_tried_is_one_document_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bot", "zoo", "--sandbox", "none", "--only", "I4,P8c,P1c", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["sandbox"], document["broken"]) == (
        "moon.bot.zoo/1",
        "none",
        0,
    )
    rows = {row["id"]: row for row in document["behaviours"]}
    assert {name: (row["seen"], row["verdict"]) for name, row in rows.items()} == {
        "P1c": ("detected", "start"),
        "P8c": ("detected", "crashed"),
        "I4": ("prevented", "ok"),
    }
    assert document["left"] == []
    assert set(document["host"]) == {"system", "user", "python", "date", "code_version"}


def test_people_see_a_row_for_each_and_what_it_comes_to(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["bot", "zoo", "--sandbox", "none", "--only", "P1c"]) == 0
    head, row, summary = capsys.readouterr().out.splitlines()
    assert head.split() == ["a", "bot", "that", "promised", "seen", "verdict"]
    assert row.split()[-4:] == ["detected", "detected", "start", "ok"]
    assert summary == (
        "1 behaviour in none: 1 detected; every promise kept; honest bots harmed in 0"
    )
