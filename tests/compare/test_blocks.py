"""What a block is, and what it says."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

from referee.errors import ConfigError
from referee.rules import Rules, parse_rules, possible_points
from tests.compare.outcomes import FOUR, THIRD, THREE, A, B, C, luck, result
from tournaments.compare import (
    BlockScore,
    Claim,
    ClaimPlan,
    Comparison,
    LeftOut,
    Pairing,
    block_seatings,
    comparison_schedule,
    score_block,
)
from tournaments.compare.scoring import one_deal_more
from tournaments.evidence import Tally
from tournaments.results import TableResult
from tournaments.schedule import EntrantId, Table

PAIRING = Pairing(A, B)


def tables(rules: Rules = THREE, third: EntrantId | None = None) -> list[Table]:
    seatings = block_seatings(PAIRING, seats=rules.players, third=third)
    return [Table(lane, 0, lane, seats) for lane, seats in enumerate(seatings)]


def test_three_seats_are_filled_in_all_six_ways_and_each_sits_nine_times() -> None:
    seatings = block_seatings(PAIRING, seats=3)
    assert len(set(seatings)) == 6
    for seat in range(3):
        assert Counter(seating[seat] for seating in seatings) == {A: 3, B: 3}


def test_with_a_third_at_the_table_nobody_sits_oftener_before_or_behind_it() -> None:
    seatings = block_seatings(PAIRING, seats=3, third=THIRD)
    assert len(set(seatings)) == 6
    for seat in range(3):
        assert Counter(seating[seat] for seating in seatings) == {A: 2, B: 2, THIRD: 2}
    after = Counter(seating[(seating.index(THIRD) + 1) % 3] for seating in seatings)
    assert after == {A: 3, B: 3}


def test_pairs_swap_sides() -> None:
    assert block_seatings(PAIRING, seats=4) == ((A, B, A, B), (B, A, B, A))
    with pytest.raises(ConfigError, match="--with"):
        block_seatings(PAIRING, seats=4, third=THIRD)


@pytest.mark.parametrize(("seats", "third"), [(3, None), (3, THIRD), (4, None)])
def test_swapping_the_two_plays_the_very_same_tables(seats: int, third: EntrantId | None) -> None:
    there = block_seatings(PAIRING, seats=seats, third=third)
    assert there == block_seatings(Pairing(B, A), seats=seats, third=third)


def test_several_pairings_take_turns_and_every_block_has_deals_of_its_own() -> None:
    schedule = comparison_schedule([Pairing(A, C), Pairing(B, C)], blocks=3, seats=3)
    assert [block.cell for block in schedule.blocks] == ["0", "1"] * 3
    assert len({block.label for block in schedule.blocks}) == 6
    assert [table.number for table in schedule.tables] == list(range(36))
    for block in schedule.blocks:
        assert [table.lane for table in block.tables] == list(range(6)), "else a deal is seen twice"


def score(rules: Rules, played: list[TableResult | None]) -> BlockScore:
    return score_block(rules, PAIRING, played)


def test_the_difference_is_that_of_the_mean_seats() -> None:
    rows = {"ann": 4, "bob": 1}
    played = [result(THREE, t, [rows[who] for who in t.seats]) for t in tables()]
    assert score(THREE, [*played]).difference == pytest.approx(3.0)
    sides = [result(FOUR, t, [rows[who] for who in t.seats[:2]], deals=2) for t in tables(FOUR)]
    found = score(FOUR, [*sides])
    assert (found.difference, found.tables, found.deals) == (1.5, 2, 4)


def test_a_third_at_the_table_is_nobodys_gain() -> None:
    rows = {"ann": 4, "bob": 1, "third": 20}
    played = [result(THREE, t, [rows[who] for who in t.seats]) for t in tables(THREE, THIRD)]
    assert score(THREE, [*played]).difference == pytest.approx(3.0)


@pytest.mark.parametrize("deals", [1, 3, 7])
def test_two_that_play_alike_are_level_to_the_last_bit(deals: int) -> None:
    """Sevenths do not add up in binary, and the seats of the two come in different orders."""
    alike = luck({A: 0.0, B: 0.0})
    played = [result(THREE, t, alike(t), deals=deals) for t in tables()]
    assert score(THREE, [*played]).difference == 0.0


def test_swapping_the_two_turns_the_sign_and_no_digit() -> None:
    unlike = luck({A: 0.7, B: 0.2})
    played = [result(THREE, t, unlike(t), deals=7) for t in tables()]
    one = score_block(THREE, PAIRING, played).difference
    other = score_block(THREE, Pairing(B, A), played).difference
    assert one is not None
    assert one == -other != 0.0


def test_a_forfeit_costs_the_worst_deal_whatever_the_score_was() -> None:
    [first, *rest] = tables()
    level = [result(THREE, t, [1, 1, 1]) for t in rest]
    for seat, who in enumerate(first.seats):
        found = score(THREE, [result(THREE, first, [9, 9, 9], forfeit=seat), *level])
        # at the other five tables the nine seats of each are short of those at this one
        cost = Fraction(-28 if who == A else 28, 9)
        seats = Counter(who for t in rest for who in t.seats)
        expected = cost + Fraction(seats[A] - seats[B], 9)
        assert found.difference == pytest.approx(float(expected))
        assert found.forfeits == {who: 1}
        assert found.faults == {who: 1}


@pytest.mark.parametrize(
    "rules",
    ["tournament-3p", "tournament-4p", "wikihow-3p-marks", "ehow-howto-3p",
     "tournament-3p moon_overcall=42"],
)  # fmt: skip
@pytest.mark.parametrize("third", [None, THIRD])
def test_who_forfeits_never_comes_out_better_than_by_playing_on(
    rules: str, third: EntrantId | None
) -> None:
    """Else a bot that loses would do well to crash: a set moon costs more than a bid of seven."""
    played = parse_rules(rules)
    third = third if played.players == 3 else None
    for table in tables(played, third):
        seat = table.seats.index(A)
        [lost] = {
            score(played, [result(played, table, points, forfeit=seat)]).difference
            for points in possible_points(played)
        }
        others = [
            score(played, [result(played, table, p)]).difference for p in possible_points(played)
        ]
        assert lost == min(others) < 0.0


def test_blocks_whose_trouble_is_neither_s_are_left_out() -> None:
    played: list[TableResult | None] = [result(THREE, t, [1, 2, 3]) for t in tables()]
    void = score(THREE, [*played[:-1], None])
    assert (void.difference, void.left_out) == (None, LeftOut.VOID)
    [first, *rest] = tables(THREE, THIRD)
    level = [result(THREE, t, [1, 1, 1]) for t in rest]
    seat = first.seats.index(THIRD)
    third = score(THREE, [result(THREE, first, [0, 0, 0], forfeit=seat), *level])
    assert (third.difference, third.left_out) == (None, LeftOut.THIRD)
    assert third.forfeits == {THIRD: 1}


def test_a_bot_that_does_not_start_has_lost_though_no_deal_was_dealt() -> None:
    [first, *rest] = tables()
    level = [result(THREE, t, [0, 0, 0]) for t in rest]
    found = score(THREE, [result(THREE, first, [0, 0, 0], deals=0, forfeit=0), *level])
    assert found.difference == pytest.approx(-28 / 9)


@pytest.mark.parametrize(
    ("rules", "third", "deals", "most"),
    [
        ("tournament-3p", None, 1, Fraction(21, 9)),
        ("tournament-3p", None, 10, Fraction(21, 90)),
        ("tournament-3p", THIRD, 1, Fraction(21, 6)),
        ("tournament-4p", None, 1, Fraction(21, 2)),
        ("wikihow-3p-marks", None, 1, Fraction(1, 9)),
    ],
)
def test_one_moon_counts_what_the_rules_and_the_seats_of_a_block_make_of_it(
    rules: str, third: EntrantId | None, deals: int, most: Fraction
) -> None:
    """The interval of a claim reckons with it, so it has to be that of the block that is played."""
    played = parse_rules(rules)
    found = one_deal_more(played, PAIRING, tables(played, third), deals)
    assert found == pytest.approx(float(most))
    schedule = comparison_schedule([PAIRING], blocks=1, seats=played.players, third=third)
    plan = ClaimPlan(Claim.parse("diff>0"))
    [contest] = Comparison(played, schedule, [PAIRING], plan, deals=deals).contests
    assert contest.sequence.sd(Tally([0.0])) == pytest.approx(found)


def test_a_moon_more_moves_a_block_by_no_more_than_that() -> None:
    level = [result(FOUR, table, [0, 0]) for table in tables(FOUR)]
    first = tables(FOUR)[0]
    moon = [21 if who == A else 0 for who in first.seats[:2]]
    found = score(FOUR, [result(FOUR, first, moon), *level[1:]]).difference
    assert found == one_deal_more(FOUR, PAIRING, tables(FOUR), 1) == 10.5
