"""Every question and hand of the rules reference, and of our own, has its expected answer.

The runner is a program for others' files too, so it is held to what they rely on: it names what
differs, and its exit code says so.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from referee.rules import Rules, preset_rules, presets
from referee.rules.options import OPTION_VALUES, option_texts
from tests.rules.slow_hands import random_hand

HERE = Path(__file__).parent
REFERENCE = HERE / "data" / "reference"
QUESTIONS = {
    "legal_plays", "trick_winner", "next_leader", "led_suit", "suit_order", "trump_count",
    "legal_bids", "auction", "setup", "trump_choices", "phase_order", "discard_legal",
    "hand_delta", "game_state", "play_out",
}  # fmt: skip


def run(*files: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(HERE / "run_vectors.py"), *map(str, files)],
        capture_output=True,
        text=True,
        check=False,
    )


def write(path: Path, *entries: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return path


def entries(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def question(**changes: Any) -> dict[str, Any]:
    return {
        "id": "X1",
        "preset": "wikihow-3p",
        "question": "hand_delta",
        "situation": {"bidder": 0, "bid": 5, "tricks": [6, 1, 0]},
        "expect": {"made": True, "delta": [5, 1, 0]},
        **changes,
    }


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("vectors.jsonl", "42 entries, 48 answers"),
        ("hands.jsonl", "4 entries, 408 answers"),
        ("suits.json", "26 entries, 208 answers"),
        ("presets.json", "56 entries, 87 answers"),
    ],
)
def test_every_answer_of_the_reference_is_ours(name: str, count: str) -> None:
    done = run(REFERENCE / name)
    assert done.stdout == f"{name}: {count} compared, 0 differ\n"
    assert (done.returncode, done.stderr) == (0, "")


def test_every_answer_of_our_own_questions_is_right() -> None:
    done = run(HERE / "data" / "own_vectors.jsonl")
    assert done.returncode == 0, done.stdout
    assert done.stderr.count("note:") == done.stderr.count("answered for the tricks alone")


def test_our_own_questions_ask_every_type_and_every_value_of_every_option() -> None:
    asked = entries(HERE / "data" / "own_vectors.jsonl")
    assert {entry["question"] for entry in asked} == QUESTIONS
    values: dict[str, set[str]] = {}
    for entry in asked:
        readings = entry.get("other_reading", [])
        sets = [r.get("set", {}) for r in (readings if isinstance(readings, list) else [readings])]
        for change in [{}, *sets]:
            rules = preset_rules(entry["preset"])
            try:
                rules = rules.change(**{**entry.get("set", {}), **change})
            except ValueError:
                continue
            for name, text in option_texts(rules).items():
                values.setdefault(name, set()).add(text)
    for name, known in OPTION_VALUES.items():
        assert set(known) <= values[name], name


def test_hands_that_the_slow_rules_played_are_judged_the_same(tmp_path: Path) -> None:
    changes = [
        {"led_suit": "leader_calls"},
        {"exchange": "optional"},
        {"tileset": "28"},
        {"follow_rule": "follow_or_trump", "first_lead": "trump"},
        {"trumps": "none", "none_doubles": "low"},
        {"trumps": "none", "none_doubles": "own_suit", "led_suit": "leader_calls"},
        {"play_out": "stop_when_decided", "all_pass": "force_last"},
        {"bid_rounds": "until_all_but_one_pass", "moon_overcall": "42"},
    ]
    kinds = [(name, {}) for name in presets()] + [("wikihow-3p", change) for change in changes]
    hands = []
    for preset, change in kinds:
        options = option_texts(preset_rules(preset).change(**change))
        for number in range(5):
            name = f"{preset} {change} {number}"
            hands.append(random_hand(name, preset, change, options, random.Random(name)))
    done = run(write(tmp_path / "hands.jsonl", *hands))
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(hands)} entries" in done.stdout
    assert done.stderr == ""


def test_a_wrong_answer_is_printed_with_what_was_expected(tmp_path: Path) -> None:
    wrong = question(expect={"made": True, "delta": [6, 1, 0]})
    done = run(write(tmp_path / "v.jsonl", question(id="X0"), wrong))
    assert done.returncode == 1
    assert done.stdout == (
        'v.jsonl X1 hand_delta (wikihow-3p): expected {"made": true, "delta": [6, 1, 0]}, '
        'got {"made": true, "delta": [5, 1, 0]}\n'
        "v.jsonl: 2 entries, 2 answers compared, 1 differ\n"
    )


def test_another_reading_is_asked_under_its_own_rules(tmp_path: Path) -> None:
    reading = {"set": {"made_points": "tricks"}, "expect": {"made": True, "delta": [5, 1, 0]}}
    done = run(write(tmp_path / "v.jsonl", question(other_reading=reading)))
    assert done.returncode == 1
    assert 'made_points="tricks", other reading): expected' in done.stdout
    assert '"delta": [6, 1, 0]}' in done.stdout


@pytest.mark.parametrize("name", ["vectors.jsonl", "own_vectors.jsonl"])
def test_any_answer_that_is_changed_is_found(name: str, tmp_path: Path) -> None:
    """A runner that compares too little would pass on wrong rules."""
    path = REFERENCE / name if name == "vectors.jsonl" else HERE / "data" / name
    changed = []
    for entry in entries(path):
        entry.pop("other_reading", None)
        entry["expect"] = spoiled(entry["expect"])
        changed.append(entry)
    done = run(write(tmp_path / "v.jsonl", *changed))
    passed = {entry["id"] for entry in changed} - {
        line.split()[1]
        for line in done.stdout.splitlines()
        if "expected" in line or "cannot" in line
    }
    assert not passed, [entry for entry in changed if entry["id"] in passed]


def spoiled(expect: Any) -> Any:
    """Returns another answer of the same kind."""
    match expect:
        case bool():
            return not expect
        case int():
            return expect + 11
        case str():
            return "4-0" if "-" in expect else {"trump": 9, "illegal": "won"}.get(expect, "nothing")
        case None:
            return 2
        case [first, *rest]:
            return rest or [spoiled(first)]
        case []:
            return ["3-0"]
    name = next(name for name in reversed(expect) if name not in ("lacks", "has"))
    return {**expect, name: spoiled(expect[name])}


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (("delta",), [5, 1, 2]),
        (("made",), False),
        (("tricks_won",), [5, 1, 1]),
        (("bidder",), 1),
        (("bid",), 5),
        (("trump",), "none"),
        (("discard",), "0-0"),
        (("first_bidder",), 1),
        (("middle",), ["6-0"]),
        (("bids", 1, "bid"), 5),
        (("bids", 0, "seat"), 1),
        (("tricks", 3, "led_suit"), 4),
        (("tricks", 3, "leader"), 1),
        (("tricks", 3, "winner"), 2),
        (("tricks", 6, "winner"), 2),
        (("tricks", 2, "plays", 1, "legal"), ["2-1", "6-4"]),
        (("tricks", 2, "plays", 1, "tile"), "6-4"),
        (("tricks", 2, "plays", 1, "seat"), 2),
    ],
)
def test_any_fact_of_a_hand_that_is_changed_is_found(
    where: tuple[str | int, ...], value: Any, tmp_path: Path
) -> None:
    hand = entries(REFERENCE / "hands.jsonl")[1]
    assert run(write(tmp_path / "right.jsonl", hand)).returncode == 0
    part: Any = hand
    for step in where[:-1]:
        part = part[step]
    assert part[where[-1]] != value
    part[where[-1]] = value
    done = run(write(tmp_path / "wrong.jsonl", hand))
    assert done.returncode == 1
    assert "H2" in done.stdout


def test_a_suit_left_out_or_in_another_order_is_found(tmp_path: Path) -> None:
    suits = json.loads((REFERENCE / "suits.json").read_text())
    del suits["22"]["5"]["4"]
    suits["28"]["none"]["3"].reverse()
    path = tmp_path / "suits.json"
    path.write_text(json.dumps(suits))
    done = run(path)
    assert done.returncode == 1
    assert "22 tiles, trump 5, suit 4: expected []" in done.stdout
    assert "28 tiles, trump none, suit 3: expected" in done.stdout


def test_a_preset_that_differs_is_found(tmp_path: Path) -> None:
    table = json.loads((REFERENCE / "presets.json").read_text())
    table["presets"]["gamerules-3p"]["set"] = {}
    table["options"]["min_bid"]["default"] = 5
    table["presets"]["new-3p"] = {"set": {}}
    path = tmp_path / "presets.json"
    path.write_text(json.dumps(table))
    done = run(path)
    assert done.returncode == 1
    for text in ('gamerules-3p: expected {"moon_made": "score21"}', "default of min_bid", "new-3p"):
        assert text in done.stdout


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "there is nothing in it"),
        ("{not json\n{}", "line 1"),
        ("[1]", "no object"),
        ('{"id": "X"}', "neither a question nor a hand"),
        (json.dumps(question(question="who_cheats")), "unknown question 'who_cheats'"),
        (json.dumps(question(preset="wikihow-3")), "wikihow-3p"),
        (json.dumps(question(set={"min_bit": 3})), "did you mean 'min_bid'"),
        (json.dumps(question(situation={})), "no 'bid'"),
        (json.dumps({"question": "setup", "id": "X"}), "there is no 'expect'"),
    ],
)
def test_what_cannot_be_read_is_an_error_of_its_own(text: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text(text)
    done = run(path)
    assert done.returncode == 2
    assert reason in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_a_missing_file_is_an_error_and_the_others_are_still_compared(tmp_path: Path) -> None:
    done = run(tmp_path / "absent.jsonl", REFERENCE / "hands.jsonl")
    assert done.returncode == 2
    assert "absent.jsonl file: cannot be answered" in done.stdout
    assert "hands.jsonl: 4 entries" in done.stdout


def test_a_part_of_the_situation_that_played_no_part_is_named(tmp_path: Path) -> None:
    situation = {"bidder": 0, "bid": 5, "tricks": [6, 1, 0], "weather": "rain"}
    done = run(write(tmp_path / "v.jsonl", question(situation=situation)))
    assert done.returncode == 0
    assert "X1 hand_delta (wikihow-3p): note: played no part: weather" in done.stderr


def test_the_defaults_are_the_first_preset() -> None:
    assert preset_rules("wikihow-3p") == Rules()
