"""Standings as a function of the results and of nothing else, counted by hand where they can be."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import permutations
from math import sqrt
from pathlib import Path

import pytest

from referee.rules import Bid
from tests.e2e.handmade import config, fault, result, store_of
from tests.e2e.inprocess import play, table_jobs
from tournaments.evidence import Tally
from tournaments.results import TableResult
from tournaments.runner.jobs import Job
from tournaments.schedule import EntrantId
from tournaments.standings import Results, Standings
from tournaments.store import Store

ANN, BOB, CYD, DAN = map(EntrantId, ("ann", "bob", "cyd", "dan"))
THREE = config(ANN, BOB, CYD)
"""Two blocks of three tables: (ann, bob, cyd) in every seating, and the other way round."""
LONG = config(ANN, BOB, CYD, rounds=40).schedule().tables


def results_of(*results: TableResult, rounds: int = 1) -> Results:
    tournament = config(ANN, BOB, CYD, rounds=rounds)
    return Results(tournament.rules, tournament.schedule(), 1, results)


def points(scores: dict[EntrantId, int], *, table: int, **more: object) -> TableResult:
    """Returns the result of a table by who got how much."""
    seating = LONG[table]
    return result(seating, [scores[name] for name in seating.seats], **more)  # type: ignore[arg-type]


def test_places_points_and_seats_are_those_of_the_tables() -> None:
    tables = THREE.schedule().tables
    assert [table.seats for table in tables[:3]] == [
        (ANN, BOB, CYD),
        (BOB, CYD, ANN),
        (CYD, ANN, BOB),
    ]
    two_deals = [(0, "4 pass pass", True), (0, "pass pass pass", None)]
    results = results_of(
        result(tables[0], (9, 4, -2), *two_deals),
        result(tables[1], (7, 7, 1), *two_deals),
        result(tables[2], (0, 0, 0), *two_deals, *two_deals),
    )
    ann, bob, cyd = (results.figures[name] for name in (ANN, BOB, CYD))
    assert (ann.tables, ann.deals, ann.score) == (3, 8, 10)
    assert ann.points_per_deal == 10 / 8
    assert ann.places == {1: 2, 3: 1}
    assert bob.places == {2: 1, 1: 2}
    assert cyd.places == {3: 1, 1: 2}
    assert [(seat.tables, seat.deals, seat.score) for seat in bob.seats] == [
        (1, 2, 7),
        (1, 2, 4),
        (1, 4, 0),
    ]
    assert [seat.points_per_deal for seat in bob.seats] == [3.5, 2.0, 0.0]
    standings = results.standings()
    assert (standings.played, standings.scheduled) == (3, 6)


def test_contracts_go_to_the_declarer_and_times_to_the_seat() -> None:
    tables = THREE.schedule().tables
    auctions = [(0, "4 5 pass", True), (1, "pass pass 21", False), (2, "7 pass pass", True)]
    results = results_of(result(tables[1], (5, 0, -21), *auctions, micros=((100, 200), (), (400,))))
    # bob, cyd and ann sit on 0, 1, 2: cyd bids 5, bob 21, ann 7.
    assert results.figures[CYD].contracts.made == {Bid.FIVE: 1}
    assert results.figures[BOB].contracts.set == {Bid.MOON: 1}
    assert results.figures[ANN].contracts.made == {Bid.SEVEN: 1}
    assert results.figures[BOB].times.longest == 200
    assert results.figures[CYD].times.count == 0
    assert results.figures[ANN].times.count == 1


def test_faults_are_counted_by_kind_and_a_forfeit_keeps_the_places_of_the_result() -> None:
    table = THREE.schedule().tables[0]
    faults = [
        fault(table, 1, "timeout"),
        fault(table, 1, "timeout"),
        fault(table, 1, "illegal", substitute=""),
        fault(table, 2, "crashed"),
    ]
    results = results_of(result(table, (2, 9, 5), places=(2, 3, 1), faults=faults))
    bob, cyd = results.figures[BOB], results.figures[CYD]
    assert (bob.faults, bob.forfeits) == ({"timeout": 2, "illegal": 1}, 1)
    assert (cyd.faults, cyd.forfeits) == ({"crashed": 1}, 0)
    assert bob.places == {3: 1}, "who forfeits is last, whatever the score"
    assert [row.entrant for row in results.standings().ranks.entrants][-1] == BOB


def test_a_pair_has_what_its_two_bots_have_and_sits_where_the_lower_of_them_does() -> None:
    tournament = config(ANN, BOB, rules="tournament-4p")
    tables = tournament.schedule().tables
    assert [table.seats for table in tables] == [(ANN, BOB, ANN, BOB), (BOB, ANN, BOB, ANN)]
    auctions = [(0, "4 pass pass pass", True), (1, "pass 5 pass pass", True)]
    table = tables[0]
    results = Results(
        tournament.rules,
        tournament.schedule(),
        1,
        [
            result(
                table,
                (9, 0),
                *auctions,
                faults=[fault(table, 2, "timeout"), fault(table, 0, "timeout")],
                micros=((1,), (), (5, 6), ()),
            )
        ],
    )
    ann, bob = results.figures[ANN], results.figures[BOB]
    assert ann.contracts.made == {Bid.FOUR: 1, Bid.FIVE: 1}
    assert (ann.tables, ann.deals, ann.score, ann.times.count) == (1, 2, 9, 3)
    assert ann.faults == {"timeout": 2}
    assert [seat.tables for seat in ann.seats] == [1, 0]
    assert [seat.tables for seat in bob.seats] == [0, 1]
    assert results.versus(ANN, BOB).difference == 4.5


def test_partners_share_their_points_and_are_told_from_opponents() -> None:
    tournament = config(ANN, BOB, CYD, DAN, rules="tournament-4p", form="whist")
    # In block 0 ann and dan play together, in block 1 bob and dan, in block 2 cyd and dan.
    partners = (ANN, BOB, CYD)
    won = {ANN: 8, BOB: 2, CYD: 0}
    tables = tournament.schedule().tables
    played = [
        result(table, (4 + mine, 4) if DAN in table.seats[::2] else (4, 4 + mine))
        for table in tables
        for mine in [won[partners[table.block]]]
    ]
    results = Results(tournament.rules, tournament.schedule(), 1, played)
    dan, ann = results.figures[DAN], results.figures[ANN]
    assert (dan.tables, dan.score, dan.places) == (12, 4 * (12 + 6 + 4), {1: 12})
    assert (ann.tables, ann.score, ann.places) == (12, 4 * (12 + 4 + 4), {1: 8, 2: 4})
    assert [seat.tables for seat in dan.seats] == [3, 3, 3, 3]
    assert results.partnership(DAN, ANN).difference == 8.0
    assert results.partnership(CYD, BOB).difference == -8.0
    assert results.partnership(BOB, DAN) == replace(
        results.partnership(DAN, BOB), entrant=BOB, partner=DAN
    )
    met = results.versus(DAN, ANN)
    assert (met.tables, met.ahead, met.level, met.difference) == (8, 4, 4, 1.0)
    assert results.partnership(DAN, DAN).tables == 0
    ranks = results.standings().ranks
    assert (ranks.blocks, ranks.entrants[0].entrant) == (3, DAN)


def test_who_is_its_own_partner_scores_once_and_is_not_rated_for_it() -> None:
    tournament = config(*"abcdefg", rules="tournament-4p", form="mixed")
    tables = tournament.schedule().tables
    own = [table for table in tables if len(set(table.seats)) == 3]
    assert len(own) == 7 * 4, "each is its own partner in one block"
    table = own[0]
    held = next(name for name in table.seats if table.seats.count(name) == 2)
    scores = (6, 1) if table.seats[0] == held else (1, 6)
    results = Results(tournament.rules, tournament.schedule(), 1, [result(table, scores)])
    figures = results.figures[held]
    assert (figures.tables, figures.score, figures.places) == (1, 6, {1: 1})
    assert results.partnership(held, held).difference == 5.0
    assert {rating.games for rating in results.ratings()} == {0}
    standings = results.standings()
    assert (standings.played, standings.ranks.blocks) == (1, 0)


@pytest.mark.parametrize("worth", [0, 8])
def test_a_strong_bot_has_no_bonus_for_being_strong_but_for_what_skills_do_not_add_up_to(
    worth: int,
) -> None:
    """Ann is worth 10 points, and *worth* more beside herself; the others are worth nothing."""
    tournament = config(*"abcdefg", rules="tournament-4p", form="mixed", rounds=6)
    rng, noise, played = random.Random(1), {}, []
    for table in tournament.schedule().tables:
        sides = [table.seats[side::2] for side in range(2)]
        points = [10 * side.count("a") + worth * (side == ("a", "a")) for side in sides]
        key = (table.block, sorted(map(sorted, sides)))
        luck = noise.setdefault(str(key), rng.randrange(-3, 4))
        first = sorted(sides[0]) < sorted(sides[1])
        scores = [each + 20 + (luck if first == (side == 0) else 0) for side, each in
                  enumerate(points)]  # fmt: skip
        played.append(result(table, scores))
    results = Results(tournament.rules, tournament.schedule(), 1, played)
    told = {name: results.own_partner(name) for name in results.entrants}
    for name, row in told.items():
        true = worth if name == "a" else 0
        assert row.blocks == 6
        assert row.bonus is not None
        assert row.low is not None
        assert row.high is not None
        assert row.bonus == pytest.approx(true, abs=3.5)
        assert row.low < true < row.high
        assert row.high - row.low < 12
    assert (told["a"].low > 0) == bool(worth)  # type: ignore[operator]
    turned = Results(tournament.rules, tournament.schedule(), 1, reversed(played))
    assert {name: turned.own_partner(name) for name in results.entrants} == told


def test_who_wins_everything_is_first_and_surely_so() -> None:
    scores = {ANN: 5, BOB: 21, CYD: 0}
    results = results_of(*(points(scores, table=n) for n in range(24)), rounds=4)
    ranks = results.standings().ranks
    assert results.order() == [row.entrant for row in ranks.entrants] == [BOB, ANN, CYD]
    assert [(row.rank_low, row.rank_high) for row in ranks.entrants] == [(1, 1), (2, 2), (3, 3)]
    assert ranks.blocks == 8


def test_without_any_table_everybody_is_listed_and_nothing_is_said() -> None:
    results = results_of()
    standings = results.standings()
    assert results.order() == [row.entrant for row in standings.ranks.entrants] == [ANN, BOB, CYD]
    assert [(row.rank_low, row.rank_high) for row in standings.ranks.entrants] == [(1, 3)] * 3
    assert {figures.points_per_deal for figures in standings.figures.values()} == {None}
    versus = results_of().versus(ANN, BOB)
    assert (versus.tables, versus.blocks, versus.difference, versus.low) == (0, 0, None, None)


def test_who_has_not_played_yet_is_listed_unplayed() -> None:
    tournament = config(ANN, BOB, CYD, DAN)
    without = [table for table in tournament.schedule().tables if DAN not in table.seats]
    results = Results(
        tournament.rules, tournament.schedule(), 1, [result(t, (3, 2, 1)) for t in without]
    )
    standings = results.standings()
    [row] = [row for row in standings.ranks.entrants if row.entrant == DAN]
    assert (row.games, row.blocks, row.rank_low, row.rank_high) == (0, 0, 1, 4)
    assert results.figures[DAN].tables == 0
    assert results.versus(DAN, ANN).difference is None


def test_the_difference_of_two_is_the_mean_of_blocks_with_its_interval() -> None:
    # Block 0: ann is ahead of bob by 3, 0 and 0 points a deal; block 1: by 2, 4 and 3; and so on.
    ahead = (3, 0, 0, 2, 4, 3) * 3
    tables = [points({ANN: lead, BOB: 0, CYD: -5}, table=n) for n, lead in enumerate(ahead)]
    versus = results_of(*tables, rounds=3).versus(ANN, BOB)
    assert (versus.tables, versus.ahead, versus.level, versus.blocks) == (18, 12, 6, 6)
    assert versus.difference == (1 + 3) / 2
    # Student's t for five degrees of freedom, times the standard error of 1 and 3, three times.
    half = 2.570581836 * sqrt(6 / 5 / 6)
    assert versus.low == pytest.approx(2 - half)
    assert versus.high == pytest.approx(2 + half)
    few = results_of(*tables[:12], rounds=3).versus(ANN, BOB)
    assert (few.blocks, few.difference, few.low, few.high) == (4, 2.0, None, None)


def test_blocks_that_are_alike_have_no_interval_rather_than_one_without_width() -> None:
    tables = [points({ANN: 3, BOB: 0, CYD: -5}, table=n) for n in range(18)]
    versus = results_of(*tables, rounds=3).versus(ANN, BOB)
    assert (versus.blocks, versus.difference, versus.low, versus.high) == (6, 3.0, None, None)


def test_many_lopsided_blocks_have_the_interval_that_comparisons_have() -> None:
    """Student's is symmetric, and ends before the rare block that pays for the others."""
    leads = [-2 if n % 20 else 38 for n in range(80)]
    tables = [points({ANN: leads[n // 3], BOB: 0, CYD: -50}, table=n) for n in range(240)]
    versus = results_of(*tables, rounds=40).versus(ANN, BOB)
    assert (versus.blocks, versus.difference) == (80, 0.0)
    assert (versus.low, versus.high) == Tally(leads).interval()
    assert versus.low is not None
    assert versus.high is not None
    assert versus.high > -versus.low


def test_one_block_is_no_evidence_for_an_interval() -> None:
    versus = results_of(points({ANN: 4, BOB: 1, CYD: 0}, table=0)).versus(ANN, BOB)
    assert (versus.difference, versus.low, versus.high) == (3.0, None, None)


def played() -> list[TableResult]:
    """Results of real bots, with times, in schedule order."""
    bots: dict[str, tuple[str, ...]] = {
        "ann": ("./meek.py",),
        "bob": ("./tall.py",),
        "cyd": ("./dice.py",),
    }
    job = Job(rules="tournament-3p", entrants=bots, base="", deals=3)
    return [play(job, table) for table in table_jobs(job, rounds=4)]


@pytest.mark.parametrize(("first", "second"), list(permutations((ANN, BOB, CYD), 2)))
def test_swapping_two_turns_the_sign_and_nothing_else(first: EntrantId, second: EntrantId) -> None:
    results = results_of(*played(), rounds=4)
    one, other = results.versus(first, second), results.versus(second, first)
    assert one.difference is not None
    assert one.low is not None
    assert one.high is not None
    behind = one.tables - one.ahead - one.level
    assert other == replace(
        one,
        entrant=second,
        other=first,
        ahead=behind,
        difference=-one.difference,
        low=-one.high,
        high=-one.low,
    )


def test_the_standings_are_the_same_to_the_last_bit_whatever_came_when(tmp_path: Path) -> None:
    tournament = config(ANN, BOB, CYD, rounds=4)
    results = played()
    seen: list[tuple[Standings, str]] = []
    for number in range(3):
        rng = random.Random(number)
        shuffled = rng.sample(results, len(results)) if number else results
        cut = rng.randrange(1, len(results))
        path = tmp_path / f"{number}.sqlite"
        with Store.open(store_of(path, tournament, shuffled[:cut], shuffled[cut:])) as store:
            read = Results(tournament.rules, store.run.schedule(), 1, store.results())
            seen.append((read.standings(), store.fingerprint()))
    assert seen[0] == seen[1] == seen[2]
    assert seen[0][0].played == 24


def test_results_that_come_while_a_night_runs_end_as_those_that_are_read_at_once() -> None:
    """The live table asks after every group, and the groups come in any order."""
    results = played()
    at_once = results_of(*results, rounds=4)
    for seed in range(3):
        shuffled = random.Random(seed).sample(results, len(results))
        live = results_of(rounds=4)
        for number, each in enumerate(shuffled, 1):
            live.take(each)
            assert sum(row.tables for row in live.figures.values()) == 3 * number
            live.versus(ANN, BOB)
        assert live.standings() == at_once.standings()
        assert live.ratings() == at_once.ratings()
        assert live.versus(CYD, BOB) == at_once.versus(CYD, BOB)


def test_one_round_tells_all_that_the_whole_schedule_tells() -> None:
    tournament = config(ANN, BOB, CYD, DAN, rounds=3)
    schedule = tournament.schedule()
    one = replace(tournament, rounds=1).schedule()
    results = [result(table, (table.number % 7, 2, 1)) for table in schedule.tables[:50]]
    whole = Results(tournament.rules, schedule, 1, results)
    short = Results(tournament.rules, one, 3, results)
    assert short.standings() == whole.standings()
    assert short.standings().scheduled == len(schedule.tables)


def test_figures_that_are_stored_say_what_the_record_says(tmp_path: Path) -> None:
    tournament = config(ANN, BOB, CYD, rounds=4)
    with Store.open(store_of(tmp_path / "night.sqlite", tournament, played())) as store:
        read = list(store.outcomes(timings=True))
        assert all(each.figures and not each.record for each in read)
        assert read != list(store.results()), "records are left out"
        by_figures = results_of(*read, rounds=4).standings()
        by_records = results_of(*played(), rounds=4).standings()
    assert by_figures == by_records
