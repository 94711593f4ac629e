"""Crossing halves: the parts of a table of values, the blocks they come from, and the command."""

from __future__ import annotations

import asyncio
import json
import random
import signal
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from math import fsum
from pathlib import Path

import pytest

from referee.rules import Rules, parse_rules
from tests.e2e.screen import Screen
from tournaments.lab.cross import Cross, Parts, Untold, cross_schedule
from tournaments.lab.crossing import CrossPlay
from tournaments.reports.cross_report import cross_document, cross_lines, estimate
from tournaments.results import FaultRow, TableResult
from tournaments.runner.report import RunReport
from tournaments.schedule import EntrantId, Table

FIXTURES = Path(__file__).parents[1] / "fixtures"
THREE, FOUR = parse_rules("tournament-3p"), parse_rules("tournament-4p")
RIVAL = EntrantId("rival")
SPLITS = tuple(tuple(EntrantId(f"{i}/{j}") for j in "abc") for i in "abc")
BOLD, MEEK = "bold=inproc:bidders:Bidder?pips=36", "meek=inproc:bidders:Bidder?pips=44"
GREEDY = "greedy=inproc:sample_bots.greedy:Greedy"


def result(
    rules: Rules, table: Table, scores: list[int], forfeit: int | None = None
) -> TableResult:
    preset = "tournament-3p" if rules.players == 3 else "tournament-4p"
    record = "\n".join(map(json.dumps, [{"type": "match", "rules": preset}, {"type": "deal"}]))
    faults = ()
    if forfeit is not None:
        faults = (FaultRow(forfeit, table.seats[forfeit], "crashed", 0, 1),)
    return TableResult(
        table.number, table.block, table.lane, table.seats,
        "deals" if forfeit is None else "forfeit",
        tuple(scores), (1,) * rules.side_count, record, faults=faults,
    )  # fmt: skip


def crossed(
    score: Callable[[Table, int], list[int]], blocks: int, rules: Rules = THREE
) -> tuple[Cross, list[TableResult]]:
    """Returns a cross that has taken nothing yet, and its tables, scored by table and seat."""
    schedule = cross_schedule(SPLITS, RIVAL, blocks=blocks, seats=rules.players)
    tables = []
    for table in schedule.tables:
        [place] = [s for s, who in enumerate(table.seats[: rules.side_count]) if who != RIVAL]
        tables.append(result(rules, table, score(table, place)))
    return Cross(rules, schedule, SPLITS), tables


def test_the_parts_of_a_table_add_up_to_it_and_to_nothing() -> None:
    rng = random.Random(3)
    values = tuple(tuple(rng.gauss(0.0, 2.0) for _ in range(4)) for _ in range(4))
    parts = Parts.of(values)
    for effects in (
        parts.bidding,
        parts.play,
        *parts.interaction,
        *zip(*parts.interaction, strict=True),
    ):
        assert fsum(effects) == pytest.approx(0.0)
    for i, row in enumerate(values):
        for j, value in enumerate(row):
            effects = (parts.mean, parts.bidding[i], parts.play[j], parts.interaction[i][j])
            assert fsum(effects) == pytest.approx(value)


@pytest.mark.parametrize("seats", [3, 4])
def test_every_split_sits_once_on_every_side_of_the_same_deals(seats: int) -> None:
    """Else the luck of a seat would be taken for the worth of a split."""
    schedule = cross_schedule(SPLITS, RIVAL, blocks=2, seats=seats)
    sides = 3 if seats == 3 else 2
    for block in schedule.blocks:
        assert [table.lane for table in block.tables] == list(range(9 * sides))
        places = Counter(
            (who, seat) for table in block.tables for seat, who in enumerate(table.seats)
            if who != RIVAL
        )  # fmt: skip
        assert places == {
            (split, seat): 1 for row in SPLITS for split in row for seat in range(seats)
        }
    assert [table.number for table in schedule.tables] == list(range(18 * sides))


def worth(table: Table, place: int) -> list[int]:
    """Scores by luck of the deal and of the seat, and by what each half is worth."""
    luck = random.Random(f"{table.block}")
    scores = [luck.randrange(-6, 7) for _ in range(3)]
    bids, plays = table.seats[place].split("/")
    scores[place] += {"a": 4, "b": 0, "c": -4}[bids] + {"a": 0, "b": 2, "c": 4}[plays]
    scores[place] += 6 * (bids == plays == "a")
    return scores


