"""Records as JSON lines: they come back as they were, and damage is refused by line and key."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from referee.match import (
    Fault,
    FaultKind,
    Match,
    MatchRecord,
    MatchReferee,
    RecordError,
    RecordMismatchError,
    TableTerms,
    Terms,
    dump_match,
    load_matches,
    verify_match,
)
from referee.match.records import DealRecord
from referee.rules import preset_rules, presets, seed_key
from tests.match.playing import random_match

GOLDEN = Path(__file__).parent / "data" / "golden.jsonl"
ODD_NAMES = ("two words", "näme, 日本", "a\u2028b\x85c\u202e\x1b[31m")


def load(text: str | bytes) -> MatchRecord:
    lines = text.splitlines(keepends=True)
    [record] = load_matches(lines, "file")
    return record


def refused(text: str) -> str:
    with pytest.raises(RecordError) as caught:
        list(load_matches(text.splitlines(), "file"))
    return str(caught.value)


def sample(name: str = "tournament-3p", seed: object = 1, **settings: object) -> MatchRecord:
    return random_match(name, seed, **{"faults": 0.05, **settings})  # type: ignore[arg-type]


# Round trips.


@pytest.mark.parametrize("name", presets())
@settings(max_examples=20)
@given(st.integers(0, 2**64), st.sampled_from([0.0, 0.1]), st.booleans())
def test_a_record_comes_back_as_it_was_and_writes_the_same_bytes(
    name: str, seed: int, faults: float, ask_forced: bool
) -> None:
    terms = TableTerms(1, ask_forced)
    record = random_match(preset_rules(name), seed, max_deals=3, faults=faults, terms=terms)
    text = dump_match(record)
    assert load(text) == record
    assert dump_match(load(text.encode())) == text


@given(st.lists(st.text(), min_size=3, max_size=3))
@example(list(ODD_NAMES))
@example(["", "\ud800", "\udcff\n"])
def test_any_name_comes_back_and_never_breaks_a_line(names: list[str]) -> None:
    record = replace(sample(max_deals=1), seats=tuple(names))
    text = dump_match(record)
    assert load(text) == record
    assert len(text.splitlines()) == len(text.split("\n")) - 1 == 2 + len(record.deals)
    text.encode()


def test_the_format_is_this_one_to_the_byte() -> None:
    terms = Terms(preset_rules("domino-play-3p"), max_deals=2)
    referee = MatchReferee("3.1", Match.start(terms, seed_key("golden")), ("ann", "é", "a b"))
    while (question := referee.question) is not None:
        if question.number in (2, 40):
            referee.fault(Fault(FaultKind.TIMEOUT, "the wording is not in the record"))
        else:
            referee.answer(question.decision.legal[-1], 1)
    assert dump_match(referee.record()) == GOLDEN.read_text(encoding="utf-8")


def test_many_matches_stand_one_after_the_other_and_empty_lines_are_passed_over() -> None:
    records = [sample(seed=seed, max_deals=2) for seed in range(3)]
    text = "\n \n".join(map(dump_match, records)) + "\n\n"
    assert list(load_matches(text.splitlines())) == records


def test_matches_are_read_one_at_a_time() -> None:
    def lines() -> Iterator[str]:
        yield from dump_match(sample(max_deals=1)).splitlines()
        raise AssertionError("read on before it was asked to")

    assert next(load_matches(lines())) == sample(max_deals=1)


def test_a_byte_order_mark_and_the_line_ends_of_windows_do_no_harm() -> None:
    text = dump_match(sample()).replace("\n", "\r\n")
    assert load(b"\xef\xbb\xbf" + text.encode()) == sample()


# Damage of every kind, with the words that name it.


def changed(line: int, **changes: object) -> str:
    """Returns a record with some values changed in a line (-1 is the end); ``...`` takes away."""
    lines = dump_match(sample()).splitlines()
    fields = json.loads(lines[line])
    for key, value in changes.items():
        if value is ...:
            del fields[key]
        else:
            fields[key] = value
    lines[line] = json.dumps(fields)
    return "\n".join(lines)


HEAD, DEAL, END = 0, 2, -1
DEEP: object = []
for _ in range(100):
    DEEP = [DEEP]
HUGE = 10**4000

DAMAGE = [
    (HEAD, {"type": "macth"}, "expected a line of type 'match', not 'macth'"),
    (HEAD, {"type": 7}, "'type': 7 is not a text"),
    (HEAD, {"v": 2}, "is format 2; this program reads format 1"),
    (HEAD, {"v": "1"}, "'v': '1' is not a whole number"),
    (HEAD, {"v": True}, "'v': True is not a whole number"),
    (HEAD, {"table": ""}, "'table': '' is not a text without invisible characters"),
    (HEAD, {"table": "1\x1b[2J"}, "'table': '1\\x1b[2J' is not a text without"),
    (HEAD, {"rules": "turnament-3p"}, "'rules': not a rule preset: 'turnament-3p' (did you mean"),
    (HEAD, {"rules": "tournament-3p min_bid=9"}, "'rules': rule min_bid: '9' is not one of"),
    (HEAD, {"rules": ["tournament-3p"]}, "'rules': ['tournament-3p'] is not a text"),
    (HEAD, {"rules": f"tournament-3p target={'9' * 5000}"}, "is not a whole number"),
    (HEAD, {"deals": 0}, "a match has at least 1 deal, not 0"),
    (HEAD, {"deals": 1.5}, "'deals': 1.5 is not a whole number"),
    (HEAD, {"max_deals": None}, "'max_deals': None is not a whole number"),
    (HEAD, {"max_deals": -HUGE}, "a match has at least 1 deal, not -1000"),
    (HEAD, {"seats": ["a", "b"]}, "'seats': has 2 values; expected 3"),
    (HEAD, {"seats": ["a", "b", None]}, "'seats': None is not a text"),
    (HEAD, {"seats": "abc"}, "'seats': 'abc' is not a list"),
    (HEAD, {"seats": DEEP}, "'seats': has 1 values; expected 3"),
    (HEAD, {"ask_forced": 0}, "'ask_forced': 0 is not true or false"),
    (HEAD, {"strikes": -1}, "'strikes': -1 is not 0 or more"),
    (HEAD, {"strikes": ...}, "has no 'strikes'"),
    (HEAD, {"deals": ...}, "has no 'deals'"),
    (HEAD, {"seed": "x"}, "the key 'seed' is not known"),
    (DEAL, {"type": "dael"}, "a line of type 'dael' is not known"),
    (DEAL, {"n": -1}, "'n': -1 is not 0 or more"),
    (DEAL, {"n": "0"}, "'n': '0' is not a whole number"),
    (DEAL, {"n": False}, "'n': False is not a whole number"),
    (DEAL, {"first": 3}, "'first': 3 is not a seat of 3, counted from 0"),
    (DEAL, {"first": -1}, "'first': -1 is not a seat of 3"),
    (DEAL, {"first": HUGE}, "'first': 1000"),
    (DEAL, {"forced": None}, "'forced': None is not true or false"),
    (DEAL, {"hands": []}, "'hands': has 0 values; expected 3"),
    (DEAL, {"hands": ["", "", "", "", ""]}, "'hands': has 5 values; expected 3"),
    (DEAL, {"hands": ["6-6 6-6", "", ""]}, "'hands': '6-6 6-6' holds a tile twice"),
    (DEAL, {"hands": ["6-9", "", ""]}, "'hands': not a tile: '6-9' (write the higher end first"),
    (DEAL, {"hands": [66, 65, 64]}, "'hands': 66 is not a text"),
    (DEAL, {"hands": [DEEP, "", ""]}, "'hands': [[[[[[[...]]]]]]] is not a text"),
    (DEAL, {"hands": {}}, "'hands': {} is not a list"),
    (DEAL, {"middle": "4-6"}, "'middle': not a tile: '4-6'"),
    (DEAL, {"middle": None}, "'middle': None is not a text"),
    (DEAL, {"bids": "4 8"}, "'bids': not a bid: '8' (a bid is pass, 3 to 7, 21 or 42)"),
    (DEAL, {"bids": 4}, "'bids': 4 is not a text"),
    (DEAL, {"trump": "9"}, "'trump': not a trump: '9'"),
    (DEAL, {"trump": 5}, "'trump': 5 is not a text"),
    (DEAL, {"taken": 1}, "'taken': 1 is not true or false"),
    (DEAL, {"discard": "6-6 6-5"}, "'discard': not a tile: '6-6 6-5'"),
    (DEAL, {"plays": "66-5"}, "'plays': not a tile: '66-5'"),
    (DEAL, {"plays": "x" * 100_000}, "'plays': not a tile: 'xxx"),
    (DEAL, {"called": "7"}, "'called': not a suit: '7' (a suit is 0 to 6 or doubles)"),
    (DEAL, {"tricks": [1, 2]}, "'tricks': has 2 values; expected 3"),
    (DEAL, {"tricks": [True, 2, 3]}, "'tricks': True is not a whole number"),
    (DEAL, {"tricks": [-1, 4, 4]}, "'tricks': -1 is not 0 or more"),
    (DEAL, {"made": "yes"}, "'made': 'yes' is not true or false"),
    (DEAL, {"points": [1, 2, 3, 4]}, "'points': has 4 values; expected 3"),
    (DEAL, {"points": [1.0, 2, 3]}, "'points': 1.0 is not a whole number"),
    (DEAL, {"unasked": [-1]}, "'unasked': -1 is not 0 or more"),
    (DEAL, {"unasked": ...}, "has no 'unasked'"),
    (DEAL, {"faults": [[1, 2]]}, "'faults': [1, 2] is not [choice, seat, kind]"),
    (DEAL, {"faults": [[1, 3, "timeout"]]}, "'faults': 3 is not a seat of 3"),
    (DEAL, {"faults": [[1, 2, "late"]]}, "'faults': 'late' is not one of timeout, crashed"),
    (DEAL, {"faults": [["1", 2, "timeout"]]}, "'faults': '1' is not a whole number"),
    (DEAL, {"callled": "1"}, "the key 'callled' is not known"),
    (END, {"ending": "draw"}, "'ending': 'draw' is not one of target, moon, deals, cap, forfeit"),
    (END, {"scores": [1, 2]}, "'scores': has 2 values; expected 3"),
    (END, {"scores": None}, "'scores': None is not a list"),
    (END, {"places": [1, 2, "3"]}, "'places': '3' is not a whole number"),
    (END, {"forfeit": 3}, "'forfeit': 3 is not a seat of 3"),
    (END, {"forfeit": False}, "'forfeit': False is not a whole number"),
    (END, {"forfeit": ...}, "has no 'forfeit'"),
    (END, {"winner": 1}, "the key 'winner' is not known"),
    (END, {"type": "match"}, "a match begins before the last one has ended"),
]


@pytest.mark.parametrize(("line", "changes", "says"), DAMAGE)
def test_a_wrong_value_is_refused_by_line_and_key(
    line: int, changes: dict[str, object], says: str
) -> None:
    message = refused(changed(line, **changes))
    number = line + 1 if line >= 0 else len(sample().deals) + 2
    assert message.startswith(f"file, line {number}: ")
    assert says in message
    assert len(message) < 500


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[]", "line 1: is not a JSON object"),
        ("null", "line 1: is not a JSON object"),
        ('{"type":', "line 1: is not JSON: expecting value, at column 9"),
        ('{"type": NaN}', "line 1: is not JSON: NaN is no number"),
        ('{"type": "match", "type": "match"}', "line 1: is not JSON: the key 'type' stands twice"),
        ("[" * 200_000, "line 1: is not JSON: "),
        (f'{{"type": {"1" * 5000}}}', "line 1: is not JSON: Exceeds the limit"),
        ("{}", "line 1: has no 'type'"),
        ('{"type":"deal"}', "line 1: expected a line of type 'match', not 'deal'"),
        ('{"type":"end"}', "line 1: expected a line of type 'match', not 'end'"),
    ],
)
def test_a_line_that_is_no_record_line_is_refused(text: str, says: str) -> None:
    message = refused(text)
    assert message.startswith(f"file, {says}")
    assert len(message) < 400


def test_bytes_that_are_no_text_are_refused_by_line() -> None:
    first, rest = dump_match(sample()).encode().split(b"\n", 1)
    with pytest.raises(RecordError, match="file, line 2: is not UTF-8"):
        load(first + b"\n\xff" + rest)


def test_a_record_that_is_cut_off_is_refused_wherever_it_is_cut() -> None:
    text = dump_match(sample())
    for at in range(1, len(text) - 1):
        with pytest.raises(RecordError):
            list(load_matches(text[:at].splitlines()))


def test_a_missing_line_is_refused_or_found_by_the_rules() -> None:
    lines = dump_match(sample()).splitlines()
    for at in range(len(lines)):
        with pytest.raises((RecordError, RecordMismatchError)):
            verify_match(load("\n".join(lines[:at] + lines[at + 1 :])))


# Random damage. What a record has only once cannot be judged: names, ids, what was allowed.


def judgeable(record: MatchRecord) -> object:
    """Returns what of a record follows from the rest of it."""
    return (
        record.ask_forced,
        tuple(map(without_kinds, record.deals)),
        record.result,
        len(record.seats),
    )


def without_kinds(deal: DealRecord) -> DealRecord:
    marks = tuple(mark._replace(kind="") for mark in deal.faults)  # type: ignore[arg-type]
    return replace(deal, faults=marks)


@pytest.mark.parametrize(
    "name", ["tournament-3p", "tournament-4p", "domino-play-3p", "kelley-3p", "vab-3p"]
)
@given(seed=st.integers(0, 2**64), edits=st.integers(1, 3))
def test_random_damage_is_refused_or_changes_nothing_that_can_be_judged(
    name: str, seed: int, edits: int
) -> None:
    rng = random.Random(seed)
    record = random_match(name, seed % 5, max_deals=3, faults=0.02)
    data = bytearray(dump_match(record).encode())
    for _ in range(edits):
        damage(data, rng)
    try:
        found = list(load_matches(bytes(data).splitlines(keepends=True)))
        for read in found:
            verify_match(read, key=seed_key(str(seed % 5)))
    except (RecordError, RecordMismatchError):
        return
    for read in found:
        if read.terms.rules == record.terms.rules and all_played(record):
            assert judgeable(read) == judgeable(record)


def all_played(record: MatchRecord) -> bool:
    """Whether every tile of every deal was seen, so that none can have changed places."""
    rules = record.terms.rules
    return all(len(deal.plays) == 7 * rules.players for deal in record.deals)


def damage(data: bytearray, rng: random.Random) -> None:
    """Changes, removes, repeats or inserts a piece of *data*."""
    at = rng.randrange(len(data))
    end = min(len(data), at + rng.choice((1, 1, 1, 2, 5, 40)))
    match rng.randrange(5):
        case 0:
            data[at] = rng.randrange(256)
        case 1:
            data[at] = rng.choice(b'0123456789-" ,:[]{}ntf')
        case 2:
            del data[at:end]
        case 3:
            data[at:at] = data[at:end]
        case _:
            data[at:at] = bytes(rng.choices(b'0123456789-" ,:[]{}\n\xc3', k=end - at))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
    | st.sampled_from(["6-6", "6-6 6-5", "pass", "5", "doubles", 10**400, -1, 3, "timeout"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)  # fmt: skip


@given(line=st.integers(0, 4), key=st.integers(0, 16), value=JSON)
def test_any_json_in_the_place_of_a_value_is_refused_or_judged(
    line: int, key: int, value: object
) -> None:
    lines = dump_match(random_match("tournament-3p", 3, deals=3, faults=0.02)).splitlines()
    fields = json.loads(lines[line])
    fields[[*fields][key % len(fields)]] = value
    lines[line] = json.dumps(fields)
    try:
        for read in load_matches(lines):
            verify_match(read)
            dump_match(read)
    except (RecordError, RecordMismatchError) as error:
        str(error).encode()
