"""The round robin seen from outside: who meets whom, where, in which order."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections import Counter
from itertools import combinations, permutations

import pytest

from referee.errors import ConfigError
from tournaments.schedule import EntrantId, Schedule, round_robin
from tournaments.schedule.fair_order import fair_order

# The first 16 digits of the hash of the schedule as text; see `as_text`. They change only when
# somebody means to change the schedule, because a stored run can then no longer be continued.
GOLDEN_THREE = {
    3: "fa6ac457d2dc4e2f",
    4: "7682b86c4fc6ec0f",
    5: "0d60647f3984ccbd",
    6: "452555cb21631b1b",
    7: "42802ca0a97648f5",
    8: "b5e459e5a4c78653",
    9: "5eee44c2eeda9e7c",
    10: "1dcce75e9afea6ce",
    11: "e01368c77fa1a698",
    12: "6528fd30ff155cc4",
}
GOLDEN_FOUR = {
    2: "a26575a4dc3a7ab6",
    3: "b0681acdd97c7a6a",
    4: "e83eb19cfb21c7a9",
    5: "e072d9602cc2572d",
    6: "9c54d20ebe1e92d0",
    7: "230389fe30f48d29",
    8: "a84c457886ca737b",
    9: "12e443b6368ba5dc",
    10: "d987eedab55cb53d",
    11: "9833d5c1f72c90fa",
    12: "1f80d9ad47df7a2d",
}


def names(count: int) -> list[EntrantId]:
    return [EntrantId(chr(ord("a") + i)) for i in range(count)]


def as_text(schedule: Schedule) -> str:
    return "\n".join(
        f"{block.number} {block.round} {block.cell} {table.number} {table.lane} "
        + " ".join(table.seats)
        for block in schedule.blocks
        for table in block.tables
    )


def digest(schedule: Schedule) -> str:
    return hashlib.sha256(as_text(schedule).encode()).hexdigest()[:16]


def three(count: int, rounds: int = 1) -> Schedule:
    return round_robin(names(count), seats=3, rounds=rounds)


def four(count: int, rounds: int = 1) -> Schedule:
    return round_robin(names(count), seats=4, rounds=rounds)


def test_three_entrants_play_the_six_seatings_in_two_blocks() -> None:
    assert as_text(three(3)).splitlines() == [
        "0 0 0-1-2 0 0 a b c",
        "0 0 0-1-2 1 1 b c a",
        "0 0 0-1-2 2 2 c a b",
        "1 0 0-1-2 3 0 a c b",
        "1 0 0-1-2 4 1 c b a",
        "1 0 0-1-2 5 2 b a c",
    ]


def test_three_pairs_play_every_meeting_with_the_sides_swapped() -> None:
    assert as_text(four(3, rounds=2)).splitlines()[:8] == [
        "0 0 0-1 0 0 a b a b",
        "0 0 0-1 1 1 b a b a",
        "1 0 0-2 2 0 a c a c",
        "1 0 0-2 3 1 c a c a",
        "2 0 1-2 4 0 b c b c",
        "2 0 1-2 5 1 c b c b",
        "3 1 0-1 6 0 a b a b",
        "3 1 0-1 7 1 b a b a",
    ]


@pytest.mark.parametrize("count", range(3, 13))
def test_the_schedule_for_three_seats_is_the_same_as_ever(count: int) -> None:
    assert digest(three(count)) == GOLDEN_THREE[count]


@pytest.mark.parametrize("count", range(2, 13))
def test_the_schedule_for_pairs_is_the_same_as_ever(count: int) -> None:
    assert digest(four(count)) == GOLDEN_FOUR[count]


@pytest.mark.parametrize("count", range(3, 13))
def test_everybody_meets_everybody_equally_often_in_every_seat(count: int) -> None:
    schedule = three(count, rounds=2)
    seats = Counter((seat, who) for t in schedule.tables for seat, who in enumerate(t.seats))
    pairs = Counter(frozenset(p) for t in schedule.tables for p in combinations(t.seats, 2))
    triples = Counter(frozenset(t.seats) for t in schedule.tables)
    left = Counter(
        (t.seats[seat], t.seats[(seat + 1) % 3]) for t in schedule.tables for seat in range(3)
    )
    lanes = Counter((t.lane, who) for t in schedule.tables for who in t.seats)
    orders = Counter(t.seats for t in schedule.tables)
    for counts, kinds in (
        (seats, 3 * count),
        (pairs, count * (count - 1) // 2),
        (triples, count * (count - 1) * (count - 2) // 6),
        (left, count * (count - 1)),
        (lanes, 3 * count),
        (orders, count * (count - 1) * (count - 2)),
    ):
        assert (len(counts), len(set(counts.values()))) == (kinds, 1)
    assert set(orders) == set(permutations(names(count), 3))


@pytest.mark.parametrize("count", range(2, 13))
def test_every_two_pairs_meet_equally_often_on_both_sides(count: int) -> None:
    schedule = four(count, rounds=3)
    sides = Counter((t.seats[0], t.seats[1]) for t in schedule.tables)
    assert set(sides) == set(permutations(names(count), 2))
    assert set(sides.values()) == {3}
    assert all(t.seats[:2] == t.seats[2:] for t in schedule.tables)


@pytest.mark.parametrize("schedule", [three(5, rounds=2), four(5, rounds=2)], ids=["3", "4"])
def test_a_block_is_one_set_of_entrants_with_the_seats_turned(schedule: Schedule) -> None:
    for block in schedule.blocks:
        assert [t.lane for t in block.tables] == list(range(len(block.tables)))
        assert {t.block for t in block.tables} == {block.number}
        assert len({frozenset(t.seats) for t in block.tables}) == 1
        # Nobody sits in the same seat twice on the same deals.
        by_seat = list(zip(*(t.seats for t in block.tables), strict=True))
        assert all(len(set(who)) == len(who) for who in by_seat)


@pytest.mark.parametrize("schedule", [three(6, rounds=2), four(6, rounds=2)], ids=["3", "4"])
def test_numbers_and_labels_are_without_gap_or_repetition(schedule: Schedule) -> None:
    assert [b.number for b in schedule.blocks] == list(range(len(schedule.blocks)))
    assert [t.number for t in schedule.tables] == list(range(len(schedule.tables)))
    assert [b.label for b in schedule.blocks] == [f"block/{b.number}" for b in schedule.blocks]
    assert len({t.id for t in schedule.tables}) == len(schedule.tables)


@pytest.mark.parametrize("count", range(3, 13))
@pytest.mark.parametrize("seats", [3, 4])
def test_whenever_a_night_is_stopped_nobody_is_a_block_ahead(count: int, seats: int) -> None:
    schedule = round_robin(names(count), seats=seats, rounds=2)
    played = Counter(dict.fromkeys(schedule.entrants, 0))
    for block in schedule.blocks:
        played.update(block.tables[0].seats[: 3 if seats == 3 else 2])
        assert max(played.values()) - min(played.values()) <= 1, block.number


@pytest.mark.parametrize("count", range(3, 17))
def test_whenever_a_night_is_stopped_every_two_have_met_about_equally_often(count: int) -> None:
    met = Counter(dict.fromkeys(combinations(range(count), 2), 0))
    for triple in fair_order(count, 3):
        met.update(combinations(triple, 2))
        assert max(met.values()) - min(met.values()) <= 1 + count // 2


@pytest.mark.parametrize(("count", "size"), [(3, 3), (7, 3), (10, 3), (9, 2), (8, 4), (5, 1)])
def test_a_fair_order_holds_every_subset_once(count: int, size: int) -> None:
    assert sorted(fair_order(count, size)) == list(combinations(range(count), size))


def test_more_rounds_only_add_to_the_schedule() -> None:
    short, long = three(5, rounds=2), three(5, rounds=5)
    assert long.blocks[: len(short.blocks)] == short.blocks


def test_the_schedule_does_not_depend_on_the_process() -> None:
    code = (
        "from tournaments.schedule import round_robin as r;"
        "print([t.seats for t in r(list('abcdefg'), seats=3).tables])"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "77")
    }
    assert len(outputs) == 1


@pytest.mark.parametrize(
    ("count", "seats", "needed"),
    [(0, 3, "at least 3 entrants"), (2, 3, "at least 3 entrants"), (1, 4, "at least 2 pairs")],
)
def test_too_few_entrants_are_refused_with_the_reason(count: int, seats: int, needed: str) -> None:
    with pytest.raises(ConfigError, match=f"{needed}, got {count}"):
        round_robin(names(count), seats=seats)


def test_two_entrants_of_one_name_are_refused_and_not_merged() -> None:
    with pytest.raises(ConfigError, match="two entrants have the name 'a'"):
        round_robin([*names(3), EntrantId("a")], seats=3)


def test_a_number_of_rounds_that_plays_nothing_is_refused() -> None:
    with pytest.raises(ConfigError, match="rounds: must be at least 1"):
        round_robin(names(3), seats=3, rounds=0)
