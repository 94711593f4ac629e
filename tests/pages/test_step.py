"""A match watched in the terminal: keys where one reads, lines where none does."""

from __future__ import annotations

import sys
from pathlib import Path

import pexpect
import pytest

from referee.match import MatchRecord, dump_match
from tests.cli.test_replay import ENV
from tests.e2e.screen import Screen
from tests.match.playing import random_match
from tournaments.cli.replay_step import _pressed
from tournaments.pages import screens
from tournaments.pages.steps import replay_of


@pytest.fixture
def match() -> MatchRecord:
    return random_match("tournament-3p", 3, deals=3, faults=0.03)


@pytest.fixture
def record(match: MatchRecord, tmp_path: Path) -> Path:
    path = tmp_path / "match.jsonl"
    path.write_text(dump_match(match))
    return path


def test_where_no_terminal_reads_every_decision_is_a_line(
    match: MatchRecord, record: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = Screen(capsys).moon("replay", "step", record)
    said = [line.split() for line in text.splitlines() if line.startswith("    ")]
    steps = [step for deal in replay_of(match).deals for step in deal.steps]
    assert [(int(words[0]), int(words[1])) for words in said] == [
        (step.number, step.seat) for step in steps
    ]
    assert "\x1b" not in text
    marks = [mark for deal in match.deals for mark in deal.faults]
    assert text.count("!") == len(marks) > 0


def test_one_decision_can_be_asked_for_and_a_seat_sees_its_own_hand(
    match: MatchRecord, record: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    screen = Screen(capsys)
    text = screen.moon("replay", "step", record, "--at", 2)
    assert "decision 2: " in text
    assert screens.HIDDEN not in text
    text = screen.moon("replay", "step", record, "--at", 2, "--seat", 1)
    assert text.count(screens.HIDDEN) == 3, "two hands and the widow"
    screen.moon("replay", "step", record, "--at", 9999, code=3)
    assert "there is no decision 9999; the last one is" in screen.error
    screen.moon("replay", "step", record, "--seat", 3, code=2)


def test_keys_go_through_all_of_the_match_and_no_further(match: MatchRecord) -> None:
    screen = screens.Screen(replay_of(match))
    steps = [len(deal.steps) for deal in screen.replay.deals]
    seen = [screen.at]
    for _ in range(sum(steps) + len(steps) + 3):
        screen = _pressed(screen, "\x1b[C")
        assert list(screen.lines())
        seen.append(screen.at)
    assert len(set(seen)) == sum(steps) + len(steps)
    assert screen.at == screens.Position(len(steps) - 1, steps[-1])
    for _ in range(sum(steps) + len(steps) + 3):
        screen = _pressed(screen, "\x1b[D")
    assert screen.at == screens.Position()
    assert _pressed(screen, "\x1b[F").at == screens.Position(0, steps[0])
    assert _pressed(screen, "\x1b[B").at == screens.Position(1)
    assert _pressed(_pressed(screen, "2"), "a").seat is None
    assert _pressed(screen, "3") == _pressed(screen, "z") == screen


def test_a_terminal_shows_one_decision_and_is_left_as_it_was(record: Path) -> None:
    words = ["-m", "tournaments.cli.main", "replay", "step", str(record)]
    env = {**ENV, "TERM": "xterm", "COLUMNS": "100", "LINES": "30"}
    child = pexpect.spawn(sys.executable, words, env=env, encoding="utf-8", timeout=120)
    child.expect("the tiles are dealt")
    child.send("\x1b[C")
    child.expect("decision 1: ")
    child.send("q")
    child.expect(r"\x1b\[\?1049l")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
