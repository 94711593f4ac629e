"""The page of a match: it tells what the record tells, and does nothing that a record says."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from referee.match import Fault, MatchRecord, dump_match
from referee.match.notation import EXAMPLE, read_line
from tests.e2e.handmade import config, store_of
from tests.match.playing import random_match
from tests.pages.reading import Page, check_is_closed
from tournaments.cli.main import main
from tournaments.pages.match_page import match_page
from tournaments.pages.rendering import LONGEST_NAME
from tournaments.pages.steps import Beside, replay_of, replay_of_line
from tournaments.results import FaultRow, TableResult
from tournaments.schedule import EntrantId

RULES = [
    "tournament-3p",
    "wikihow-3p",
    "tournament-4p",
    "tournament-3p exchange=optional",
    "tournament-3p led_suit=leader_calls",
    "tournament-3p play_out=stop_when_decided",
]
HOSTILE = (
    "</script><script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)> \u202eevil\u202c </bdi><!--",
    "x" * 5000,
)


def page_of(match: MatchRecord, beside: Beside | None = None) -> Page:
    return check_is_closed(match_page(replay_of(match, beside)))


@pytest.mark.parametrize("rules", RULES)
def test_who_follows_the_steps_ends_where_the_record_does(rules: str) -> None:
    match = random_match(rules, 7, deals=4, faults=0.01)
    page = page_of(match)
    [replay] = page.data["replays"]
    number = 1
    for told, deal in zip(replay["deals"], match.deals, strict=True):
        assert told["first"] == number
        hands = [set(hand.split()) for hand in told["hands"]]
        won = [0] * len(hands)
        laid = []
        for step in told["steps"]:
            if "gains" in step:
                hands[step["gains"][0]].add(step["gains"][1])
            if step["k"] in ("play", "discard") and "c" in step:
                hands[step["s"]].remove(step["c"])
            if step["k"] == "play" and "c" in step:
                assert step["c"] in step["legal"].split()
                laid.append(step["c"])
            if "wins" in step:
                won[step["wins"]] += 1
        assert laid == [str(tile) for tile in deal.plays]
        assert tuple(won) == deal.tricks_won
        assert told["points"] == (None if deal.points is None else list(deal.points))
        at = {mark.at: mark.kind for mark in deal.faults}
        assert {n: s["fault"] for n, s in enumerate(told["steps"]) if "fault" in s} == at
        number += sum(not step["say"].startswith("forfeits") for step in told["steps"])
    points = [told["points"] or [0] * len(match.result.scores) for told in replay["deals"]]
    assert tuple(map(sum, zip(*points, strict=True))) == match.result.scores
    podium = page.all("ol", "podium")[0].text
    assert all(f" {score}" in podium for score in match.result.scores)


def test_every_decision_has_an_address_its_time_and_its_fault() -> None:
    match = random_match("tournament-3p", 3, deals=3, faults=0.03)
    deal = next(deal for deal in match.deals if deal.faults)
    mark = deal.faults[0]
    before = sum(
        len(each.bids) + len(each.plays) + (each.trump is not None) + (each.discarded is not None)
        for each in match.deals[: deal.number]
    )
    number = before + mark.at + 1
    fault = Fault(mark.kind, "what <i>happened</i>", "exit code 3", "last words\n\x1b[31m")
    micros = tuple(tuple(1000 * (at + 1) for at in range(40)) for _ in match.deals)
    page = page_of(match, Beside(micros, {number: fault}))
    decision = page.one(f"d{deal.number}.{number}")
    assert decision.attributes["href"] == f"#d{deal.number}.{number}"
    assert "faulty" in decision.attributes["class"]
    assert f"{mark.at + 1}.0 ms" in decision.attributes["title"]
    [note] = [each for each in page.all("details") if f"Decision {number}:" in each.text]
    for told in ("what <i>happened</i>", "exit code 3", "last words", "\\x1b[31m", mark.kind):
        assert told in note.text
    assert "\x1b" not in page.source


def test_names_of_strangers_are_text_and_nothing_else() -> None:
    match = random_match("tournament-3p", 1, deals=1, seats=HOSTILE)
    page = page_of(match)
    data, script = page.all("script")
    assert data.attributes["type"] == "application/json"
    assert "alert" in data.text
    assert "alert" not in script.text
    names = page.data["replays"][0]["seats"]
    assert names[0] == HOSTILE[0]
    assert "\\u202e" in names[1]
    assert max(map(len, names)) == LONGEST_NAME
    assert not set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069") & set(page.source)
    assert HOSTILE[0] in [each.text for each in page.all("bdi")]
    assert "<script>" in page.all("title")[0].text


def test_a_chat_line_has_a_page_and_its_deal_no_match() -> None:
    line = read_line(EXAMPLE)
    page = check_is_closed(match_page(replay_of_line(line, "here")))
    assert len(page.all("article", "sheet")) == 1
    assert not page.all("ol", "podium")
    assert page.data["replays"][0]["deals"][0]["before"] == []


# The command


def run(*words: object, code: int = 0) -> None:
    assert main(["replay", "html", *map(str, words)]) == code


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    match = random_match("tournament-3p", 3, deals=2)
    (tmp_path / "night.jsonl").write_text(dump_match(match))
    other = replace(match, table="18.0")
    (tmp_path / "two.jsonl").write_text(dump_match(match) + dump_match(other))
    return tmp_path


def test_a_page_is_named_after_what_it_shows_and_replaces_only_pages(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):
        run("night.jsonl")
        assert re.fullmatch(r"night-17\.2\.html: \d+ kB\n", capsys.readouterr().out)
    page = here / "night-17.2.html"
    assert len(check_is_closed(page.read_text()).all("article", "sheet")) == 2
    page.write_text("my own notes")
    run("night.jsonl", code=2)
    assert "is no page of moon; name another with -o FILE" in capsys.readouterr().err
    assert page.read_text() == "my own notes"
    run("night.jsonl", "-o", page)
    assert page.read_text().startswith("<!doctype html>")
    assert sorted(each.name for each in here.iterdir()) == [
        "night-17.2.html", "night.jsonl", "two.jsonl",
    ]  # fmt: skip


def test_where_there_are_several_matches_one_has_to_be_named(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("two.jsonl", code=2)
    assert "several matches; say which, like --table 17.2" in capsys.readouterr().err
    run("two.jsonl", "--table", "18.0", "-o", "-")
    assert "table 18.0" in capsys.readouterr().out
    run("two.jsonl", "--table", "5.5", code=3)
    run("night.jsonl", "-o", "no/such/folder/page.html", code=2)
    assert "cannot be written" in capsys.readouterr().err
    assert len(list(here.iterdir())) == 2


def test_the_page_of_a_table_in_a_store_knows_times_and_what_bots_wrote(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tournament = config("ann", "bob", "cyd")
    table = tournament.schedule().tables[0]
    match = replace(
        random_match("tournament-3p", 3, deals=3, faults=0.05, seats=table.seats), table=table.id
    )
    at = match.deals[0].faults[0]
    row = FaultRow(
        at.seat, EntrantId(table.seats[at.seat]), at.kind.value, 0, at.at + 1,
        detail="<late>", stderr_tail="Traceback", substitute="pass",
    )  # fmt: skip
    timings = json.dumps({"deals": [[2500] * 30] * len(match.deals), "seats": []})
    result = TableResult(
        table.number, table.block, table.lane, table.seats, match.result.ending.value,
        match.result.scores, match.result.places, dump_match(match), timings, (row,),
    )  # fmt: skip
    store_of(here / "night.sqlite", tournament, [result])
    run("night.sqlite", code=2)
    assert "a run has many tables; say which, like --table 0.0" in capsys.readouterr().err
    run("night.sqlite", "--table", table.id, "-o", "-")
    page = check_is_closed(capsys.readouterr().out)
    assert "2.5 ms" in page.source
    assert any("<late>" in note.text and "Traceback" in note.text for note in page.all("details"))
