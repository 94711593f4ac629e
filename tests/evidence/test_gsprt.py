"""Sequential tests on block scores: the right ratio, and errors as promised."""

from __future__ import annotations

import random
from math import sqrt

import pytest

from tests.rating.reference_elo import NELO
from tests.rating.reference_sprt import (
    EloModel,
    elo_llr,
    fixed_length,
    mean_llr,
    mean_llr_by_normal,
    mean_llr_by_spread,
    t_llr_approximate,
)
from tournaments.evidence import EvidenceError, Scores, bounds, expected_length, t_llr

# published and independently recomputed ratios: (model, counts low to high, elo0, elo1, llr)
PUBLISHED = [
    ("normalized", (36027, 68692, 36433), 0.0, 2.0, 0.9232934509380205),
    ("normalized", (10650, 20431, 10871), -1.75, 0.25, 2.2975004071087484),
    ("logistic", (57030, 106593, 57433), 0.0, 2.0, -2.593024163540453),
    ("bayesian", (21484, 41111, 21629), 0.5, 2.5, -1.1306424589234392),
    ("normalized", (365, 16618, 36229, 16974, 390), 0.0, 2.0, 2.2503677035483993),
    ("normalized", (0, 0, 0, 0, 5550), 0.0, 5.0, 111.7975550867142),
    ("logistic", (39, 2226, 31451, 2412, 40), 0.2, 0.9, 2.1625425800478517),
    ("normalized", (13, 37, 50, 25, 3), 0.0, 4.0, -0.5491245874012608),
]


@pytest.mark.parametrize(("model", "counts", "elo0", "elo1", "llr"), PUBLISHED)
def test_the_exact_ratio_is_the_published_one(model, counts, elo0, elo1, llr) -> None:
    assert elo_llr(counts, elo0, elo1, EloModel(model)) == pytest.approx(llr, abs=1e-9)


def test_the_approximations_are_those_of_the_chess_tools() -> None:
    pairs = Scores.of_bins((13, 37, 50, 25, 3))
    root = 2.0**0.5
    assert t_llr_approximate(pairs, 0.0, root * 4 / NELO, 0.5, games=2) == pytest.approx(
        -0.5401205977133263, abs=1e-9
    )
    low, high = 0.5, 1.0 / (1.0 + 10 ** (-2.7157504309467972 / 400))
    assert mean_llr(pairs, low, high) == pytest.approx(-0.5377160090761026, abs=1e-9)
    assert mean_llr_by_spread(pairs, low, high) == pytest.approx(-0.521944732069808, abs=1e-9)
    assert mean_llr_by_normal(pairs, low, high) == pytest.approx(-0.5596096303468443, abs=1e-9)


def test_any_grid_of_scores_can_be_tested() -> None:
    scores = Scores.of_bins((3, 12, 40, 110, 52, 18, 5))
    assert mean_llr(scores, 0.5, 0.52) == pytest.approx(1.5887982275699724, abs=1e-9)


def test_swapping_the_hypotheses_turns_the_ratio_round() -> None:
    scores = Scores.of((0.0, 0.5, -1.0, 1.0, 0.0, 0.25, 1.0))
    assert mean_llr(scores, 0.0, 0.2) == pytest.approx(-mean_llr(scores, 0.2, 0.0))
    assert t_llr(scores, 0.0, 0.3) == pytest.approx(-t_llr(scores, 0.3, 0.0))


def test_the_units_of_the_scores_do_not_matter_to_the_t_value() -> None:
    scores = (0.0, 0.5, -1.0, 1.0, 0.0, 0.25, 1.0)
    tripled = Scores.of(3.0 * score for score in scores)
    assert t_llr(tripled, 0.0, 0.3) == pytest.approx(t_llr(Scores.of(scores), 0.0, 0.3))


def test_bounds_are_walds() -> None:
    assert bounds(0.05, 0.10).lower == pytest.approx(-2.251291798606495)
    assert bounds(0.05, 0.10).upper == pytest.approx(2.8903717578961645)


@pytest.mark.parametrize(("alpha", "beta"), [(0.0, 0.05), (0.05, 1.0), (0.6, 0.5)])
def test_levels_that_are_none_are_refused(alpha: float, beta: float) -> None:
    with pytest.raises(EvidenceError, match="alpha"):
        bounds(alpha, beta)


def test_a_mean_that_the_scores_cannot_have_is_refused() -> None:
    with pytest.raises(EvidenceError, match=r"1\.5"):
        mean_llr(Scores.of((0.0, 1.0)), 0.5, 1.5)


def zero_inflated(rng: random.Random, t: float) -> float:
    """Returns a block score of close bots, three of four being 0, with t-value *t*."""
    if rng.random() < 0.75:
        return 0.0
    # mean lean/4 and spread sqrt(5/72), less the square of the mean
    lean = 4.0 * t * sqrt(5 / 72 / (1.0 + t * t))
    return rng.choice((1 / 3, 2 / 3)) * (1.0 if rng.random() < 0.5 + lean else -1.0)


def test_the_expected_length_is_that_of_a_brownian_motion() -> None:
    limits = bounds(0.05, 0.05)
    middle = expected_length(2.5 / NELO, 0.0, 5.0 / NELO, limits)
    assert middle.observations == pytest.approx(41861.395761915555, rel=1e-9)
    assert middle.pass_probability == pytest.approx(0.5)
    null = expected_length(0.0, 0.0, 0.1, limits)
    assert null.observations == pytest.approx(529.999016249959, rel=1e-9)
    assert null.pass_probability == pytest.approx(0.05)
    near = expected_length(0.05 + 1e-9, 0.0, 0.1, limits)
    assert near.observations == pytest.approx(866.9720902034707, rel=1e-5)


def test_a_drift_that_leaves_no_doubt_has_a_length_too() -> None:
    limits = bounds(0.05, 0.05)
    up, down = (expected_length(t, 0.0, 0.001, limits) for t in (7.0, -7.0))
    assert (up.pass_probability, down.pass_probability) == (1.0, 0.0)
    assert up.observations == pytest.approx(limits.upper / 0.001 / 7.0, rel=1e-3)
    assert down.observations == pytest.approx(limits.upper / 0.001 / 7.0, rel=1e-3)


def test_a_fixed_sample_needs_more() -> None:
    assert fixed_length(0.1, 0.05, 0.95) == pytest.approx(1299.4712813123995, rel=1e-6)
    assert fixed_length(0.1, 0.05, 0.95, sides=1) == pytest.approx(1082.2178725263998, rel=1e-6)
