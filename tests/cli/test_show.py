"""`moon tournament show` from outside: a run as a whole, its faults, and one table."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.e2e.handmade import config, fault, store_of
from tests.e2e.inprocess import play, table_jobs
from tests.e2e.screen import Screen
from tournaments.results import FaultRow, TableResult
from tournaments.runner.jobs import Job
from tournaments.store import Store

JOB = Job(
    rules="tournament-3p",
    entrants={"ann": ("./meek.py",), "bob": ("./tall.py",), "cyd": ("./dice.py",)},
    base="",
    deals=2,
)
TOURNAMENT = config("ann", "bob", "cyd")


@pytest.fixture
def out(capsys: pytest.CaptureFixture[str]) -> Screen:
    return Screen(capsys)


def played() -> list[TableResult]:
    return [play(JOB, table) for table in table_jobs(JOB)]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Four played tables, one of them with a fault; a void one; and one that is missing."""
    results = played()
    table = TOURNAMENT.schedule().tables[1]
    told = replace(
        fault(table, 2, "timeout", substitute="play 4-4"),
        detail="no answer within 2 s",
        question="play; legal: play 4-4, play 6-4",
        stderr_tail="first line\nthe last line\n",
    )
    void = replace(results[4], ending="", attempt=3, scores=(), places=(), record="")
    faulty = replace(results[1], faults=(told,))
    return store_of(
        tmp_path / "night.sqlite", TOURNAMENT, [results[0], faulty, *results[2:4], void]
    )


def test_the_run_is_shown_with_what_is_played_and_what_happened(out: Screen, store: Path) -> None:
    with Store.open(store) as opened:
        opened_fingerprint = opened.fingerprint()
    lines = out.moon("tournament", "show", store).splitlines()
    assert lines[0] == "night: 4 of 6 tables played, 1 void"
    assert lines[1:3] == ["rules tournament-3p", "entrants ann, bob, cyd"]
    assert lines[4] == f"fingerprint {opened_fingerprint}"
    assert any(" created: 1" in line for line in lines)
    assert any(" void: table 1.1, attempt 3" in line for line in lines)
    assert "timeout" not in "\n".join(lines), "faults are listed when they are asked for"


def test_faults_are_listed_with_table_reason_substitute_and_last_words(
    out: Screen, store: Path
) -> None:
    text = out.moon("tournament", "show", store, "--faults")
    assert "table 0.1: fault: ann (seat 2), deal 0, decision 1: timeout: no answer" in text
    assert "played for it: play 4-4" in text
    assert "stderr: the last line" in text
    assert "first line" not in text
    [listed] = json.loads(out.moon("tournament", "show", store, "--faults", "--json"))["faults"]
    assert (listed["table"], listed["entrant"], listed["kind"]) == ("0.1", "ann", "timeout")
    assert listed["question"] == "play; legal: play 4-4, play 6-4"
    assert listed["stderr_tail"] == "first line\nthe last line\n"


def test_faults_begin_with_their_number_and_one_cause_is_told_once(
    out: Screen, tmp_path: Path
) -> None:
    results = played()
    tables = TOURNAMENT.schedule().tables

    def crash(number: int, line: int, value: int, substitute: str) -> FaultRow:
        stderr = f'  File "bot.py", line {line}, in play\nKeyError: {value}\n'
        row = fault(tables[number], 0, "crashed", substitute=substitute)
        return replace(row, decision=value, detail="the process ended", stderr_tail=stderr)

    rows = [(0, 30, 4, "pass"), (0, 30, 6, ""), (1, 30, 9, ""), (1, 77, 11, "")]
    faults = [[crash(*row) for row in rows if row[0] == number] for number in (0, 1)]
    entrant = faults[0][0].entrant
    faults[1] = [replace(row, entrant=entrant) for row in faults[1]]
    stored = [replace(r, faults=tuple(own)) for r, own in zip(results, faults, strict=False)]
    store = store_of(tmp_path / "night.sqlite", TOURNAMENT, stored)
    with Store.open(store, readonly=False) as opened:
        opened.note("sandbox", '{"limits":"memory=1GiB","promises":{"disk":{}},"tier":"basic"}')
    text = out.moon("tournament", "show", store, "--faults")
    assert text.splitlines()[1] == f"4 faults at 2 tables: {entrant} 4 crashed"
    again = "the same 2 more times: table 0.0, deal 0, decision 6; table 0.1, deal 0, decision 9"
    which = "table 0.0, deal 0, decision 6; table 0.1, deal 0, decision 9"
    assert f"  {again}; 2 of them forfeit the match: {which}\n" in text
    assert text.count("fault: ") == 2, "what another line has raised is another fault"
    assert " sandbox: limits memory=1GiB; tier basic; more of it with --json" in text


def test_a_run_without_faults_says_so(out: Screen, tmp_path: Path) -> None:
    store = store_of(tmp_path / "clean.sqlite", TOURNAMENT)
    assert out.moon("tournament", "show", store, "--faults").count("no faults") == 1
    assert "no faults" not in out.moon("tournament", "show", store), "nobody asked"


def test_the_run_as_json_has_the_counts_and_never_the_seed(out: Screen, store: Path) -> None:
    with Store.open(store) as opened:
        seed = opened.run.seed
    text = out.moon("tournament", "show", store, "--json")
    document = json.loads(text)
    assert document["schema"] == "moon.tournament.show/1"
    counts = [document[name] for name in ("scheduled", "played", "void")]
    assert counts == [6, 4, 1]
    assert document["entrants"] == ["ann", "bob", "cyd"]
    assert f'"{seed}"' not in text


def test_one_table_is_shown_as_a_match_is(out: Screen, store: Path) -> None:
    text = out.moon("tournament", "show", store, "--table", "0.1")
    assert text.startswith("table 0.1, attempt 1, 20")
    assert "2 deals, all played; rules tournament-3p" in text
    assert "fault: ann (seat 2)" in text
    assert f"moon replay show {store} --table 0.1 draws it" in text
    document = json.loads(out.moon("tournament", "show", store, "--table", "0.1", "--json"))
    assert document["schema"] == "moon.tournament.show.table/1"
    assert document["seats"] == ["bob", "cyd", "ann"]
    wanted = played()[1]
    by_bot = {side["entrants"][0]: (side["score"], side["place"]) for side in document["sides"]}
    expected = zip(wanted.seats, zip(wanted.scores, wanted.places, strict=True), strict=True)
    assert by_bot == dict(expected)


def test_the_hint_on_how_to_draw_a_table_works(out: Screen, store: Path) -> None:
    assert "trick 7" in out.moon("replay", "show", store, "--table", "0.1")


def test_a_void_table_says_so(out: Screen, store: Path) -> None:
    text = out.moon("tournament", "show", store, "--table", "1.1")
    assert "attempt 3" in text
    assert "will be played again" in text
    document = json.loads(out.moon("tournament", "show", store, "--table", "1.1", "--json"))
    assert (document["table"], document["void"], document["attempt"]) == ("1.1", True, 3)


@pytest.mark.parametrize("table", ["1.2", "7.7", "x", "", "0"])
def test_a_table_that_is_not_stored_is_not_found(out: Screen, store: Path, table: str) -> None:
    assert out.moon("tournament", "show", store, "--table", table, code=3) == ""
    assert f"table {table!r} is not stored" in out.error