def test_effects_are_found_whatever_luck_the_deals_bring() -> None:
    cross, tables = crossed(worth, 20)
    random.Random(1).shuffle(tables)
    for each in tables:
        cross.take([each])
    assert (cross.is_over, cross.blocks) == (True, 20)
    assert [tally.mean for tally in cross.bidding] == pytest.approx([4 + 4 / 3, -2 / 3, -4 - 2 / 3])
    assert [tally.mean for tally in cross.play] == pytest.approx([-2 + 4 / 3, -2 / 3, 2 - 2 / 3])
    # What a/a is worth beyond its halves, 6 points, less what the effects have of it.
    expected = [
        [6.0 * ((i == j == 0) - (i == 0) / 3 - (j == 0) / 3 + 1 / 9) for j in range(3)]
        for i in range(3)
    ]
    for row, wanted in zip(cross.interaction, expected, strict=True):
        assert [tally.mean for tally in row] == pytest.approx(wanted)
    # The luck of a deal is the same for every split, so that of each seat cancels in every value.
    assert all(tally.squares == pytest.approx(0.0) for row in cross.values for tally in row)


def test_a_block_counts_once_all_before_it_are_there() -> None:
    """Else the blocks that are quick to play would count oftener when it is stopped."""
    cross, tables = crossed(worth, 3)
    cross.take(tables[27:])
    assert cross.blocks == 0
    cross.take(tables[:27])
    assert cross.blocks == 3


def test_a_forfeit_costs_the_split_and_a_rivals_or_a_void_table_its_block() -> None:
    cross, tables = crossed(lambda _, __: [0, 0, 0], 3)
    lost, rivals, void, *rest = tables[0], tables[27], tables[54], *tables[1:27], *tables[28:54]
    place = lost.seats.index(EntrantId("a/a"))
    [by_split, by_rival] = [
        result(THREE, Table(t.number, t.block, t.lane, t.seats), [5, 5, 5], forfeit)
        for t, forfeit in ((lost, place), (rivals, 1 if rivals.seats[1] == RIVAL else 0))
    ]
    cross.take([by_split, by_rival, *rest, *tables[55:]], [void])
    # A moon that is set while one other takes all tricks: -21 - 7/2, at one table of three.
    assert cross.values[0][0].mean == pytest.approx(-24.5 / 3)
    assert cross.blocks == 1
    assert cross.untold == {Untold.RIVAL: 1, Untold.VOID: 1}
    assert cross.forfeits == {"a/a": 1, RIVAL: 1}
    assert cross.faults == {("a/a", "crashed"): 1, (RIVAL, "crashed"): 1}
    assert cross.taken == cross.wanted == 3


def test_what_happened_in_a_void_block_is_counted_though_it_tells_nothing() -> None:
    cross, tables = crossed(lambda _, __: [0, 0, 0], 1)
    void, lost, *rest = tables
    place = lost.seats.index(EntrantId("a/a"))
    seated = Table(lost.number, lost.block, lost.lane, lost.seats)
    cross.take([result(THREE, seated, [5, 5, 5], place), *rest], [void])
    assert cross.untold == {Untold.VOID: 1}
    assert cross.faults == {("a/a", "crashed"): 1}
    assert cross.forfeits == {"a/a": 1}, "its fault is counted, and so is what it cost"


def test_faults_are_told_by_kind_with_the_first_of_each() -> None:
    cross, tables = crossed(worth, 2)
    rows = [
        FaultRow(0, EntrantId("a/b"), kind, 0, 1, "bid?", detail, "", f"trace of {detail}")
        for kind, detail in (("timeout", "slow"), ("illegal", "bid 99"), ("timeout", "slower"))
    ]
    cross.take([replace(tables[0], faults=tuple(rows)), *tables[1:]])
    told = cross_lines(cross)
    assert "faults: a/b 1 illegal: bid 99" in told
    assert "faults: a/b 2 timeout; the first: slow" in told
    assert "  stderr: trace of slow" in told
    document = cross_document(cross, "abc")
    assert document["faults"] == {"a/b": 3}
    [illegal, timeout] = document["faults_by_kind"]  # type: ignore[misc] - JSON
    assert (illegal["kind"], illegal["count"], timeout["count"]) == ("illegal", 1, 2)
    assert timeout["first"]["stderr_tail"] == "trace of slow"


def noisy(table: Table, place: int) -> list[int]:
    """Scores in which also what a split is worth varies."""
    scores = worth(table, place)
    scores[place] += random.Random(f"{table.block} {table.seats[place]}").randrange(5)
    return scores


def test_of_few_blocks_no_interval_is_shown() -> None:
    """One of two blocks reaches 12.7 times its error, and looks like a finding all the same."""
    for blocks in (2, 4, 5):
        cross, tables = crossed(noisy, blocks)
        cross.take(tables)
        known = blocks >= 5
        assert (" ± " in estimate(cross.values[0][0])) == known
        split = cross_document(cross, "abc")["splits"][0]  # type: ignore[index] - JSON
        assert (split["low"] is not None) == known
        assert (
            any(line.startswith("no ±: with fewer than 5 blocks") for line in cross_lines(cross))
            != known
        )


