"""What docs/records.md shows is true: its examples are run, and no key goes unexplained."""

from __future__ import annotations

import io
import json
import re
import shlex
import sys
from pathlib import Path

import pytest

from referee.match import (
    DealLine,
    Ending,
    FaultKind,
    dump_line,
    dump_match,
    load_matches,
    read_line,
    verify_line,
    verify_match,
)
from referee.match.log import DEAL_KEYS, END_KEYS, HEAD_KEYS
from referee.match.notation import KEYS
from referee.rules import deal_tiles, presets, seed_key
from tests.match.playing import random_match
from tests.match.test_notation import LONGEST, MEASURED
from tournaments.cli.main import main

PAGE = (Path(__file__).parents[2] / "docs" / "records.md").read_text(encoding="utf-8")


def blocks(kind: str) -> list[str]:
    """Returns the fenced blocks of a kind."""
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


[RECORD], [LINE], [HAND], [GRAMMAR] = map(blocks, ("jsonl", "text", "json", "grammar"))


def section(title: str) -> str:
    return PAGE.split(f" {title}\n", 1)[1].split("\n#", 1)[0]


def test_the_record_of_the_page_holds_and_is_dealt_from_the_seed_it_names() -> None:
    [record] = load_matches(RECORD.splitlines())
    key = seed_key("records")
    verify_match(record, lambda number: deal_tiles(key, number, record.terms.rules), key)
    assert dump_match(record) == RECORD


@pytest.mark.parametrize("session", blocks("console"))
def test_every_command_of_the_page_writes_what_stands_below_it(
    session: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "night.jsonl").write_text(RECORD, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert session.startswith("$ ")
    for part in session.removeprefix("$ ").split("\n$ "):
        command, _, written = part.partition("\n")
        words = shlex.split(command)
        stdin = ""
        if words[0] == "echo":
            stdin, words = words[1], words[3:]
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        assert words[0] == "moon"
        code = main(words[1:])
        assert code == (5 if "s:0,4,4" in stdin else 0)
        assert capsys.readouterr().out.rstrip("\n") == written.rstrip("\n")


@pytest.mark.parametrize(
    ("title", "keys"),
    [("The line `match`", HEAD_KEYS), ("A line `deal`", DEAL_KEYS), ("The line `end`", END_KEYS)],
)
def test_every_key_is_described_in_its_order(title: str, keys: tuple[str, ...]) -> None:
    assert re.findall(r"^\| `(\w+)` \|", section(title), re.MULTILINE) == [*keys]


def test_every_kind_of_fault_and_ending_is_named() -> None:
    for value in [*FaultKind, *Ending]:
        assert f"`{value}`" in PAGE


def test_the_chat_line_of_the_page_is_deal_1_of_its_record() -> None:
    [record] = load_matches(RECORD.splitlines())
    line = DealLine(record.terms.rules, record.seats, record.deals[1])
    assert f"{dump_line(line)}\n" == LINE
    verify_line(read_line(LINE))


def test_every_word_is_described_and_has_its_grammar() -> None:
    described = re.findall(r"^\| `(\w+):` \|", section("A deal as one chat line"), re.MULTILINE)
    assert described == [*KEYS]
    assert [line.split()[0] for line in GRAMMAR.splitlines()] == [*KEYS]


@pytest.mark.parametrize("name", presets())
def test_the_grammar_matches_the_lines_of_every_preset(name: str) -> None:
    patterns = dict(line.split(None, 1) for line in GRAMMAR.splitlines())
    names = ("a b", "ü", "100%", "x,y")
    for seed in range(6):
        record = random_match(name, seed, max_deals=4, faults=0.05, seats=names)
        for deal in record.deals:
            first, *words = dump_line(DealLine(record.terms.rules, record.seats, deal)).split(" ")
            assert first == "moon1"
            for word in words:
                key, _, value = word.partition(":")
                assert re.fullmatch(patterns[key], value), word


def test_the_lengths_that_the_page_states_are_the_measured_ones() -> None:
    told = " ".join(PAGE.split())
    assert f"has {MEASURED} characters" in told
    assert f"all stay below {LONGEST}" in told


def test_the_hand_of_the_page_is_deal_1_of_its_record(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "night.jsonl"
    path.write_text(RECORD, encoding="utf-8")
    assert main(["replay", "export", "--format", "hands", str(path)]) == 0
    assert capsys.readouterr().out == HAND
    described = set(re.findall(r"`(\w+)`", section("Finished deals for an outside judge")))
    play = json.loads(HAND)["tricks"][0]
    for key in [*json.loads(HAND), *play, "set", "legal"]:
        assert key in described
