"""Better, worse or neither: errors as promised, intervals that hold, and no number lost."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise
from math import inf, isfinite, log, nextafter, sqrt

import pytest

from tests.evidence.test_gsprt import zero_inflated
from tournaments.evidence import (
    Direction,
    EvidenceError,
    MeanSequence,
    Tally,
    TwoSidedRun,
    TwoSidedTest,
    bounds,
)

TEST = TwoSidedTest(t1=0.3)


def end(t: float, seed: int, *, every: int = 10, most: int = 600) -> Direction | None:
    """Returns how the test ends on scores that are mostly 0 and have t-value *t*."""
    rng = random.Random(seed)
    tally, run = Tally(), TwoSidedRun(TEST)
    while run.direction() is None and tally.blocks < most:
        for _ in range(every):
            score = zero_inflated(rng, abs(t))
            tally.add(-score if t < 0.0 else score)
        run.look(tally)
    return run.direction()


def test_two_that_are_equal_are_called_better_no_more_often_than_alpha_allows() -> None:
    runs = 80
    found = Counter(end(0.0, seed) for seed in range(runs))
    assert found[Direction.UP] + found[Direction.DOWN] <= 0.05 * runs + 3
    assert found[Direction.LEVEL] >= 0.90 * runs


@pytest.mark.parametrize(("t", "right"), [(0.3, Direction.UP), (-0.3, Direction.DOWN)])
def test_a_lead_of_the_stated_size_is_found_as_often_as_promised(
    t: float, right: Direction
) -> None:
    runs = 60
    found = Counter(end(t, seed) for seed in range(runs))
    assert found[right] >= 0.95 * runs - 3
    assert sum(found.values()) - found[right] - found[Direction.LEVEL] == 0, "or the wrong one"


def test_turning_all_signs_swaps_the_ratios_and_changes_no_digit() -> None:
    rng = random.Random(4)
    scores = [rng.choice((0.0, 0.0, 1 / 9, -2 / 9, 1 / 3, 0.7)) for _ in range(70)]
    one, other = Tally(scores), Tally(-x for x in scores)
    runs = TwoSidedRun(TEST), TwoSidedRun(TEST)
    for run, tally in zip(runs, (one, other), strict=True):
        run.look(tally)
    assert (runs[0].up, runs[0].down) == (runs[1].down, runs[1].up)
    assert runs[0].p_value == runs[1].p_value
    assert (one.mean, one.squares) == (-other.mean, other.squares)
    for kind in (Tally.student_interval, Tally.interval):
        low, high = kind(one) or (0.0, 0.0)
        assert kind(other) == (-high, -low)


@pytest.mark.parametrize("score", [0.0, 2.0, -2.0, 0.123, 1e-9, 21.0])
@pytest.mark.parametrize("blocks", [0, 1, 2, 59, 60, 100])
def test_samples_without_spread_give_numbers(score: float, blocks: int) -> None:
    """One block, all level, 100:0: nothing may come out that is no number."""
    tally, run, sequence = Tally([score] * blocks), TwoSidedRun(TEST), MeanSequence(1.0)
    run.look(tally)
    assert all(map(isfinite, (run.up, run.down, run.p_value, tally.mean, sequence.sd(tally))))
    assert tally.squares == 0.0
    assert tally.interval() is None, "there is no spread to make an interval of"
    low, high = sequence.interval(tally)
    assert low <= tally.mean <= high
    assert isfinite(high) == (blocks >= 60)
    if blocks and score:
        assert (run.up > run.down) == (score > 0.0)


@pytest.mark.parametrize("score", [0.1, -7 / 9, 1e9])
def test_scores_that_differ_by_their_rounding_alone_have_no_spread(score: float) -> None:
    tally, sequence = Tally([score] * 59 + [nextafter(score, inf)]), MeanSequence(1.0)
    assert tally.squares == 0.0
    assert tally.interval() is None
    low, high = sequence.interval(tally)
    assert low < score < high
    assert sequence.sd(tally) > 0.0
    run = TwoSidedRun(TEST)
    run.look(tally)
    assert all(map(isfinite, (run.up, run.down, run.p_value)))


def test_a_hundred_won_and_none_lost_is_decided() -> None:
    for score, right in ((1.5, Direction.UP), (-1.5, Direction.DOWN)):
        run = TwoSidedRun(TwoSidedTest())
        run.look(Tally([score] * 100))
        assert run.direction() is right


@pytest.mark.parametrize("t1", [0.05, 0.1, 0.3, 0.5])
def test_to_win_more_blocks_is_never_less_evidence(t1: float) -> None:
    test, blocks = TwoSidedTest(t1=t1), 60
    ratios = [
        test.ratio(Tally([1.0] * won + [-1.0] * (blocks - won)).scores())
        for won in range(blocks + 1)
    ]
    assert ratios == sorted(ratios)
    leads = [0.1 * n for n in range(40)]
    found = [test.ratio(Tally([lead - 1.0, lead, lead + 1.0] * 20).scores()) for lead in leads]
    assert found == sorted(found)


@pytest.mark.parametrize("rivals", [1, 3])
@pytest.mark.parametrize("won", [0.8, 0.85, 0.9, 1.0])
def test_nobody_is_called_better_before_the_block_that_is_told(won: float, rivals: int) -> None:
    test, first = TwoSidedTest(), None
    needed, upper = test.blocks_to_win(rivals), test.bounds(rivals).upper
    for blocks in range(60, needed + 1):
        wins = round(won * blocks)
        ratio = test.ratio(Tally([1.0] * wins + [-1.0] * (blocks - wins)).scores())
        first = first or (blocks if ratio >= upper else None)
    assert first == needed if won == 1.0 else first in (None, needed)


def test_nothing_is_decided_below_the_floor() -> None:
    run = TwoSidedRun(TwoSidedTest(t1=0.9))
    run.look(Tally([1.5] * 59))
    assert run.direction() is None
    assert run.p_value == 1.0
    run.look(Tally([1.5] * 60))
    assert run.direction() is Direction.UP


def test_the_p_value_is_alpha_where_the_bound_is_reached() -> None:
    upper = bounds(0.025, 0.05).upper
    assert TEST.bounds().upper == upper
    assert TEST.bounds(3).upper == pytest.approx(upper + log(3.0))
    run = TwoSidedRun(TEST)
    run._most_up = upper - 1e-9
    assert run.p_value == pytest.approx(0.05)
    assert run.direction() is None


def test_a_side_that_has_accepted_0_stays_so() -> None:
    run = TwoSidedRun(TEST)
    run.look(Tally([0.0] * 100))
    assert run.direction() is Direction.LEVEL
    run.look(Tally([0.0] * 100 + [1.0] * 100))
    assert run.direction() is Direction.LEVEL, "it stopped"


def test_looks_come_seldom_where_many_blocks_are_played() -> None:
    looks = [n for n in range(1, 5001) if TwoSidedTest().is_look(n)]
    assert looks[:200] == list(range(1, 201))
    assert len(looks) < 600
    assert max(b - a for a, b in pairwise(looks)) <= 60


GAMES = 6


def played(rng: random.Random, mean: float) -> list[float]:
    """Returns the games of a block: they share a deal, so they are lucky together."""
    shared = rng.gauss(mean, 0.5)
    return [shared + rng.gauss(0.0, 0.7) for _ in range(GAMES)]


def coverage(blocks: int, runs: int) -> tuple[float, float]:
    """Returns how often the interval over blocks holds the mean, and how often one over games."""
    right = naive = 0
    for seed in range(runs):
        rng = random.Random(seed)
        games = [played(rng, 0.2) for _ in range(blocks)]
        low, high = Tally(sum(block) / GAMES for block in games).student_interval() or (9.0, 9.0)
        right += low <= 0.2 <= high
        flat = [game for block in games for game in block]
        mean = sum(flat) / len(flat)
        variance = sum((x - mean) ** 2 for x in flat) / (len(flat) - 1)
        naive += abs(mean - 0.2) <= 1.96 * sqrt(variance / len(flat))
    return right / runs, naive / runs


@pytest.mark.parametrize("blocks", [8, 40])
def test_the_interval_over_blocks_holds_as_often_as_it_says_and_one_over_games_does_not(
    blocks: int,
) -> None:
    right, naive = coverage(blocks, 1000)
    assert 0.93 <= right <= 0.97
    assert naive < 0.90, "or the games were not correlated"


def test_the_confidence_sequence_holds_at_every_look_at_once() -> None:
    runs, missed = 150, 0
    for seed in range(runs):
        rng = random.Random(seed)
        tally, sequence = Tally(), MeanSequence(1.0)
        inside = True
        for n in range(1, 401):
            tally.add(zero_inflated(rng, 0.1))
            if n % 10 == 0:
                low, high = sequence.interval(tally)
                # the t-value of 0.1 is a mean of a tenth of the standard deviation
                inside = inside and low <= 0.1 * sqrt(5 / 72 / 1.01) <= high
        missed += not inside
    assert missed <= 0.05 * runs + 3


def test_the_sequence_bets_against_a_mean_as_it_draws_its_interval() -> None:
    tally, sequence = Tally([0.0, 1.0, 0.5, -0.25] * 20), MeanSequence(0.5, alpha=0.01)
    low, high = sequence.interval(tally)
    for edge in (low, high):
        assert sequence.log_e(tally, edge) == pytest.approx(log(100.0))
    assert sequence.log_e(tally, tally.mean) < 0.0


def test_an_imagined_score_keeps_what_was_alike_so_far_from_being_certain() -> None:
    low, high = MeanSequence(1.0).interval(Tally([0.0] * 60))
    assert low < -0.05
    assert high > 0.05
    with pytest.raises(EvidenceError, match="imagined"):
        MeanSequence(0.0)


def test_a_zero_of_either_sign_is_one_zero() -> None:
    assert Tally([0.0, -0.0]).decided == 0
    assert Tally([0.0, -0.0]).student_interval() is None