def test_a_cross_that_was_stopped_does_not_look_like_a_finished_one() -> None:
    cross, tables = crossed(worth, 9)
    cross.take(tables[: 27 * 7 + 3])
    [told] = [line for line in cross_lines(cross) if line.startswith("stopped")]
    assert told.startswith("stopped after 7 of 9 blocks; the rest was not played")
    document = cross_document(cross, "abc")
    assert (document["blocks"], document["blocks_asked"]) == (7, 9)
    cross.take(tables[27 * 7 + 3 :])
    assert not any("stopped" in line for line in cross_lines(cross))


def test_pairs_are_measured_by_the_other_pair() -> None:
    cross, tables = crossed(lambda _, place: [5, 1] if place == 0 else [2, 3], 1, FOUR)
    cross.take(tables)
    assert cross.mean.mean == pytest.approx(2.5)


@pytest.fixture
def out(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Screen:
    monkeypatch.chdir(FIXTURES)
    return Screen(capsys)


def test_the_command_shows_what_each_half_is_worth(out: Screen) -> None:
    words = (BOLD, MEEK, GREEDY, "--against", GREEDY, "--deals", "1", "--seed", "tea")
    text = out.moon("lab", "cross", *words, "--blocks", 6, "--json")
    found = json.loads(text)
    assert (found["schema"], found["rival"], found["stopped"]) == (
        "moon.lab.cross/1",
        "greedy",
        False,
    )
    by_name = {split["entrant"]: split for split in found["splits"]}
    assert by_name["greedy/greedy"]["value"] == 0.0, "it sits among its own"
    assert by_name["bold/bold"]["value"] == by_name["bold/meek"]["value"] != 0.0, "both play alike"
    assert [row["bot"] for row in found["bidding"]] == ["bold", "meek", "greedy"]
    bold, meek, greedy = (row["value"] for row in found["bidding"])
    assert bold < greedy > meek
    assert found["play"][0]["value"] == found["play"][1]["value"]
    assert 0 < found["deals_played_out"] < found["deals"] == 6 * 27


def test_halves_that_play_alike_have_no_effect_and_no_interaction_and_that_is_said(
    out: Screen,
) -> None:
    text = out.moon("lab", "cross", BOLD, MEEK, "--against", MEEK, "--deals", 1, "--blocks", 3)
    assert text.startswith("bold, meek against meek: rules tournament-3p, matches of 1 deal")
    assert "meek/meek is the rival itself, meek: it is worth exactly 0 among its like" in text
    [effects] = [line for line in text.splitlines() if line.startswith("effect of play")]
    assert effects.split()[3:5] == ["+0.000", "+0.000"]
    assert "the effects add up exactly in every block: there is no interaction" in text
    assert text.rstrip().endswith("unrated: in-process bots: bold, meek")
    assert "--blocks 3: of fewer than 5 blocks no interval is shown" in out.error
    assert "same bot" not in text


def test_the_same_bot_twice_is_said_to_be_that(out: Screen) -> None:
    words = (BOLD, f"also{BOLD}", "--against", MEEK, "--deals", 1, "--blocks", 2)
    assert "alsobold is the same bot as bold: " in out.moon("lab", "cross", *words)
    told = json.loads(out.moon("lab", "cross", *words, "--json"))
    assert (told["same_bots"], told["blocks_asked"]) == ([["bold", "alsobold"]], 2)


def test_stopped_before_the_first_block_it_says_so_and_writes_nothing(
    out: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty document looked like a result."""

    class Stopped(CrossPlay):
        async def run(self) -> RunReport:
            self.is_told = asyncio.Event()
            signal.raise_signal(signal.SIGINT)
            await self.is_told.wait()
            return RunReport()

        def stop(self) -> None:
            self.is_told.set()

    monkeypatch.setattr("tournaments.cli.lab_cross.CrossPlay", Stopped)
    for more in ((), ("--json",)):
        assert out.moon("lab", "cross", BOLD, MEEK, "--blocks", 50, *more, code=130) == ""
        assert "stopped before the first of 50 blocks: nothing is known" in out.error


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((GREEDY,), "cross two bots or more; got 1"),
        (("counter / greedy", "greedy"), "has two halves already"),
        (("greedy", "grpc://host:1"), "a remote bot is one process"),
    ],
)
def test_what_cannot_be_crossed_is_refused(out: Screen, words: tuple[str, ...], said: str) -> None:
    assert out.moon("lab", "cross", *words, code=2) == ""
    assert said in out.error
