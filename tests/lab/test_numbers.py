"""The numbers of the laboratory are those that one counts by hand."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Iterable

import pytest

from referee.rules import preset_rules
from tests.lab.handmade import HANDS, MIDDLE, RULES, block, deal, table
from tournaments.lab import Figure, Laboratory
from tournaments.lab.reading import read_blocks
from tournaments.results import TableResult


def laboratory(tables: Iterable[TableResult], *by: str) -> Laboratory:
    found = Laboratory(preset_rules(RULES), by)
    for deals in read_blocks(tables, found.counts):
        found.take(deals, "night.sqlite")
    return found


@pytest.fixture(scope="module")
def counted() -> Laboratory:
    return laboratory(block())


def value(found: Laboratory, topic: str, entrant: str, what: str, measure: str) -> Figure:
    [row] = [
        row
        for row in found.figures(topic, entrant=entrant, what=what, measure=measure)
        if not row.against
    ]
    return row


@pytest.mark.parametrize(
    ("topic", "entrant", "what", "measure", "expected", "count"),
    [
        ("bids", "bob", "4", "bid", 2 / 3, 3),
        ("bids", "bob", "21", "bid", 0.0, 3),
        ("bids", "ann", "pass", "bid", 1.0, 3),
        ("contracts", "bob", "4", "played", 2 / 3, 3),
        ("contracts", "bob", "4", "made", 0.5, 2),
        ("contracts", "bob", "all", "made", 2 / 3, 3),
        ("contracts", "bob", "4", "tricks", 4.0, 2),
        ("contracts", "bob", "5", "surplus", 0.0, 1),
        ("contracts", "bob", "4", "points", 0.0, 2),
        ("contracts", "bob", "4", "net", (3 - 6) / 2, 2),
        ("trumps", "bob", "6", "named", 1 / 3, 3),
        ("trumps", "bob", "3", "made", 1.0, 2),
        ("exchange", "bob", "all", "kept", 1 / 3, 3),
        ("defence", "ann", "all", "set", 1 / 3, 3),
        ("defence", "cyd", "5", "set", 0.0, 1),
        ("choices", "ann", "pass, the other bids 4", "more", (4.5 - 5) / 2, 2),
        ("choices", "bob", "4, the other passes", "more", (-4.5 - 4 + 5) / 3, 3),
        ("choices", "cyd", "pass, the other passes", "more", -0.5, 1),
        ("missed", "ann", "4", "missed", 1 / 2, 2),
        ("missed", "ann", "all", "missed", 1 / 3, 3),
        ("missed", "ann", "4", "cost", 5.0, 1),
    ],
)
def test_a_number_is_the_one_counted_by_hand(
    counted: Laboratory,
    topic: str,
    entrant: str,
    what: str,
    measure: str,
    expected: float,
    count: int,
) -> None:
    row = value(counted, topic, entrant, what, measure)
    assert (row.value, row.count, row.blocks) == (pytest.approx(expected), count, 1)


def test_the_exchange_is_worth_what_it_adds_to_the_count_of_the_hand(counted: Laboratory) -> None:
    # Fives promise 10 + 10 + 10, two doubles 16, 6-4 another 2; 5-4 for 2-1 is one trump more. In
    # the two other deals the widow is put back.
    row = value(counted, "exchange", "bob", "all", "gain")
    assert (row.value, row.count) == (pytest.approx(1 / 3), 3)


def test_the_deal_that_shows_a_missed_bid_and_an_overbid_is_named(counted: Laboratory) -> None:
    [missed] = counted.shelf.examples("missed", "ann")
    assert (missed.table, missed.deal, missed.seat, missed.level) == ("0.2", 0, 1, "4")
    assert (missed.other, missed.other_table, missed.cost) == ("bob", "0.0", 5.0)
    over = list(counted.shelf.examples("over", "bob", "4"))
    assert [(each.table, each.other, each.cost) for each in over] == [
        ("0.1", "ann", 4.5),
        ("0.1", "cyd", 4.0),
    ]


def test_another_hand_or_other_bids_before_it_are_never_compared() -> None:
    first, second, third = block()
    other_hands = table(1, "bca", deal("4 pass pass", (3, 2, 2), (-4, 2, 2), hands=HANDS[::-1]))
    found = laboratory([first, other_hands])
    assert not list(found.figures("choices"))
    assert [row.count for row in laboratory([first, second]).figures("choices")] == [1, 1]
    assert third.seats == ("cyd", "ann", "bob")


def test_faults_forced_bids_and_broken_deals_say_nothing_of_a_bidder() -> None:
    forced = deal("pass pass 4", (3, 2, 2), (2, 2, -4), forced=True)
    faulted = deal("4 pass pass", (3, 2, 2), (-4, 2, 2), faults=[[0, 0, "timeout"]])
    broken = deal("4 pass", (0, 0, 0), None)
    thrown_in = deal("pass pass pass", (0, 0, 0), None)
    found = laboratory([table(0, "abc", thrown_in, forced, faulted, broken)])
    assert (found.counts.deals, found.counts.faulted, found.counts.broken) == (2, 1, 1)
    assert not next(iter(found.figures("bids", entrant="cyd", what="4", measure="bid"))).value
    assert value(found, "bids", "cyd", "pass", "bid").count == 1, "the forced turn is no choice"
    assert value(found, "contracts", "cyd", "4 forced", "made").count == 1
    assert not list(found.figures("contracts", entrant="cyd", what="4", measure="made"))


@pytest.mark.parametrize(
    ("by", "group", "count"),
    [("seat", "seat 0", 2), ("place", "bids third", 1), ("score", "threatened", 1)],
)
def test_numbers_are_told_apart_by_seat_place_and_score(by: str, group: str, count: int) -> None:
    far = deal("pass pass 5", (0, 0, 7), (0, 0, 14))
    won = deal("pass 5 pass", (1, 5, 1), (1, 5, 1), first=1, n=1)
    rows = laboratory([table(0, "abc", far, won)], by).figures("bids", entrant="ann", what="pass")
    assert {row.group: row.count for row in rows}[group] == count


def test_with_a_fixed_number_of_deals_a_side_is_ahead_level_or_behind() -> None:
    deals = [deal("pass pass 5", (0, 0, 7), (0, 0, 5), n=n) for n in range(2)]
    rows = laboratory([table(0, "abc", *deals, deals=2)], "score").figures("bids", what="5")
    assert {(row.entrant, row.group) for row in rows} >= {("cyd", "level"), ("cyd", "ahead")}


def test_any_order_of_blocks_gives_the_same_numbers_and_the_same_deals() -> None:
    numbers = list(range(40))
    seen = set()
    for seed in (1, 2):
        random.Random(seed).shuffle(numbers)
        found = laboratory(each for number in numbers for each in block(number))
        kept = list(found.shelf.examples("over"))
        seen.add((repr(list(found.figures())), repr(found.findings()), repr(kept)))
    assert len(seen) == 1


def test_more_blocks_take_no_more_memory() -> None:
    found = laboratory(block())
    held = []
    tracemalloc.start()
    try:
        for part in range(2):
            numbers = range(1 + 40 * part, 41 + 40 * part)
            for deals in read_blocks((each for n in numbers for each in block(n)), found.counts):
                found.take(deals)
            held.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert found.counts.tables == 243
    assert held[1] - held[0] < 30_000, "forty blocks that are kept take 80,000 bytes"


def test_the_middle_is_what_the_tests_take_it_for() -> None:
    assert MIDDLE not in " ".join(HANDS)
