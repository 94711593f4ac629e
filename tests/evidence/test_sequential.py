"""Evidence that may be looked at at any time."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import product
from math import exp, log, prod

import pytest

from tests.rating.reference_bets import (
    HedgedBetting,
    clipped_log_wealth,
    sign_log_e,
    summarize,
)
from tournaments.evidence import EvidenceError, MixtureBetting, NormalMixture

UNIFORM = [((i * 7919) % 101) / 100 for i in range(1, 61)]
BLOCKS = [0.0, 1.0, 0.0, -0.5, 2.0, 0.0, 0.0, 1.5, -1.0, 0.5,
          0.0, 0.0, 3.0, 0.5, -0.5, 0.0, 1.0, 0.0, 0.0, 0.5]  # fmt: skip


def test_the_mixture_has_the_published_values() -> None:
    mixture = NormalMixture.tuned(100.0)
    assert mixture.rho == pytest.approx(12.60056097925634, abs=1e-12)
    assert mixture.log_e(10.0, 100.0) == pytest.approx(-0.6510051600071821, abs=1e-12)
    assert mixture.bound(100.0) == pytest.approx(30.35208990376253, abs=1e-12)


def test_the_bound_is_where_the_bet_pays() -> None:
    mixture = NormalMixture.tuned(40.0, alpha=0.01)
    for variance in (1.0, 40.0, 900.0):
        assert mixture.log_e(mixture.bound(variance), variance) == pytest.approx(log(100.0))


def test_betting_has_the_values_of_the_reference_recursion() -> None:
    path = HedgedBetting().capital(UNIFORM, 0.4)
    assert [path[n - 1] for n in (1, 10, 30, 60)] == pytest.approx(
        [0.50625, 0.4205123028690609, 2.6909870759193053, 14.815142419963028], abs=1e-12
    )
    assert HedgedBetting().interval(UNIFORM) == (0.394, 0.608)
    assert HedgedBetting().interval(UNIFORM[:10]) == (0.191, 0.73)


def test_the_betting_interval_is_where_the_capital_is_small() -> None:
    betting = HedgedBetting()
    low, high = betting.interval(UNIFORM, grid=100)
    kept = [k for k in range(101) if betting.capital(UNIFORM, k / 100)[-1] < 20.0]
    assert (low, high) == ((kept[0] - 1) / 100, (kept[-1] + 1) / 100)


@pytest.mark.parametrize("scores", [[], [0.0] * 50, [1.0] * 50, [0.0, 1.0]])
def test_betting_takes_scores_at_the_ends(scores: list[float]) -> None:
    low, high = HedgedBetting().interval(scores)
    assert 0.0 <= low <= high <= 1.0
    if len(scores) == 50:
        assert low <= scores[0] <= high
        assert high - low < 0.2


def test_scores_that_no_bound_was_promised_for_are_refused() -> None:
    with pytest.raises(EvidenceError, match="0 to 1"):
        HedgedBetting().capital([1.5], 0.5)


def test_sign_evidence_has_the_reference_values() -> None:
    assert sign_log_e(5, 0) == pytest.approx(1.6739764335716716, abs=1e-12)
    assert sign_log_e(30, 20) == pytest.approx(-0.7583807469164441, abs=1e-12)
    assert sign_log_e(0, 0) == 0.0
    assert sign_log_e(100_000, 0) > 1e4


def test_clipped_betting_has_the_reference_values() -> None:
    path = clipped_log_wealth(BLOCKS * 3, clip=3.0)
    assert [path[n - 1] for n in (20, 40, 60)] == pytest.approx(
        [1.3810795113888799, 3.12680213636567, 4.872524761342459], abs=1e-12
    )


def test_a_score_beyond_the_clip_cannot_ruin_or_make_a_bet() -> None:
    wild = clipped_log_wealth([*BLOCKS, -1e9, 1e9], clip=3.0)
    tame = clipped_log_wealth([*BLOCKS, -3.0, 3.0], clip=3.0)
    assert wild == tame


def test_false_alarms_stay_below_alpha_however_often_one_looks() -> None:
    runs = 300
    alarms = 0
    for seed in range(runs):
        rng = random.Random(seed)
        scores = [rng.choice((0.0, 0.0, 0.0, 1.0, -1.0, 3.0, -3.0)) for _ in range(200)]
        alarms += max(clipped_log_wealth(scores, clip=3.0)) >= log(20.0)
    assert alarms <= 0.05 * runs + 3


@pytest.mark.parametrize(("clip", "truncation"), [(0.0, 0.9), (1.0, 1.0), (1.0, 0.0)])
def test_a_bet_that_could_lose_everything_is_refused(clip: float, truncation: float) -> None:
    with pytest.raises(EvidenceError, match="clip"):
        clipped_log_wealth([1.0], clip, truncation)


def mixture(scores: Iterable[float]) -> MixtureBetting:
    betting = MixtureBetting()
    for score in scores:
        betting.take(score)
    return betting


def test_a_mixture_of_bets_takes_scores_in_any_order_and_says_nothing_of_none() -> None:
    scores = [0.3, -0.2, 0.4, 0.1, -1.0, 0.9] * 5
    assert mixture(reversed(scores)).p_value == pytest.approx(mixture(scores).p_value, rel=1e-9)
    assert mixture([]).p_value == mixture([0.0] * 9).p_value == 1.0
    # one score x: the mean of 1 + stake * x, and the stakes are a half in the mean
    assert mixture([0.5]).p_value == pytest.approx(1.0 / 1.25)
    with pytest.raises(EvidenceError, match=r"below -1: -1\.5"):
        mixture([-1.5])


@pytest.mark.parametrize(("shares", "least"), [((0.1, 0.1), 1.0), ((0.02, 0.18), 0.9)])
def test_a_mixture_of_bets_wins_nothing_where_small_gains_pay_for_a_large_loss(
    shares: tuple[float, float], least: float
) -> None:
    """What is expected of all 1,024 courses of ten blocks, by the rule that p-values stand on.

    Be the blocks alike or not: in the second case the first five gain and the others lose.
    """
    expected = 0.0
    for course in product((False, True), repeat=10):
        chances = [shares[number >= 5] for number in range(10)]
        chance = prod(p if lost else 1.0 - p for p, lost in zip(chances, course, strict=True))
        expected += chance * exp(mixture(-0.9 if lost else 0.1 for lost in course).log_wealth)
    assert least <= expected + 1e-9
    assert expected <= 1.0 + 1e-9


def test_a_mixture_of_bets_finds_what_gains_in_spite_of_losses() -> None:
    assert mixture([0.2, 0.1, -0.1, 0.3] * 15).p_value <= 0.01


def test_the_summary_is_that_of_a_paired_t_test() -> None:
    found = summarize(BLOCKS * 3)
    assert (found.n, found.decided) == (60, 33)
    assert found.mean == pytest.approx(0.4)
    assert found.sd == pytest.approx(0.9103919811389122)
    assert found.t == pytest.approx(3.4033545342631553)


@pytest.mark.parametrize("scores", [[], [1.0], [0.0] * 10, [1.0] * 10])
def test_a_summary_without_spread_has_no_nan(scores: list[float]) -> None:
    assert summarize(scores).t == 0.0
