"""`moon tournament export` from outside: all results, for other programs."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from referee.match import dump_match, load_matches, verify_match
from tests.e2e.handmade import config, fault, store_of
from tests.e2e.inprocess import play, table_jobs
from tests.e2e.league import LIMIT, league
from tests.e2e.screen import Screen
from tournaments.results import TableResult
from tournaments.runner.jobs import Job

PAIRS = Job(
    rules="tournament-4p",
    entrants={"ann": ("./meek.py",) * 2, "bob": ("./tall.py", "./dice.py")},
    base="",
    deals=2,
)
TOURNAMENT = config("ann", "bob", rules="tournament-4p", rounds=3)


@pytest.fixture
def out(capsys: pytest.CaptureFixture[str]) -> Screen:
    return Screen(capsys)


def played() -> list[TableResult]:
    return [play(PAIRS, table) for table in table_jobs(PAIRS, rounds=3)]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Six tables that came in the wrong order, one of them with a fault and one void."""
    results = played()
    told = fault(TOURNAMENT.schedule().tables[0], 3, "illegal")
    results[0] = replace(results[0], faults=(told,))
    results[5] = replace(results[5], ending="", scores=(), places=(), record="")
    return store_of(tmp_path / "night.sqlite", TOURNAMENT, results[3:], results[:3])


def test_a_line_of_json_for_each_table_has_the_whole_record(out: Screen, store: Path) -> None:
    lines = [json.loads(line) for line in out.moon("tournament", "export", store).splitlines()]
    assert [line["number"] for line in lines] == [0, 1, 2, 3, 4], "in order, and void ones not"
    for line, wanted in zip(lines, played()[:5], strict=True):
        assert (line["table"], line["seats"]) == (wanted.id, list(wanted.seats))
        assert (line["scores"], line["places"]) == (list(wanted.scores), list(wanted.places))
        [match] = load_matches(json.dumps(each) for each in line["record"])
        verify_match(match)
        assert dump_match(match) == wanted.record
        assert "times" not in line
    assert lines[0]["faults"] == [
        {"seat": 3, "entrant": "bob", "kind": "illegal", "deal": 0, "decision": 1}
    ]


def test_times_are_added_when_they_are_asked_for(out: Screen, store: Path) -> None:
    plain = out.moon("tournament", "export", store).splitlines()
    timed = out.moon("tournament", "export", store, "--times").splitlines()
    for line, more in zip(plain, timed, strict=True):
        fields = json.loads(more)
        assert set(fields.pop("times")) == {"deals", "seats"}
        assert fields == json.loads(line)


def test_csv_has_a_line_for_each_seat_with_the_score_of_its_side(out: Screen, store: Path) -> None:
    text = out.moon("tournament", "export", store, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 5 * 4
    for row in rows:
        wanted = next(each for each in played() if each.id == row["table"])
        seat = int(row["seat"])
        assert row["entrant"] == wanted.seats[seat]
        assert int(row["score"]) == wanted.scores[seat % 2]
        assert int(row["place"]) == wanted.places[seat % 2]
        assert row["ending"] == "deals"


def test_a_run_without_tables_is_exported_as_nothing(out: Screen, tmp_path: Path) -> None:
    path = store_of(tmp_path / "empty.sqlite", TOURNAMENT)
    assert out.moon("tournament", "export", path) == ""
    assert len(out.moon("tournament", "export", path, "--format", "csv").splitlines()) == 1


def test_a_reader_who_has_enough_is_no_error() -> None:
    with league() as home:
        many = config("ann", "bob", rules="tournament-4p", rounds=60)
        store_of(
            home.folder / "n.sqlite",
            many,
            [play(PAIRS, table) for table in table_jobs(PAIRS, rounds=60)],
        )
        for form in ("jsonl", "csv"):
            process = home.start("tournament", "export", "n.sqlite", "--format", form)
            assert process.stdout is not None
            assert process.stderr is not None
            assert process.stdout.readline()
            process.stdout.close()
            assert process.wait(timeout=LIMIT) in (0, 141)
            assert process.stderr.read() == ""
            process.stderr.close()
