"""`moon replay` from outside: what it draws, what it finds, what it writes for others."""

from __future__ import annotations

import io
import json
import os
import random
import re
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import BinaryIO, cast

import click
import pexpect
import pytest

from referee.match import (
    Ending,
    Fault,
    FaultKind,
    Match,
    MatchRecord,
    MatchReferee,
    TableTerms,
    Terms,
    dump_line,
    dump_match,
    load_matches,
    read_line,
)
from referee.match.notation import EXAMPLE
from referee.rules import (
    SEATS,
    TILES,
    Bid,
    Dealt,
    Kind,
    MakeBid,
    derive_key,
    parse_rules,
    presets,
    seed_key,
)
from tests.match.playing import bold, boss_tiles, play_deal, random_match, rigged
from tournaments.cli import patience
from tournaments.cli.main import main
from tournaments.config import TournamentConfig, parse_config
from tournaments.reports.drawing import draw_deal
from tournaments.reports.reading import read_entries
from tournaments.results import FaultRow, TableResult
from tournaments.schedule import EntrantId
from tournaments.store import Store

ROOT = Path(__file__).resolve().parents[2]
HANDS = ROOT / "tests" / "rules" / "data" / "reference" / "hands.jsonl"
COMMAND = [sys.executable, "-m", "tournaments.cli.main", "replay"]
ENV = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "proto")])}

Told = Callable[..., str]


class Answer:
    """What a command wrote."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def ask(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Answer]:
    """Runs `moon replay` and returns what came of it; *stdin* is what it can read."""

    def run(*words: object, stdin: str | bytes = "") -> Answer:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        code = main(["replay", *map(str, words)])
        out, err = capfd.readouterr()
        assert "Traceback" not in err, err
        return Answer(code, out, err)

    return run


@pytest.fixture
def told(ask: Callable[..., Answer]) -> Told:
    """Runs `moon replay`, which has to succeed, and returns what it wrote."""

    def run(*words: object, stdin: str | bytes = "") -> str:
        answer = ask(*words, stdin=stdin)
        assert (answer.code, answer.err) == (0, "")
        return answer.out

    return run


# Records to work with.


@pytest.fixture
def record_file(tmp_path: Path) -> Path:
    """Three matches: with faults, a forfeit among them; of pairs; where leaders call."""
    records = [
        replace(
            random_match("tournament-3p", 3, faults=0.1, terms=TableTerms(1), max_deals=3),
            table="0.0",
        ),
        replace(random_match("tournament-4p", 1, max_deals=2), table="0.1"),
        replace(random_match("domino-play-3p", 1, max_deals=2), table="1.0"),
    ]
    assert records[0].result.ending is Ending.FORFEIT
    path = tmp_path / "night.jsonl"
    path.write_text("".join(map(dump_match, records)), encoding="utf-8")
    return path


BOTS = ["ann=random", "bob=random", "cyd=random"]


def config(**more: object) -> TournamentConfig:
    data = {
        "name": "night",
        "bots": BOTS,
        "seed": "s",
        "rounds": 2,
        "deals": 2,
    }
    return parse_config(data | more).described(lambda bot: f"content of {bot.name}")


def result_of(run: TournamentConfig, number: int, faults: float = 0.05) -> TableResult:
    """Returns what becomes of a table when everybody plays at random, and wrongly now and then."""
    schedule = run.schedule()
    table = schedule.tables[number]
    block = schedule.blocks[table.block]
    match = Match.start(
        Terms(run.rules, run.deals, run.max_deals), derive_key(seed_key("s"), block.label)
    )
    terms = run.table
    referee = MatchReferee(table.id, match, table.seats, terms)
    rng = random.Random(number)
    while (question := referee.question) is not None:
        if rng.random() < faults:
            referee.fault(Fault(rng.choice([FaultKind.TIMEOUT, FaultKind.ILLEGAL]), "by lot"))
        else:
            referee.answer(bold(question.decision, rng), 1)
    assert referee.result is not None
    rows = tuple(
        FaultRow(
            report.seat, table.seats[report.seat], report.fault.kind.value, report.deal,
            report.decision, report.question, report.fault.detail, substitute=report.substitute,
        )
        for report in referee.faults
    )  # fmt: skip
    return TableResult(
        table.number, table.block, table.lane, table.seats, referee.result.ending.value,
        referee.result.scores, referee.result.places, dump_match(referee.record()), faults=rows,
    )  # fmt: skip


def stored(path: Path, results: list[TableResult], run: TournamentConfig | None = None) -> Path:
    with Store.create(path, run or config(), code_version="1.0") as store:
        store.add_results(results)
    return path


@pytest.fixture
def store_file(tmp_path: Path) -> Path:
    return stored(tmp_path / "night.sqlite", [result_of(config(), n) for n in range(6)])


# show

DRAWN = """\
deal 0, wikihow-3p
  0 ann    6-5 5-5 5-3 4-4 4-2 3-3 2-2
  1 bob    6-4 6-3 4-3 4-1 3-2 1-1 0-0
  2 cyd    6-6 6-2 6-1 5-4 5-2 3-1 2-1
  widow    5-1

            0 ann    1 bob    2 cyd
  bids     >4        5*       pass
            1 bob plays 5: takes 5-1, discards 4-1, trump doubles

  trick 1   5-5     >1-1      6-6*    trump led
  trick 2   5-3      5-1     >5-4*    5 led
  trick 3   6-5      0-0*    >5-2     5 led
  trick 4   4-4*    >6-4      6-2     6 led
  trick 5  >4-2      4-3*     2-1     4 led
  trick 6   3-3*    >6-3      6-1     6 led
  trick 7  >2-2*     3-2      3-1     trump led
  tricks    3        2        2

  contract  5 bid, 2 taken: set
  points    ann +3, bob -5, cyd +2
  > leads or bids first, * wins, ! first legal choice, for a fault
