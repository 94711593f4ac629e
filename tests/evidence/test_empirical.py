"""Evidence that heeds the shape of scores: right values, and errors reckoned without chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import comb, log, sqrt

import pytest

from tournaments.evidence import MeanSequence, Tally
from tournaments.evidence.empirical import best_bet

LOSS, GAIN = -0.2, 1.8
"""Nine losses for a gain: a mean of 0, and a standard deviation of 0.6."""


@pytest.mark.parametrize("gains", [5_400, 5_990, 6_600])
def test_of_many_scores_of_two_values_it_is_the_likelihood_ratio_of_their_shares(
    gains: int,
) -> None:
    losses = 60_000 - gains
    mean = (GAIN * gains + LOSS * losses) / 60_000
    bet = best_bet([(LOSS, losses), (GAIN, gains)], mean, 0.0)
    binomial = gains * log(gains / 6_000) + losses * log(losses / 54_000)
    assert bet.log_wealth == pytest.approx(binomial, abs=0.01)


def test_of_scores_that_are_all_alike_it_is_what_the_imagined_one_lets_be_staked() -> None:
    count, score, imagined = 80, 0.5, 2.0
    stake = (sqrt(1.0 + 4.0 * count * (score / imagined) ** 2) - 1.0) / (2.0 * score)
    expected = count * log(1.0 + stake * score) - 0.5 * (stake * imagined) ** 2
    assert best_bet([(score, count)], score, 0.0, imagined).log_wealth == pytest.approx(expected)


@pytest.mark.parametrize("tested", [-3.0, -0.1, 0.3, 2.5])
def test_a_bet_gains_as_the_mean_it_is_against_moves_away(tested: float) -> None:
    scores = [(-1.0, 3), (0.0, 50), (0.5, 9), (2.0, 4)]
    mean = 9.5 / 66
    step = -1e-6 if tested < mean else 1e-6
    here, there = (best_bet(scores, mean, at, 3.0) for at in (tested, tested + step))
    assert (there.log_wealth - here.log_wealth) / 1e-6 == pytest.approx(here.gain, rel=1e-4)
    dearer = best_bet(scores, mean, tested, 6.0)
    assert 0.0 < dearer.log_wealth < here.log_wealth, "an imagined score further off costs more"


def test_a_few_blocks_that_all_differ_in_one_direction_are_no_proof() -> None:
    """One pair of equal bots in sixteen that differ at five blocks has all on one side."""
    for count, is_proof in ((1, False), (4, False), (8, True)):
        low, _ = Tally([0.0] * 200 + [1.0] * count).interval() or (0.0, 0.0)
        assert (low > 0.0) == is_proof
        sequence = MeanSequence(0.2)
        assert sequence.side(Tally([0.0] * 200 + [1.0] * count), 0.0) == 0
    assert sequence.side(Tally([0.0] * 200 + [1.0] * 16), 0.0) == 1


def wrong(imagined: float, blocks: int) -> float:
    """Returns how often a sequence leaves the true mean of lopsided scores out within *blocks*.

    Reckoned over all that may happen: so many gains among so many blocks, and not left out yet.
    """
    sequence, found = MeanSequence(imagined), 0.0
    open_with = Counter({0: 1.0})
    for n in range(1, blocks + 1):
        later: Counter[int] = Counter()
        for gains, share in open_with.items():
            later[gains] += 0.9 * share
            later[gains + 1] += 0.1 * share
        open_with = Counter()
        for gains, share in later.items():
            if share < 1e-9:
                continue
            if sequence.side(Tally([LOSS] * (n - gains) + [GAIN] * gains), 0.0):
                found += share
            else:
                open_with[gains] = share
    return found


@pytest.mark.parametrize("imagined", [0.2, 2.3])
def test_lopsided_scores_seldom_leave_the_sequence_s_interval_early(imagined: float) -> None:
    """With Student's ratio it was 5.5 % of all by block 200, and with a first look at 30 more."""
    assert wrong(imagined, 200) < 0.013


def held(interval: Callable[[Tally], tuple[float, float] | None], blocks: int) -> float:
    """Returns how often an interval holds the mean of so many lopsided scores."""
    found = 0.0
    for gains in range(blocks // 3):
        tally = Tally([LOSS] * (blocks - gains) + [GAIN] * gains)
        low, high = interval(tally) or (0.0, 0.0)
        if low <= 0.0 <= high:
            found += comb(blocks, gains) * 0.1**gains * 0.9 ** (blocks - gains)
    return found


def test_the_interval_holds_the_mean_of_lopsided_scores_as_often_as_it_says() -> None:
    """From 60 blocks to 160 it does in 94.8 to 98.1 %, and Student's in 89.0 to 95.5 %."""
    assert held(Tally.student_interval, 65) < 0.9
    for blocks in (60, 65, 80, 105, 125, 160):
        assert 0.945 <= held(Tally.interval, blocks) <= 0.985


def test_an_interval_reaches_further_to_where_the_rare_scores_lie() -> None:
    tally = Tally([LOSS] * 180 + [GAIN] * 20)
    low, high = MeanSequence(0.2).interval(tally)
    assert 1.3 < (high - tally.mean) / (tally.mean - low) < 2.0


def test_where_scores_are_even_it_reaches_as_far_on_both_sides_as_student_s_would() -> None:
    tally = Tally([-1.0, 1.0] * 500)
    low, high = MeanSequence(0.5).interval(tally)
    assert low == -high
    normal = MeanSequence(0.5)._mixture.bound(1000.0) / 1000.0
    assert high == pytest.approx(normal, rel=0.01)


def test_a_score_far_from_all_others_keeps_no_end_from_being_found() -> None:
    """The wealth of a bet there turns sharply: by Newton's steps alone the search went astray."""
    tally, sequence = Tally([1e-9] * 70 + [5.0]), MeanSequence(1e-6)
    for end in sequence.interval(tally):
        assert sequence.log_e(tally, end) == pytest.approx(log(20.0))
