"""`moon play --debug`: no clocks, every question and answer, and a state for every fault."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tournaments.cli.debugging import WEEK
from tournaments.cli.main import main
from tournaments.kit.states import load_state

HONEST = "inproc:sample_bots.greedy:Greedy"
REVOKES = f"cmd:{sys.executable} {Path(__file__).parent / 'bots' / 'odd.py'} revokes"


def test_all_is_shown_and_the_question_of_each_fault_is_saved(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    bots = [f"odd={REVOKES}", f"ann={HONEST}", f"bob={HONEST}"]
    words = ["--seed", "tea", "--deals", "4", "--strikes", "50", "--debug", "--sandbox", "none"]
    assert main(["play", *bots, *words]) == 0
    got = capsys.readouterr()
    assert "seed tea;" in got.out, "the result is written as ever"
    lines = got.err.splitlines()
    told = [json.loads(line) for line in lines if line.startswith("{")]
    asked, faults = [line for line in told if "asked" in line], [x for x in told if "fault" in x]
    assert {line["bot"] for line in asked} == {"odd", "ann", "bob"}
    assert len(told) == 2 * len(asked), "each question has its answer, or its fault"
    assert faults
    assert {line["fault"]["kind"] for line in faults} == {"illegal"}
    assert lines.count("odd: I know better") == len(faults), "what it writes is shown, line by line"
    for line in faults:
        question = load_state(Path(line["state"]))
        assert question.view.seat == line["seat"] == 0
        assert line["repeat"] == f"moon ask 'odd={REVOKES}' --state {line['state']}"
    answered = [line["answered"] for line in told if "answered" in line]
    assert all(set(answer) >= {"match_id", "decision_number"} for answer in answered)


def test_no_clock_is_left_and_none_can_be_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert WEEK > 600, "a breakpoint of ten minutes is survived"
    assert WEEK * 1000 < 2**31, "a message can say it"
    for option in ("--move-time", "--bank", "--startup", "--first-move"):
        assert main(["play", HONEST, HONEST, HONEST, "--debug", option, "3s"]) == 2
        assert f"{option}: --debug plays without clocks" in capsys.readouterr().err