"""

SEEN_BY_CYD = """\
deal 0, wikihow-3p
  0 ann    (hidden)
  1 bob    (hidden)
  2 cyd    6-6 6-2 6-1 5-4 5-2 3-1 2-1
  widow    (hidden)

            0 ann    1 bob    2 cyd
  bids     >4        5*       pass
            could bid: pass, 6, 7, 21
            1 bob plays 5: takes the widow, discards a tile, trump doubles

  trick 1   5-5     >1-1      6-6*    trump led
  trick 2   5-3      5-1     >5-4*    5 led
            could play: 2-1, 3-1, 5-2, 5-4, 6-1, 6-2
"""


def test_a_chat_line_is_drawn_with_hands_auction_tricks_winners_and_score(told: Told) -> None:
    assert told("show", stdin=EXAMPLE) == DRAWN
    assert told("show", "-", stdin=f"\n{EXAMPLE}\r\n\n") == DRAWN


def test_a_seat_is_shown_what_it_saw_and_what_it_could_have_chosen(told: Told) -> None:
    seen = told("show", "--seat", 2, stdin=EXAMPLE)
    assert seen.startswith(SEEN_BY_CYD)
    own = told("show", "--seat", 1, stdin=EXAMPLE)
    assert "takes 5-1, discards 4-1" in own
    assert "could discard: 0-0, 1-1, 3-2, 4-1, 4-3, 5-1, 6-3, 6-4" in own


@pytest.mark.parametrize(
    "name",
    ["wikihow-3p", "kelley-3p", "domino-play-3p", "tournament-4p", "tournament-3p tileset=28"],
)
def test_what_a_seat_is_shown_does_not_depend_on_what_it_did_not_see(name: str, told: Told) -> None:
    # Broken off before anybody has played, two unseen tiles change places: nothing else changes.
    record = random_match(name, 5, deals=1, faults=0)
    deal = record.deals[0]
    early = replace(deal, bids=deal.bids[:1], trump=None, taken=None, discarded=None, plays=(),
                    called=(), points=None)  # fmt: skip
    lines = [
        dump_line(read_line(EXAMPLE)._replace(rules=parse_rules(name), seats=record.seats, deal=d))
        for d in (early, replace(early, dealt=unlike_for_others(early.dealt)))
    ]
    assert lines[0] != lines[1]
    assert told("show", "--seat", 0, stdin=lines[0]) == told("show", "--seat", 0, stdin=lines[1])
    assert told("show", "--seat", 1, stdin=lines[0]) != told("show", "--seat", 1, stdin=lines[1])


def unlike_for_others(dealt: Dealt) -> Dealt:
    """Returns the deal with other tiles everywhere but in the hand of seat 0."""
    hands = list(dealt.hands)
    low, high = hands[1] & -hands[1], hands[2] & -hands[2]
    hands[1] ^= low | high
    hands[2] ^= high | low
    middle = list(dealt.middle)
    for at, tile in enumerate(middle):
        lowest = hands[1] & -hands[1]
        hands[1] ^= lowest | 1 << tile
        middle[at] = TILES[lowest.bit_length() - 1]
    return Dealt(tuple(hands), tuple(middle))


def test_a_whole_match_is_drawn_deal_by_deal_with_head_and_result(
    told: Told, record_file: Path
) -> None:
    drawn = told("show", record_file, "--table", "0.1")
    head, *_, end = drawn.splitlines()
    assert head == "table 0.1: 0 ann, 1 bob, 2 cyd, 3 dee; tournament-4p, to 21 points"
    assert re.findall(r"^deal \d+$", drawn, re.MULTILINE) == ["deal 0", "deal 1"]
    assert end.startswith("nobody reached the target in time: 1. ")
    assert "ann + cyd" in end
    assert "bob + dee" in end


def test_a_match_score_follows_each_deal(told: Told, record_file: Path) -> None:
    [record] = [r for r in load(record_file) if r.table == "1.0"]
    drawn = told("show", record_file, "--table", "1.0")
    scores = re.findall(r"^  match     (.*)$", drawn, re.MULTILINE)
    last = [int(text.rpartition(" ")[2]) for text in scores[-1].split(", ")]
    assert tuple(last) == record.result.scores


def load(path: Path) -> list[MatchRecord]:
    return list(load_matches(path.read_text(encoding="utf-8").split("\n")))


def test_a_fault_is_shown_with_its_sign_its_place_and_what_was_played_for_it(
    told: Told, record_file: Path
) -> None:
    drawn = told("show", record_file, "--table", "0.0")
    [record] = [r for r in load(record_file) if r.table == "0.0"]
    lines = re.findall(r"^  fault     (.*)$", drawn, re.MULTILINE)
    marks = [mark for deal in record.deals for mark in deal.faults]
    assert len(lines) == len(marks) > 2
    for line, mark in zip(lines, marks, strict=True):
        assert line.startswith(f"{mark.seat} {record.seats[mark.seat]}")
        assert f": {mark.kind}; " in line
    assert lines[-1].endswith("the match is forfeited")
    signs = drawn.count("!") - drawn.count("! first legal choice")
    assert signs == len(marks) - 1
    assert "the deal was broken off here" in drawn
    assert drawn.splitlines()[-1].startswith(f"seat {record.result.forfeit} forfeits: ")


def test_a_called_suit_and_a_pair_are_shown(told: Told, record_file: Path) -> None:
    assert re.search(r"[0-6] called$", told("show", record_file, "--table", "1.0"), re.MULTILINE)
    assert "points    ann + cyd " in told("show", record_file, "--table", "0.1")


def test_a_record_that_does_not_hold_is_not_shown_as_if_it_did(
    ask: Callable[..., Answer], record_file: Path
) -> None:
    answer = ask("show", stdin=EXAMPLE.replace("s:3,-5,2", "s:3,5,2"))
    assert (answer.code, answer.out) == (5, DRAWN), "drawn is what the rules make of it"
    assert "standard input, line 1: s: says 3 5 2, but by the rules it is 3 -5 2" in answer.err
    record_file.write_text("\n".join(map(spoiled, record_file.read_text().splitlines())))
    answer = ask("show", record_file, "--table", "0.1")
    assert answer.code == 5
    assert "table 0.1, deal 0: unasked says " in answer.err


def test_a_deal_that_is_thrown_in_says_so(told: Told) -> None:
    words = [word for word in EXAMPLE.split() if word[:2] not in ("b:", "t:", "x:", "p:", "s:")]
    drawn = told("show", stdin=" ".join([*words, "b:p,p,p"]))
    assert "everybody passed: the deal is thrown in" in drawn
    assert "trick" not in drawn


def played_out(match: Match, bids: str) -> str:
    """Returns the drawing of a rigged deal of ann, bob and cyd."""
    finished = play_deal(match, bids).finished
    assert finished is not None
    return draw_deal(finished, ["ann", "bob", "cyd"])


def test_a_deal_that_is_decided_early_says_so() -> None:
    drawn = played_out(rigged("play_out=stop_when_decided"), "4 pass pass")
    assert "contract  4 bid, 4 taken, which decides it: made" in drawn
    assert "trick 4 " in drawn
    assert "trick 5 " not in drawn
    assert "which decides it" not in played_out(rigged(), "4 pass pass")


def test_a_moon_that_ends_the_match_says_so() -> None:
    assert "7 taken: made; that is the game" in played_out(rigged("moon_made=wins_game"), "21")
    lost = played_out(rigged("moon_failed=loses_game"), "pass pass 21")
    assert "0 taken: set; that is the game" in lost
    assert "that is the game" not in played_out(rigged(), "21")


def test_a_moon_ends_no_match_of_a_fixed_number_of_deals(told: Told, tmp_path: Path) -> None:
    match = rigged("moon_made=wins_game", deals=1)
    referee = MatchReferee("0.0", match, ("ann", "bob", "cyd"))
    while (question := referee.question) is not None:
        referee.answer(question.decision.legal[-1], 1)
    path = tmp_path / "match.jsonl"
    path.write_text(dump_match(referee.record()))
    drawn = told("show", path)
    assert "21 bid, 7 taken: made\n" in drawn
    assert "all deals are played: 1. ann 21, " in drawn


def test_a_discard_made_in_place_of_a_bot_is_hidden_from_the_others(
    told: Told, tmp_path: Path
) -> None:
    match = Match.of(Terms(parse_rules("wikihow-3p"), 1), lambda _: boss_tiles(0), SEATS[0])
    referee = MatchReferee("0.0", match, ("ann", "bob", "cyd"))
    referee.answer(MakeBid(Bid.MOON), 1)
    while (question := referee.question) is not None:
        if question.decision.kind is Kind.DISCARD:
            referee.fault(Fault(FaultKind.TIMEOUT, ""))
        else:
            referee.answer(question.decision.legal[-1], 1)
    path = tmp_path / "match.jsonl"
    path.write_text(dump_match(referee.record()))
    assert "played for it: discard 5-4" in told("show", path)
    assert "played for it: discard 5-4" in told("show", path, "--seat", 0)
    assert "played for it: discard a tile" in told("show", path, "--seat", 1)
    assert "discards a tile!" in told("show", path, "--seat", 1)


@pytest.mark.parametrize("name", presets())
def test_every_preset_is_drawn_in_at_most_80_columns_of_ordinary_names(
    name: str, told: Told, tmp_path: Path
) -> None:
    path = tmp_path / "match.jsonl"
    path.write_text(dump_match(random_match(name, 2, faults=0.05, max_deals=4)))
    for seat in ((), ("--seat", 0), ("--seat", 2)):
        drawn = told("show", path, *seat)
        wide = [line for line in drawn.splitlines() if len(line) > 80]
        assert not [line for line in wide if "fault" not in line and "could" not in line]


def test_a_long_or_wide_name_keeps_the_columns_straight(told: Told) -> None:
    names = ["x" * 40, "日本語のボット", "e\u0301" * 5]
    line = read_line(EXAMPLE)._replace(seats=tuple(names))
    drawn = told("show", stdin=dump_line(line))
    assert f"0 {names[0]}  6-5" in drawn, "beside the hand the whole name stands"
    rows = [text for text in drawn.splitlines() if text.startswith("  trick ")]
    assert len({re.search(r"\w+ led$", text).start() for text in rows}) == 1  # type: ignore[union-attr]
    head = next(text for text in drawn.splitlines() if "…" in text)
    assert head.startswith("            0 xxx"), "cut, so that the columns fit"


def test_what_a_terminal_would_act_on_is_written_out(told: Told) -> None:
    line = read_line(EXAMPLE)._replace(seats=("\x1b[31mred", "b\nb", "c\u202e"))
    drawn = told("show", stdin=dump_line(line))
    assert "\x1b" not in drawn
    for written in (r"\x1b[31mred", r"b\nb", r"c\u202e"):
        assert written in drawn


def test_on_a_terminal_there_are_colours_unless_they_are_unwanted(
    record_file: Path, ask: Callable[..., Answer], capfd: pytest.CaptureFixture[str]
) -> None:
    plain = ask("show", record_file, "--table", "0.0").out
    assert main(["--color", "always", "replay", "show", str(record_file), "--table", "0.0"]) == 0
    painted = capfd.readouterr().out
    assert "\x1b[" in painted
    assert click.unstyle(painted) == plain
    for more, env in (([], {}), (["--plain"], {}), ([], {"NO_COLOR": "1"})):
        words = [*COMMAND[1:], "show", str(record_file), "--table", "0.0", *more]
        shown = pexpect.run(f"{sys.executable} {' '.join(words)}", env=ENV | env, cwd=ROOT)
        is_painted = b"\x1b[" in shown
        assert is_painted == (not more and not env)


def test_a_deal_is_picked_by_table_and_number(told: Told, record_file: Path) -> None:
    one = told("show", record_file, "--table", "1.0", "--deal", 1).splitlines()
    assert [text for text in one if text.startswith("deal ")] == ["deal 1"]
    whole = told("show", record_file, "--table", "1.0").splitlines()
    assert whole[-len(one) + 2 :] == one[2:]


def test_one_deal_ends_with_the_score_after_it_and_not_with_the_result_of_the_match(
    told: Told, record_file: Path
) -> None:
    first = told("show", record_file, "--table", "1.0", "--deal", 0)
    [record] = [r for r in load(record_file) if r.table == "1.0"]
    assert len(record.deals) > 1
    assert re.match("  match     ", first.splitlines()[-1])
    assert "nobody reached the target" not in first


@pytest.mark.parametrize("table", ["0.0", "0.1", "1.0"])
def test_show_line_writes_the_chat_line_that_shows_the_same_deal(
    table: str, told: Told, record_file: Path
) -> None:
    line = told("show", record_file, "--table", table, "--deal", 0, "--line")
    assert len(line.splitlines()) == 1
    assert line == dump_line(read_line(line)) + "\n"
    drawn = told("show", stdin=line).splitlines()
    whole = told("show", record_file, "--table", table, "--deal", 0)
    for text in drawn[1:]:
        bare = text.replace("!", " ")
        assert bare.split() in [other.replace("!", " ").split() for other in whole.splitlines()]


# Stores.


def test_a_table_of_a_store_is_shown_like_its_record(
    told: Told, store_file: Path, tmp_path: Path
) -> None:
    path = tmp_path / "one.jsonl"
    path.write_text(told("export", store_file, "--table", "1.2"))
    assert told("show", store_file, "--table", "1.2") == told("show", path)
    assert told("show", "--store", store_file, "--table", "1.2") == told("show", path)


def test_a_tournament_file_stands_for_its_store(
    told: Told, store_file: Path, tmp_path: Path
) -> None:
    file = tmp_path / "night.toml"
    file.write_text(f'bots = ["ann", "bob", "cyd"]\nstore = "{store_file.name}"\n')
    assert told("verify", file) == told("verify", store_file)


def test_the_records_of_a_store_are_written_as_they_are_stored(
    told: Told, store_file: Path
) -> None:
    with Store.open(store_file) as store:
        assert told("export", store_file) == "".join(r.record for r in store.results())


# verify


def test_records_that_hold_are_counted(told: Told, record_file: Path, store_file: Path) -> None:
    deals = sum(len(record.deals) for record in load(record_file))
    assert told("verify", record_file) == f"3 matches, {deals} deals judged again: 0 differences\n"
    assert told("verify", stdin=EXAMPLE) == "1 deal judged again: 0 differences\n"
    assert told("verify", "-", stdin=record_file.read_bytes()).startswith("3 matches, ")
    more = told("verify", record_file, store_file)
    assert re.fullmatch(r"9 matches, \d+ deals judged again: 0 differences\n", more)
    body = json.loads(told("verify", record_file, "--json"))
    assert body == {
        "schema": "moon.replay.verify/1", "matches": 3, "deals": deals, "differences": [],
    }  # fmt: skip


def test_every_difference_is_a_line_with_its_place_and_the_exit_code_is_5(
    ask: Callable[..., Answer], record_file: Path
) -> None:
    lines = record_file.read_text(encoding="utf-8").splitlines()
    record_file.write_text("\n".join(map(spoiled, lines)), encoding="utf-8")
    answer = ask("verify", record_file)
    assert (answer.code, answer.err) == (5, "")
    *found, summary = answer.out.splitlines()
    deals = sum('"type":"deal"' in line for line in lines)
    assert summary == f"3 matches, {deals} deals judged again: {len(found)} differences"
    assert len(found) >= 3 + deals
    for line in found:
        assert re.match(rf"{re.escape(str(record_file))}: table [01]\.[01](, deal \d+)?: ", line)
    body = json.loads(ask("verify", record_file, "--json").out)
    assert body["differences"] == found


def spoiled(line: str) -> str:
    """Returns a line of a record with other points, or another score."""
    fields = json.loads(line)
    if fields["type"] == "deal":
        fields["unasked"].append(99)
    if fields["type"] == "end":
        fields["scores"][0] += 1
    return json.dumps(fields)


def test_wrong_chat_lines_are_found_by_line_and_the_others_still_judged(
    ask: Callable[..., Answer],
) -> None:
    wrong = EXAMPLE.replace("s:3,-5,2", "s:3,-5,3")
    answer = ask("verify", stdin="\n".join([EXAMPLE, wrong, EXAMPLE, wrong]))
    assert answer.code == 5
    assert answer.out.splitlines() == [
        "standard input, line 2: s: says 3 -5 3, but by the rules it is 3 -5 2",
        "standard input, line 4: s: says 3 -5 3, but by the rules it is 3 -5 2",
        "4 deals judged again: 2 differences",
    ]


# What stands in a store beside the records, and the seed, is judged too.


def changed_record(result: TableResult, old: str, new: str) -> TableResult:
    assert old in result.record
    return replace(result, record=result.record.replace(old, new))


WRONG_COLUMNS = [
    ("ending", "cap", "column ending says cap, but the record deals"),
    ("scores", (1, 2, 3), "column scores says 1 2 3, but the record "),
    ("places", (1, 1, 1), "column places says 1 1 1, but the record "),
    (
        "seats",
        (EntrantId("bob"), EntrantId("ann"), EntrantId("cyd")),
        "the schedule seats ann, bob, cyd, not bob, ann, cyd",
    ),
    ("lane", 1, "the schedule has table 0.0 as number 0"),
    ("block", 9, "the schedule has table 0.0 as number 0"),
    ("number", 99, "the schedule has no table number 99"),
    ("record", "", "holds 0 matches; expected one"),
    ("record", dump_match(random_match("wikihow-3p", 1)) * 2, "holds 2 matches; expected one"),
    (
        "record",
        result_of(config(), 0, faults=0).record.replace('"table":"0.0"', '"table":"0.1"'),
        "column id says 0.0, but the record 0.1",
    ),
    ("record", "{", "the record cannot be read: "),
]


@pytest.mark.parametrize(("column", "value", "says"), WRONG_COLUMNS)
def test_a_column_that_is_not_what_the_record_says_is_found(
    column: str, value: object, says: str, ask: Callable[..., Answer], tmp_path: Path
) -> None:
    result = replace(result_of(config(), 0, faults=0), **{column: value})  # type: ignore[arg-type]
    answer = ask("verify", stored(tmp_path / "night.sqlite", [result]))
    assert answer.code == 5
    found = [line for line in answer.out.splitlines() if says in line]
    assert found
    assert found[0].startswith(f"{tmp_path / 'night.sqlite'}: table {result.id}: ")


FAULT_CHANGES = [
    ("seat", 7), ("entrant", EntrantId("eve")), ("kind", "crashed"), ("deal", 5),
    ("decision", 1000), ("question", "bid; legal: pass"), ("substitute", "pass now"),
]  # fmt: skip


@pytest.mark.parametrize(("field", "value"), FAULT_CHANGES)
def test_a_stored_fault_that_is_not_what_the_record_says_is_found(
    field: str, value: object, ask: Callable[..., Answer], tmp_path: Path
) -> None:
    result = next(r for n in range(6) if len((r := result_of(config(), n)).faults) > 1)
    faults = (result.faults[0], replace(result.faults[1], **{field: value}), *result.faults[2:])
    answer = ask("verify", stored(tmp_path / "a.sqlite", [replace(result, faults=faults)]))
    assert answer.code == 5
    [line, _] = answer.out.splitlines()
    assert f"table {result.id}: fault 2: {field} says {value}, but the record " in line
    answer = ask("verify", stored(tmp_path / "b.sqlite", [replace(result, faults=())]))
    assert f"0 faults are stored, but the record has {len(result.faults)}" in answer.out


def test_the_decisions_of_faults_are_counted_where_taking_the_widow_is_a_choice(
    ask: Callable[..., Answer], tmp_path: Path
) -> None:
    run = config(rules="kelley-3p", deals=4)
    results = [result_of(run, number) for number in range(6)]
    late = [fault for result in results for fault in result.faults if fault.deal > 0]
    assert late
    answer = ask("verify", stored(tmp_path / "n.sqlite", results, run))
    assert (answer.code, answer.err) == (0, "")


def test_faults_beside_a_record_that_does_not_hold_are_not_judged(
    ask: Callable[..., Answer], tmp_path: Path
) -> None:
    result = next(r for n in range(6) if (r := result_of(config(), n)).faults)
    record = re.sub(r'"plays":"(\S+) \S+', r'"plays":"\1 \1', result.record)
    answer = ask("verify", stored(tmp_path / "n.sqlite", [replace(result, record=record)]))
    assert (answer.code, answer.err) == (5, "")
    assert "may not play" in answer.out
    assert ": fault " not in answer.out


def test_deals_of_another_seed_are_found(ask: Callable[..., Answer], tmp_path: Path) -> None:
    results = [result_of(config(), number) for number in range(3)]
    answer = ask("verify", stored(tmp_path / "n.sqlite", results, config(seed="another")))
    assert answer.code == 5
    for result in results:
        said = f"table {result.id}, deal 0: the tiles are not the ones the seed deals"
        assert said in answer.out


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"deals": 3}, "the record has deals 2, the run has 3"),
        ({"deals": None}, "the record has deals 2, the run has None"),
        ({"max_deals": 7}, "the record has max_deals 100, the run has 7"),
        ({"ask_forced": True}, "the record has ask_forced False, the run has True"),
        ({"clock": {"strikes": 5}}, "the record has strikes 2, the run has 5"),
        ({"rules": "wikihow-3p"}, "the record has rules tournament-3p, the run has wikihow-3p"),
        ({"rules": "fosdick-3p"}, "the record has rules tournament-3p, the run has fosdick-3p"),
    ],
)
def test_a_table_that_was_played_for_something_else_is_found(
    more: dict[str, object], says: str, ask: Callable[..., Answer], tmp_path: Path
) -> None:
    data = {
        "bots": BOTS,
        "seed": "s",
        "rounds": 2,
        "deals": 2,
        **more,
    }
    run = parse_config({key: value for key, value in data.items() if value is not None})
    run = run.described(lambda bot: bot.name)
    answer = ask("verify", stored(tmp_path / "n.sqlite", [result_of(config(), 0)], run))
    assert answer.code == 5
    first, *_ = answer.out.splitlines()
    assert first.endswith(f"table 0.0: {says}")
    if "rules" in more:
        assert len(answer.out.splitlines()) == 2, "its deals are those of its own rules"


def test_a_damaged_store_is_told_as_that(ask: Callable[..., Answer], store_file: Path) -> None:
    data = store_file.read_bytes()
    store_file.write_bytes(data.replace(b'["ann","bob","cyd"]', b'["eve","bob","cyd"]', 1))
    answer = ask("verify", store_file)
    assert answer.code == 5
    first, second, _ = answer.out.splitlines()
    assert re.search(r"table \d\.\d \(number \d\) is damaged: it is not what was written", first)
    assert second == f"{store_file}: is damaged, so no table of it was judged"


def test_a_void_table_is_no_difference_and_has_no_record(
    ask: Callable[..., Answer], tmp_path: Path
) -> None:
    table = config().schedule().tables[0]
    void = TableResult(table.number, table.block, table.lane, table.seats)
    path = stored(tmp_path / "n.sqlite", [void, result_of(config(), 1)])
    assert ask("verify", path).code == 0
    answer = ask("show", path, "--table", "0.0")
    assert (answer.code, answer.out) == (3, "")
    assert "table 0.0 is void and has no record" in answer.err


# export


def test_the_hands_of_the_rules_reference_come_out_as_they_stand_there(told: Told) -> None:
    for text in HANDS.read_text(encoding="utf-8").splitlines():
        hand = json.loads(text)
        out = told("export", "--format", "hands", stdin=chat_line(hand))
        expected = text.replace(f'"id": "{hand["id"]}"', '"id": "1/0"')
        # Several presets are the same rules; the line carries the rules.
        same = {"ehow-3p": "wikihow-3p"}.get(hand["preset"], hand["preset"])
        expected = expected.replace(f'"preset": "{hand["preset"]}"', f'"preset": "{same}"')
        assert out == f"{expected}\n"


def chat_line(hand: dict[str, object]) -> str:
    """Returns a hand of the reference as a chat line, written here by hand."""

    def tiles(texts: list[str]) -> str:
        return "".join(text.replace("-", "") for text in texts)

    deal, tricks, bids = hand["deal"], hand["tricks"], hand["bids"]
    assert isinstance(deal, list)
    assert isinstance(tricks, list)
    assert isinstance(bids, list)
    words = {
        "rules": hand["preset"],
        "f": hand["first_bidder"],
        "h": "/".join(map(tiles, deal)),
        "w": tiles(hand["middle"]),  # type: ignore[arg-type]
        "b": ",".join(str(entry["bid"]).replace("pass", "p") for entry in bids),
        "t": str(hand["trump"])[0],
        "x": tiles([str(hand["discard"])]),
        "p": "/".join(tiles([play["tile"] for play in trick["plays"]]) for trick in tricks),
    }
    return "moon1 " + " ".join(f"{key}:{value}" for key, value in words.items())


def test_exported_hands_of_every_preset_are_judged_clean(told: Told, tmp_path: Path) -> None:
    names = [*presets(), "tournament-3p min_bid=3 trumps=0,doubles,none none_doubles=own_suit",
             "tournament-3p play_out=stop_when_decided all_pass=force_last",
             "tournament-3p tileset=28 exchange=optional trump_named=before_exchange",
             "tournament-4p bid_rounds=until_all_but_one_pass moon_overcall=42"]  # fmt: skip
    terms = TableTerms(strikes=0)
    records = [
        replace(random_match(name, seed, max_deals=6, faults=0.01, terms=terms), table=f"{seed}.0")
        for seed, name in enumerate(names)
    ]
    assert {record.result.ending for record in records} == {Ending.FORFEIT, Ending.CAP}
    match_file, hand_file = tmp_path / "match.jsonl", tmp_path / "hands.jsonl"
    match_file.write_text("".join(map(dump_match, records)))
    hand_file.write_text(told("export", "--format", "hands", match_file))
    ids = [json.loads(line)["id"] for line in hand_file.read_text().splitlines()]
    assert ids == [
        f"{record.table}/{deal.number}"
        for record in records
        for deal in record.deals
        if deal.made is not None
    ]
    judge = subprocess.run(
        [sys.executable, ROOT / "tests" / "rules" / "run_vectors.py", hand_file],
        env=ENV, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert judge.returncode == 0, judge.stdout
    assert f"{len(ids)} entries" in judge.stdout
    assert judge.stderr == "", "every key of it was compared"


def test_the_hand_of_one_deal_is_exported(told: Told, record_file: Path) -> None:
    words = ("export", "--format", "hands", record_file, "--table", "0.1")
    every = told(*words).splitlines()
    assert told(*words, "--deal", 1).splitlines() == every[1:2]


def test_changed_options_stand_beside_the_preset_as_the_reference_writes_them(told: Told) -> None:
    rules = "tournament-3p+min_bid=3+trumps=0,doubles,none+rotate_first_bidder=false"
    line = EXAMPLE.replace("wikihow-3p", rules)
    hand = json.loads(told("export", "--format", "hands", stdin=line))
    assert hand["preset"] == "tournament-3p"
    assert hand["set"] == {
        "rotate_first_bidder": False, "min_bid": 3, "trumps": [0, "doubles", "none"],
    }  # fmt: skip


def test_chat_lines_go_out_and_come_back_to_the_same_deals(told: Told, record_file: Path) -> None:
    lines = told("export", "--format", "lines", record_file)
    assert len(lines.splitlines()) == sum(len(record.deals) for record in load(record_file))
    assert told("export", "--format", "lines", stdin=lines) == lines
    one = told("export", "--format", "lines", record_file, "--table", "0.1", "--deal", 1)
    assert one in lines
    assert len(one.splitlines()) == 1


def test_records_go_out_as_they_came_in(told: Told, record_file: Path) -> None:
    assert told("export", record_file) == record_file.read_text(encoding="utf-8")
    one = told("export", record_file, "--table", "0.1")
    assert one in record_file.read_text(encoding="utf-8")
    assert [record.table for record in load_matches(one.splitlines())] == ["0.1"]


# Errors.


@pytest.mark.parametrize(
    ("words", "stdin", "code", "says"),
    [
        (["verify", "nowhere.jsonl"], "", 3, "nowhere.jsonl: there is no such file"),
        (["show", "nowhere.sqlite"], "", 3, "nowhere.sqlite: there is no such file"),
        (["export", "nowhere.toml"], "", 3, "nowhere.toml: there is no such file"),
        (["verify", "."], "", 2, ".: cannot be read: is a directory"),
        (["verify", "a\0b"], "", 2, "cannot be read"),
        (["verify", "x" * 5000], "", 2, "cannot be read: file name too long"),
        (["verify"], "", 2, "standard input: is empty"),
        (["verify"], "\n \n", 2, "standard input: is empty"),
        (["show"], "hello", 2, "standard input, line 1: is neither a deal (it would begin with"),
        (["show"], "\nmoon2 h:", 2, "standard input, line 2: begins with 'moon2', not with"),
        (["show"], f"{EXAMPLE}\nnonsense", 2, "standard input, line 2: begins with 'nonsense'"),
        (["show"], EXAMPLE.replace("n:0", "n:x"), 2, "line 1, n:: 'x' is no whole number"),
        (["show"], EXAMPLE.replace("1166", "1155"), 5, "line 1, choice 6: seat 2 may not play"),
        (["export", "--format", "hands"], EXAMPLE.replace("x:41", "x:66"), 5, "may not discard"),
        (["show", "--seat", "3"], EXAMPLE, 2, "--seat: there is no seat 3 at a table of 3"),
        (["show", "--seat", "4"], EXAMPLE, 2, "--seat"),
        (["show", "--deal", "1"], EXAMPLE, 3, "has no deal 1; the last one is 0"),
        (["show", "--table", "0.0"], EXAMPLE, 3, "standard input: has no table '0.0'"),
        (["export"], EXAMPLE, 2, "a chat line is one deal and no whole match"),
        (["export", "--deal", "0"], EXAMPLE, 2, "--deal: a deal is no whole match"),
        (["export", "--format", "pgn"], EXAMPLE, 2, "'pgn' is not one of"),
        (["show", "a", "--store", "b"], "", 2, "two records are named, 'a' and 'b'"),
        (["verify"], "{\"type\":\"match\"}", 2, "standard input, line 1: has no 'v'"),
        (["verify"], "\xff", 2, "is neither a deal"),
    ],
)  # fmt: skip
def test_an_error_says_what_is_wrong_where_and_has_its_exit_code(
    words: list[str],
    stdin: str,
    code: int,
    says: str,
    ask: Callable[..., Answer],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = ask(*words, stdin=stdin)
    assert answer.code == code
    assert says in answer.err
    assert answer.err.splitlines()[-1].startswith("moon: ")


def test_bytes_that_are_no_text_are_refused_by_line(ask: Callable[..., Answer]) -> None:
    answer = ask("verify", stdin=EXAMPLE.encode() + b"\n\xff\xfe\n")
    assert answer.code == 2
    assert answer.err == "moon: standard input, line 2: is not UTF-8 (invalid start byte)\n"


def test_a_run_is_not_drawn_as_a_whole(ask: Callable[..., Answer], store_file: Path) -> None:
    answer = ask("show", store_file)
    assert answer.code == 2
    assert "--table: a run has many tables; say which, like --table 0.0" in answer.err


def test_a_table_or_deal_that_is_not_there_is_named(
    ask: Callable[..., Answer], store_file: Path, record_file: Path
) -> None:
    for words, says in (
        (("show", store_file, "--table", "9.9"), "table '9.9' is not stored"),
        (("show", store_file, "--table", "x"), "table 'x' is not stored"),
        (("show", record_file, "--table", "9.9"), "has no table '9.9'"),
        (("show", record_file, "--table", "0.1", "--deal", 7), "has no deal 7; the last one is 1"),
    ):
        answer = ask(*words)
        assert (answer.code, answer.out) == (3, "")
        assert says in answer.err


def test_a_missing_file_is_told_before_the_others_are_judged(
    ask: Callable[..., Answer], record_file: Path, tmp_path: Path
) -> None:
    answer = ask("verify", record_file, tmp_path / "gone.jsonl")
    assert (answer.code, answer.out) == (3, "")


# Streams.


def endless(text: str) -> BinaryIO:
    """Returns a file in which *text* comes again and again."""

    class Endless(io.RawIOBase):
        left = b""

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
            self.left = self.left or text.encode()
            count = min(len(buffer), len(self.left))
            buffer[:count], self.left = self.left[:count], self.left[count:]
            return count

    return cast("BinaryIO", io.BufferedReader(Endless()))


@pytest.mark.parametrize("kind", ["matches", "chat lines"])
def test_records_are_read_one_at_a_time_however_many_there_are(kind: str) -> None:
    match = dump_match(random_match("tournament-3p", 1, max_deals=2))
    text = match if kind == "matches" else f"{EXAMPLE}\n"
    stream: Iterator[object] = read_entries(endless(text), "endless")
    next(stream)
    tracemalloc.start()
    assert sum(1 for _ in islice(stream, 2000)) == 2000
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000


def test_a_file_that_is_one_endless_line_is_refused_and_not_read_to_its_end() -> None:
    with pytest.raises(ValueError, match="line 1: has more than 16777216 bytes"):
        list(read_entries(endless("x" * 1000), "endless"))


def test_a_pipe_is_read_once(record_file: Path, told: Told) -> None:
    words = " ".join(COMMAND)
    read = subprocess.run(
        ["bash", "-c", f"{words} export <(cat {record_file})"],
        env=ENV, capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip
    assert (read.returncode, read.stderr) == (0, "")
    assert read.stdout == told("export", record_file)


def test_a_reader_that_leaves_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    path.write_text(dump_match(random_match("tournament-3p", 1, max_deals=5)) * 200)
    for form in ("hands", "lines", "jsonl"):
        words = " ".join([*COMMAND, "export", "--format", form, str(path)])
        script = f"set -o pipefail; {words} | head -1"
        answer = subprocess.run(
            ["bash", "-c", script], env=ENV, capture_output=True, text=True, check=False, cwd=ROOT
        )
        assert answer.returncode == 141
        assert answer.stderr == ""
        assert len(answer.stdout.splitlines()) == 1


def test_what_takes_long_says_on_stderr_how_far_it_is_and_nothing_on_stdout(
    ask: Callable[..., Answer], store_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = iter(range(0, 1000, 4))
    monkeypatch.setattr(patience, "time", SimpleNamespace(monotonic=lambda: float(next(now))))
    answer = ask("verify", store_file)
    assert answer.code == 0
    assert len(answer.out.splitlines()) == 1
    assert answer.err.splitlines() == [
        "moon: 1 of 6 tables",
        "moon: 4 of 6 tables, 8s left",
    ]


def test_help_says_what_can_be_read(told: Told) -> None:
    assert "standard input" in told("--help")
    for command in ("show", "verify", "export"):
        assert "STORE" in told(command, "--help")


def test_chat_lines_and_files_need_no_database_library() -> None:
    code = (
        "import sys; from tournaments.cli.main import main; "
        "code = main(['replay', 'verify']); "
        "heavy = {'sqlalchemy', 'alembic', 'grpc', 'google', 'numpy'} & set(sys.modules); "
        "sys.exit(f'{code} {heavy}' if code or heavy else 0)"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code],
        input=EXAMPLE, env=ENV, capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
