"""Answers files of rules questions and prints each difference from what they expect.

    python tests/rules/run_vectors.py vectors.jsonl hands.jsonl suits.json presets.json

A file is told by its content: questions (``question``), whole hands (``deal``), the suits of each
tile set and trump, or the table of options and presets. Ends with 0 when every answer agrees, with
1 when one differs, with 2 when a file, a line or a question cannot be read.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
for folder in (HERE.parents[1], HERE):
    sys.path.insert(0, str(folder))

from vector_answers import ANSWERS, refused  # noqa: E402
from vector_compare import agrees, shown  # noqa: E402
from vector_hands import HandCheck  # noqa: E402
from vector_reading import Json, QuestionError, Situation  # noqa: E402
from vector_scores import play_out  # noqa: E402

from referee.errors import MoonError  # noqa: E402
from referee.rules import OptionError, Rules, preset_rules, presets  # noqa: E402
from referee.rules.options import OPTION_NAMES, OPTION_VALUES, option_texts  # noqa: E402

Item = tuple[str, Json]
"""What an entry is called, and the entry."""

_ABOUT_TRICKS = {
    "legal_plays", "trick_winner", "next_leader", "led_suit", "suit_order", "trump_count",
}  # fmt: skip


class Report:
    """Counts what was compared, and prints what differs."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.entries = 0
        self.compared = 0
        self.differences = 0
        self.unreadable = 0

    def compare(self, what: str, expect: Json, got: Json, agree: bool) -> None:
        self.compared += 1
        if not agree:
            self.differences += 1
            print(f"{self.name} {what}: expected {_json(expect)}, got {_json(got)}")

    def fail(self, what: str, reason: object) -> None:
        self.unreadable += 1
        print(f"{self.name} {what}: cannot be answered: {reason}")

    def note(self, what: str, text: str) -> None:
        print(f"{self.name} {what}: note: {text}", file=sys.stderr)

    def __str__(self) -> str:
        text = f"{self.name}: {self.entries} entries, {self.compared} answers compared"
        failed = f", {self.unreadable} could not be answered" if self.unreadable else ""
        return f"{text}, {self.differences} differ{failed}"


def _json(value: Json) -> str:
    return json.dumps(value, default=str)


# Questions.


def check_question(name: str, data: dict[str, Json], report: Report) -> None:
    """Compares the answer to a question, and under its other readings."""
    readings = data.get("other_reading") or []
    for reading in [data, *(readings if isinstance(readings, list) else [readings])]:
        if reading is not data and (not isinstance(reading, dict) or "expect" not in reading):
            report.note(name, f"another reading without an answer: {_json(reading)}")
            continue
        merged = {**data, **reading}
        if reading is not data and "preset" not in reading:
            merged["set"] = {**(data.get("set") or {}), **(reading.get("set") or {})}
        elif reading is not data:
            merged["set"] = reading.get("set")
        changes = merged.get("set") or {}
        change = "".join(f" {option}={_json(value)}" for option, value in changes.items())
        kind = "" if reading is data else ", other reading"
        what = f"{name} {merged.get('question')} ({merged.get('preset')}{change}{kind})"
        try:
            if "expect" not in reading:
                raise QuestionError("there is no 'expect'")
            _answer(what, merged, report)
        except (QuestionError, MoonError) as error:
            report.fail(what, error)
        except (
            KeyError,
            ValueError,
            TypeError,
            IndexError,
            AttributeError,
            StopIteration,
        ) as error:
            report.fail(what, f"{type(error).__name__}: {error}")


def _answer(what: str, data: dict[str, Json], report: Report) -> None:
    question, expect = data.get("question"), data["expect"]
    answer = ANSWERS.get(str(question))
    if answer is None:
        raise QuestionError(f"unknown question {question!r}")
    try:
        rules = _rules(data)
    except OptionError as error:
        got = refused(str(error))
        if question == "setup" and agrees("setup", expect, got):
            report.compare(what, expect, shown(expect, got), agree=True)
            return
        if question not in _ABOUT_TRICKS:
            raise
        report.note(what, f"as a whole game refused ({error}); answered for the tricks alone")
        rules = _trick_rules(data)
    situation = Situation(data.get("situation", {}))
    if question == "play_out" and situation.has("deal", "hands"):
        got = _hand_facts(rules, data["situation"])
    else:
        got = answer(rules, situation)
        if situation.unused:
            report.note(what, f"played no part: {', '.join(situation.unused)}")
    report.compare(what, expect, shown(expect, got), agrees(str(question), expect, got))


def _hand_facts(rules: Rules, data: dict[str, Json]) -> dict[str, Json]:
    """Returns what a whole deal comes to, with whether it goes on after what was played."""
    check = HandCheck(rules, data)
    deal = check.run()
    if deal is None:
        return refused("; ".join(f"{what}: {chosen}" for what, chosen, _ in check.differences))
    facts = check.facts()
    if deal.declarer is not None:
        seen = Situation(
            {"tricks": list(deal.tricks_won), "bid": deal.contract, "bidder": deal.declarer}
        )
        facts = {**play_out(rules, seen), **facts}
    return facts


def _rules(data: dict[str, Json]) -> Rules:
    rules = preset_rules(str(data.get("preset") or "wikihow-3p"))
    return rules.change(**data.get("set") or {})


