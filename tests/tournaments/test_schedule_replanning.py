"""Another field from the edge of a round on: what was played stays, the rest fits the new field."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise

import pytest

from referee.errors import ConfigError
from tournaments.schedule import (
    EntrantId,
    Format,
    Schedule,
    house_bots,
    house_names,
    make_schedule,
    round_robin,
)
from tournaments.schedule.plans import members, rounds_of
from tournaments.schedule.replanning import next_edge, replan


def names(count: int) -> list[EntrantId]:
    return [EntrantId(f"e{number}") for number in range(count)]


def made(form: Format, seats: int, count: int, rounds: int = 1) -> Schedule:
    house = house_names(house_bots(form, seats, count))
    return make_schedule(form, [*names(count), *house], seats=seats, rounds=rounds)


def seatings(schedule: Schedule) -> Counter[tuple[EntrantId, ...]]:
    return Counter(table.seats for table in schedule.tables)


CHANGES = {
    "late entry": lambda field: [*field, EntrantId("late")],
    "withdrawal": lambda field: [who for who in field if who != "e3"],
    "both": lambda field: [*(who for who in field if who != "e3"), EntrantId("late")],
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(
    ("form", "seats"),
    [(Format.ROUND_ROBIN, 3), (Format.ROUND_ROBIN, 4), (Format.MENDELSOHN, 3), (Format.KIRKMAN, 3),
     (Format.CIRCLE, 4), (Format.WHIST, 4), (Format.MIXED, 4), (Format.GAUNTLET, 3)],
)  # fmt: skip
def test_what_was_played_stays_and_only_the_new_field_plays_on(
    form: Format, seats: int, change: str
) -> None:
    before = made(form, seats, 8, rounds=2)
    edge = next_edge(before, len(before.blocks) // 3)
    field = CHANGES[change](names(8))
    after = replan(form, before, edge, field, rounds=2)
    assert after.blocks[:edge] == before.blocks[:edge]
    assert after.entrants[: len(before.entrants)] == before.entrants
    playing = frozenset[EntrantId]().union(*map(members, after.blocks[edge:]))
    assert {who for who in playing if not who.startswith("house-")} == set(field)
    assert [block.number for block in after.blocks] == list(range(len(after.blocks)))
    assert [table.number for table in after.tables] == list(range(len(after.tables)))
    again = replan(form, after, next_edge(after, edge), field, rounds=2)
    assert again.blocks == after.blocks, "nothing more to do"


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("seats", [3, 4])
def test_in_a_round_robin_the_new_field_meets_in_every_way_and_nobody_twice(
    seats: int, change: str
) -> None:
    before = round_robin(names(7), seats=seats, rounds=2)
    edge = next_edge(before, len(before.blocks) // 2)
    field = CHANGES[change](names(7))
    after = replan(Format.ROUND_ROBIN, before, edge, field, rounds=2)
    of_field = Counter({s: n for s, n in seatings(after).items() if set(s) <= set(field)})
    assert of_field == seatings(round_robin(field, seats=seats, rounds=2))


def test_who_is_suspended_and_comes_back_plays_what_was_missed() -> None:
    before = round_robin(names(6), seats=3)
    edge = next_edge(before, 10)
    without = replan(Format.ROUND_ROBIN, before, edge, names(5), rounds=1)
    later = next_edge(without, edge + 6)
    after = replan(Format.ROUND_ROBIN, without, later, names(6), rounds=1)
    assert all("e5" not in members(block) for block in after.blocks[edge:later])
    assert seatings(after) == seatings(before)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(("seats", "count"), [(3, 6), (3, 9), (3, 11), (4, 8), (4, 11)])
def test_what_is_left_to_play_becomes_and_stays_even(seats: int, count: int, change: str) -> None:
    before = round_robin(names(count), seats=seats, rounds=2)
    edge = next_edge(before, len(before.blocks) // 3)
    field = CHANGES[change](names(count))
    after = replan(Format.ROUND_ROBIN, before, edge, field, rounds=2)
    left = Counter(who for block in after.blocks[edge:] for who in members(block))
    spreads = [max(left.values()) - min(left.values())]
    for block in after.blocks[edge:]:
        left.subtract(members(block))
        spreads.append(max(left.values()) - min(left.values()))
    level = next(i for i, spread in enumerate(spreads) if spread <= 2)
    assert max(spreads[level:]) <= 2, "who has caught up is neither held back nor hurried again"
    assert max(spreads) <= max(2, spreads[0])
    assert all(later <= earlier for earlier, later in pairwise(spreads[: level : len(field)]))


def test_a_newcomer_takes_the_place_of_a_house_bot_and_the_design_stays_whole() -> None:
    before = made(Format.MENDELSOHN, 3, 8)
    edge = next_edge(before, 7)
    after = replan(Format.MENDELSOHN, before, edge, [*names(8), EntrantId("late")], rounds=1)
    renamed = [[w.replace("house-1", "late") for w in t.seats] for t in before.tables[3 * edge :]]
    assert [list(table.seats) for table in after.tables[3 * edge :]] == renamed


def test_a_place_that_stays_empty_is_held_by_a_house_bot_until_its_entrant_comes_back() -> None:
    before = made(Format.MENDELSOHN, 3, 8)
    first = next_edge(before, 3)
    without = replan(Format.MENDELSOHN, before, first, names(7), rounds=1)
    assert without.entrants[-1] == "house-2"
    assert len(without.blocks) == len(before.blocks)
    later = next_edge(without, first + 3)
    after = replan(Format.MENDELSOHN, without, later, names(8), rounds=1)
    assert [b.tables for b in after.blocks[later:]] == [b.tables for b in before.blocks[later:]]


def test_a_field_that_outgrows_its_design_plays_what_is_left_in_a_larger_one() -> None:
    before = made(Format.MENDELSOHN, 3, 9, rounds=3)
    one = len(before.blocks) // 3
    edge = next_edge(before, one + 4)
    after = replan(Format.MENDELSOHN, before, edge, [*names(9), EntrantId("late")], rounds=3)
    larger = [b for b in after.blocks[edge:] if b.round == 2]
    met = Counter(frozenset(p) for b in larger for p in combinations(sorted(members(b)), 2))
    assert (len(met), set(met.values())) == (13 * 12 // 2, {2})
    assert {b.round for b in after.blocks[edge:]} == {1, 2}


def test_an_edge_is_where_a_round_ends() -> None:
    schedule = made(Format.KIRKMAN, 3, 9)
    assert [next_edge(schedule, begun) for begun in (0, 1, 3, 4, 12)] == [0, 3, 3, 6, 12]
    assert next_edge(schedule, 99) == sum(map(len, rounds_of(schedule.blocks)))


def test_what_cannot_be_planned_again_is_refused_with_the_reason() -> None:
    kirkman = made(Format.KIRKMAN, 3, 9)
    with pytest.raises(ConfigError, match="block 4 lies within a round; play it to its end first"):
        replan(Format.KIRKMAN, kirkman, 4, names(8), rounds=1)
    with pytest.raises(ConfigError, match="two entrants have the same name"):
        replan(Format.KIRKMAN, kirkman, 3, [*names(8), EntrantId("e0")], rounds=1)
    with pytest.raises(ConfigError, match="at least 3 entrants, got 2"):
        replan(Format.KIRKMAN, kirkman, 3, names(2), rounds=1)
    with pytest.raises(ConfigError, match="without e0 and e1 in front there is no gauntlet"):
        replan(Format.GAUNTLET, made(Format.GAUNTLET, 3, 6), 1, names(6)[1:], rounds=1)
