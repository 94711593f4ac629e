"""What each format promises, counted in its schedules without any help of theirs."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations

import pytest

from referee.errors import ConfigError
from tournaments.schedule import (
    Block,
    EntrantId,
    Format,
    Schedule,
    house_bots,
    make_schedule,
    round_robin,
)
from tournaments.schedule.fields import field_of, is_prime_power
from tournaments.schedule.formats import DESIGNS, house_names
from tournaments.schedule.plans import make_plan

FEW = range(3, 41)
SAMPLE = (3, 4, 5, 6, 7, 9, 13, 16, 20, 22, 31, 33, 36, 40)


def entrants(form: Format, seats: int, count: int) -> tuple[EntrantId, ...]:
    own = tuple(EntrantId(f"e{number}") for number in range(count))
    return own + house_names(house_bots(form, seats, count))


def made(form: Format, seats: int, count: int, rounds: int = 1) -> Schedule:
    return make_schedule(form, entrants(form, seats, count), seats=seats, rounds=rounds)


def met(blocks: tuple[Block, ...]) -> Counter[frozenset[EntrantId]]:
    """How many blocks each two entrants share."""
    return Counter(
        frozenset(pair)
        for block in blocks
        for pair in combinations(sorted(set(block.tables[0].seats)), 2)
    )


def left(schedule: Schedule) -> Counter[tuple[EntrantId, EntrantId]]:
    """How many tables each sits at to the left of each."""
    return Counter(
        (who, table.seats[(seat + 1) % len(table.seats)])
        for table in schedule.tables
        for seat, who in enumerate(table.seats)
    )


def only(counts: Counter[tuple[EntrantId, EntrantId]], schedule: Schedule) -> set[int]:
    return {counts[pair] for pair in permutations(schedule.entrants, 2)}


def lead(schedule: Schedule, entrants: tuple[EntrantId, ...]) -> int:
    """By how many blocks anybody is ever ahead of anybody."""
    played = Counter(dict.fromkeys(entrants, 0))
    most = 0
    for block in schedule.blocks:
        playing = {who for table in block.tables for who in table.seats}
        played.update(who for who in entrants if who in playing)
        most = max(most, max(played.values()) - min(played.values()))
    return most


@pytest.mark.parametrize("count", SAMPLE)
def test_in_a_mendelsohn_design_any_two_meet_twice_once_on_either_side(count: int) -> None:
    schedule = made(Format.MENDELSOHN, 3, count)
    places = len(schedule.entrants)
    assert len(schedule.blocks) == places * (places - 1) // 3
    assert set(met(schedule.blocks).values()) == {2}
    assert len(met(schedule.blocks)) == places * (places - 1) // 2
    assert only(left(schedule), schedule) == {3}, "once in each of the three tables of one block"


@pytest.mark.parametrize("count", SAMPLE)
def test_in_a_kirkman_design_any_two_meet_once_and_twice_they_have_sat_on_either_side(
    count: int,
) -> None:
    schedule = made(Format.KIRKMAN, 3, count, rounds=2)
    half = schedule.blocks[: len(schedule.blocks) // 2]
    assert set(met(half).values()) == {1}
    assert len(met(half)) == len(schedule.entrants) * (len(schedule.entrants) - 1) // 2
    assert only(left(schedule), schedule) == {3}


@pytest.mark.parametrize("count", [2, *SAMPLE])
def test_in_a_circle_any_two_pairs_meet_once_on_both_sides(count: int) -> None:
    schedule = made(Format.CIRCLE, 4, count)
    assert Counter(t.seats for t in schedule.tables) == Counter(
        (x, y, x, y) for x, y in permutations(schedule.entrants, 2)
    )


@pytest.mark.parametrize("form", [Format.WHIST, Format.MIXED])
@pytest.mark.parametrize("count", [*SAMPLE[:-1], 39])
def test_single_entrants_are_partners_once_and_opponents_twice(form: Format, count: int) -> None:
    schedule = made(form, 4, count)
    partners: Counter[frozenset[EntrantId]] = Counter()
    opponents: Counter[frozenset[EntrantId]] = Counter()
    for block in schedule.blocks:
        a, b, c, d = block.tables[0].seats
        partners.update(map(frozenset, ((a, c), (b, d))))
        opponents.update({frozenset((x, y)) for x in (a, c) for y in (b, d)})
        turned = {(a, b, c, d), (b, c, d, a), (c, d, a, b), (d, a, b, c)}
        assert {table.seats for table in block.tables} == turned
    alone = {who: partners.pop(frozenset((who,)), 0) for who in schedule.entrants}
    assert set(alone.values()) == {int(form is Format.MIXED)}
    pairs = set(map(frozenset, combinations(schedule.entrants, 2)))
    assert (set(partners), set(partners.values())) == (pairs, {1})
    assert (set(opponents), set(opponents.values())) == (pairs, {2})


@pytest.mark.parametrize(("count", "rounds"), [(9, 1), (13, 1), (25, 1), (8, 2), (33, 2)])
def test_whist_seats_opponents_on_either_side_equally_often(count: int, rounds: int) -> None:
    schedule = made(Format.WHIST, 4, count, rounds)
    assert only(left(schedule), schedule) == {4 * rounds}


@pytest.mark.parametrize("count", [4, 5, 6, 9, 12])
def test_in_a_gauntlet_both_versions_hold_the_same_hands_against_the_same_opponents(
    count: int,
) -> None:
    schedule = made(Format.GAUNTLET, 3, count, rounds=2)
    new, old, *field = schedule.entrants
    assert Counter(met(schedule.blocks).values()).keys() <= {2, 2 * (count - 3)}
    for block in schedule.blocks:
        seatings = [table.seats for table in block.tables]
        assert [tuple(old if x == new else x for x in s) for s in seatings[:3]] == seatings[3:]
        assert all(new in s and old not in s for s in seatings[:3])
        assert {table.lane for table in block.tables} == set(range(6)), (
            "no process sees a deal twice"
        )
    against = Counter(frozenset(b.tables[0].seats) - {new} for b in schedule.blocks)
    assert against == Counter({frozenset(pair): 2 for pair in combinations(field, 2)})
    assert lead(schedule, tuple(field)) <= 1
    either_side = {left(schedule)[new, who] for who in field}
    assert either_side == {3 * (count - 3)}, "as often to the left of a version as to its right"


def test_in_a_gauntlet_of_pairs_both_versions_meet_every_pair() -> None:
    schedule = made(Format.GAUNTLET, 4, 4)
    assert [[table.seats[:2] for table in block.tables] for block in schedule.blocks] == [
        [("e0", "e2"), ("e2", "e0"), ("e1", "e2"), ("e2", "e1")],
        [("e0", "e3"), ("e3", "e0"), ("e1", "e3"), ("e3", "e1")],
    ]


DESIGNED = [
    pytest.param(form, seats, id=f"{form}-{seats}")
    for form in Format
    for seats in DESIGNS[form].least
    if form not in {Format.ROUND_ROBIN, Format.GAUNTLET}
]


@pytest.mark.parametrize(("form", "seats"), DESIGNED)
def test_whenever_play_stops_nobody_is_ahead_by_more_than_one_table(
    form: Format, seats: int
) -> None:
    for count in FEW:
        if count <= (DESIGNS[form].most or count):
            schedule = made(form, seats, count, rounds=2)
            assert lead(schedule, schedule.entrants) <= 1, count


@pytest.mark.parametrize(("form", "seats"), DESIGNED)
def test_more_rounds_begin_with_the_blocks_of_fewer(form: Format, seats: int) -> None:
    short, long = made(form, seats, 10), made(form, seats, 10, rounds=3)
    assert long.blocks[: len(short.blocks)] == short.blocks
    assert [table.number for table in long.tables] == list(range(len(long.tables)))
    assert [block.number for block in long.blocks] == list(range(len(long.blocks)))


@pytest.mark.parametrize(("form", "seats"), DESIGNED)
def test_in_a_round_nobody_sits_at_two_tables_and_sitting_out_is_shared(
    form: Format, seats: int
) -> None:
    plan = make_plan(form, made(form, seats, 13))
    for blocks in plan.rounds:
        playing = [who for block in blocks for who in set(block.tables[0].seats)]
        assert len(set(playing)) == len(playing)
    out = {spread.what: spread for spread in plan.balance}["rounds sat out"]
    assert out.least == out.most


def test_the_round_robin_is_the_one_it_has_always_been() -> None:
    for seats in (3, 4):
        names = entrants(Format.ROUND_ROBIN, seats, 5)
        made_here = make_schedule(Format.ROUND_ROBIN, names, seats=seats, rounds=2)
        assert made_here == round_robin(names, seats=seats, rounds=2)


@pytest.mark.parametrize(
    ("form", "counts", "house"),
    [
        (Format.MENDELSOHN, (17, 18, 19, 20, 21, 22), [2, 1, 0, 1, 0, 3]),
        (Format.KIRKMAN, (9, 10, 15, 16, 21), [0, 5, 0, 5, 0]),
        (Format.WHIST, (4, 5, 6, 7, 8, 33, 36, 40), [0, 0, 2, 1, 0, 0, 0, 0]),
        (Format.MIXED, (3, 6, 7, 10, 11, 30, 31, 39), [0, 1, 0, 1, 0, 1, 0, 0]),
    ],
)
def test_places_that_are_left_are_counted(
    form: Format, counts: tuple[int, ...], house: list[int]
) -> None:
    seats = min(DESIGNS[form].least)
    assert [house_bots(form, seats, count) for count in counts] == house


@pytest.mark.parametrize(
    ("form", "seats", "count", "problem"),
    [
        (Format.MENDELSOHN, 4, 9, 'these are: "round-robin", "circle", "whist", "mixed"'),
        (Format.CIRCLE, 3, 9, '"circle" is for 4 seats at a table'),
        (Format.GAUNTLET, 3, 3, 'bots: the format "gauntlet" needs at least 4 entrants, got 3'),
        (Format.MIXED, 4, 400, "takes at most .. entrants, got 400"),
        (Format.MENDELSOHN, 3, 8, 'the format "mendelsohn" needs 1 more entrants; add house bots'),
    ],
)  # fmt: skip
def test_what_a_format_cannot_seat_is_refused_with_the_reason(
    form: Format, seats: int, count: int, problem: str
) -> None:
    names = [EntrantId(str(number)) for number in range(count)]
    with pytest.raises(ConfigError, match=problem):
        make_schedule(form, names, seats=seats)


def test_two_entrants_of_one_name_are_refused_in_every_format() -> None:
    names = [EntrantId(name) for name in "abcdefa"]
    with pytest.raises(ConfigError, match="two entrants have the name 'a'"):
        make_schedule(Format.MENDELSOHN, names, seats=3)


@pytest.mark.parametrize("order", [4, 5, 8, 9, 16, 25, 27, 49])
def test_the_elements_of_a_field_are_the_powers_of_its_generator(order: int) -> None:
    field = field_of(order)
    assert sorted(field.powers) == list(range(1, order))
    log = {element: exponent for exponent, element in enumerate(field.powers)}

    def times(a: int, b: int) -> int:
        return field.powers[(log[a] + log[b]) % (order - 1)] if a and b else 0

    factor = field.powers[1]
    for a in range(order):
        for b in range(order):
            assert times(factor, field.add(a, b)) == field.add(times(factor, a), times(factor, b))


def test_numbers_that_are_no_powers_of_a_prime_have_no_field() -> None:
    assert [n for n in range(14) if not is_prime_power(n)] == [0, 1, 6, 10, 12]
    with pytest.raises(ValueError, match="no field with 12 elements"):
        field_of(12)