def _trick_rules(data: dict[str, Json]) -> Rules:
    """Returns the nearest rules that have the options which decide a trick.

    A question about one trick may change the tile set and say nothing of the exchange, which such
    a table cannot have.
    """
    rules = preset_rules(str(data.get("preset") or "wikihow-3p"))
    changes = dict(data.get("set") or {})
    changes.setdefault("exchange", "none")
    changes.setdefault("trump_named", "after_exchange")
    tileset = changes.get("tileset", rules.tileset.value)
    trumps = [trump for trump in rules.trumps if str(tileset) != "21" or trump != 0]
    changes.setdefault("trumps", trumps)
    if str(changes.get("players", rules.players)) == "4":
        changes.setdefault("sides", "pairs_02_13")
        changes["tileset"] = "28"
    return rules.change(**changes)


# Whole hands, suits, options and presets.


def check_hand(name: str, data: dict[str, Json], report: Report) -> None:
    """Plays a whole hand and compares every fact in it."""
    try:
        check = HandCheck(_rules(data), data)
        check.run()
    except (QuestionError, MoonError) as error:
        report.fail(name, error)
        return
    except Exception as error:
        report.fail(name, f"{type(error).__name__}: {error}")
        return
    if check.unused:
        report.note(name, f"played no part: {', '.join(check.unused)}")
    report.compared += check.compared - len(check.differences)
    for what, expect, got in check.differences:
        report.compare(f"{name} {what}", expect, got, agree=False)


def check_suits(data: dict[str, Json], report: Report) -> None:
    """Compares every suit of every tile set under every trump, and that no suit is left out."""
    for tileset, trumps in data.items():
        for trump, suits in trumps.items():
            report.entries += 1
            options = {"players": "4" if tileset == "28" else "3", "tileset": tileset}
            known = ("trump", "0", "1", "2", "3", "4", "5", "6")
            unknown = sorted(set(suits) - set(known))
            if unknown:
                report.fail(f"{tileset} tiles, trump {trump}", f"unknown suits {unknown}")
            for suit in known:
                is_trump = suit == trump
                question = {"trump": trump, "suit": suit}
                got = ANSWERS["suit_order"](_trick_rules({"set": options}), Situation(question))
                expect = suits.get(suit, suits.get("trump", []) if is_trump else [])
                report.compare(f"{tileset} tiles, trump {trump}, suit {suit}", expect, got,
                               agrees("suit_order", expect, got))  # fmt: skip


def check_presets(data: dict[str, Json], report: Report) -> None:
    """Compares the table of options with ours, and every preset."""
    options = data.get("options", {})
    report.compare("options", sorted(options), sorted(OPTION_NAMES),
                   sorted(options) == sorted(OPTION_NAMES))  # fmt: skip
    defaults = option_texts(Rules())
    for option, row in options.items():
        report.entries += 1
        values = row.get("values")
        if isinstance(values, list):
            expect, ours = [_text(value) for value in values], list(OPTION_VALUES.get(option, ()))
            report.compare(f"values of {option}", expect, ours, sorted(expect) == sorted(ours))
        expect_text = _text(row.get("default"))
        report.compare(f"default of {option}", expect_text, defaults.get(option),
                       expect_text == defaults.get(option))  # fmt: skip
    named = data.get("presets", {})
    report.compare("presets", sorted(named), sorted(presets()), sorted(named) == sorted(presets()))
    for name, row in named.items():
        report.entries += 1
        if name not in presets():
            continue
        try:
            wanted = Rules().change(**row.get("set", {}))
        except OptionError as error:
            report.fail(f"preset {name}", error)
            continue
        expect_texts, ours_texts = option_texts(wanted), option_texts(presets()[name].rules)
        differing = [key for key in expect_texts if expect_texts[key] != ours_texts[key]]
        report.compare(f"preset {name}", {key: expect_texts[key] for key in differing},
                       {key: ours_texts[key] for key in differing}, not differing)  # fmt: skip


def _text(value: Json) -> str:
    if isinstance(value, list):
        return ",".join(map(str, value))
    return json.dumps(value) if value is None or isinstance(value, bool) else str(value)


# Files.


def check_file(path: Path) -> Report:
    """Compares everything in a file."""
    report = Report(path.name)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        report.fail("file", error)
        return report
    for name, data in _items(text, report):
        _check(name, data, report)
    if not report.entries and not report.unreadable:
        report.fail("file", "there is nothing in it")
    return report


def _items(text: str, report: Report) -> Iterator[Item]:
    try:
        whole = json.loads(text)
    except ValueError:
        for number, line in enumerate(text.splitlines(), 1):
            if not line.strip():
                continue
            try:
                yield f"line {number}", json.loads(line)
            except ValueError as error:
                report.fail(f"line {number}", error)
        return
    if isinstance(whole, list):
        yield from ((f"entry {number}", data) for number, data in enumerate(whole, 1))
    else:
        yield "file", whole


def _check(name: str, data: Json, report: Report) -> None:
    if not isinstance(data, dict):
        report.fail(name, "no object")
        return
    if "presets" in data or "options" in data:
        check_presets(data, report)
    elif data and set(data) <= {"22", "21", "28"}:
        check_suits(data, report)
    else:
        report.entries += 1
        name = str(data.get("id", name))
        if "question" in data:
            check_question(name, data, report)
        elif "deal" in data or "hands" in data:
            check_hand(name, data, report)
        else:
            report.fail(name, "neither a question nor a hand, nor a table of suits or presets")


def main() -> int:
    """Compares the files named on the command line."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    reports = [check_file(path) for path in parser.parse_args().files]
    for report in reports:
        print(report)
    if any(report.unreadable for report in reports):
        return 2
    return 1 if any(report.differences for report in reports) else 0


if __name__ == "__main__":
    raise SystemExit(main())
