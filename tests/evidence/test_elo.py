"""Elo for comparison with chess tools, and Glicko-2."""

from __future__ import annotations

from math import inf, isfinite

import pytest

from tests.rating.reference_elo import elo_of_score, estimate, score_of_elo
from tests.rating.reference_glicko2 import GlickoRating, after_period
from tournaments.evidence import EvidenceError


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        (
            (89, 123, 76),
            (0.4774305555555556, -15.693520705432237, 30.45800071698045,
             -20.756449777395378, 40.12602555757857, 0.1553264349274983),
        ),
        (
            (332, 433, 498, 333, 334),
            (0.4875647668393782, -8.64266726796901, 10.334194424393056,
             -9.172914270047176, 10.96045887751114, 0.05047006698252931),
        ),
    ],
)  # fmt: skip
def test_estimates_are_the_published_ones(counts, expected) -> None:
    found = estimate(counts)
    got = (found.score, found.elo, found.elo_error, found.nelo, found.nelo_error, found.los)
    assert got == pytest.approx(expected, abs=1e-9)


def test_score_and_elo_are_each_others_inverse() -> None:
    assert elo_of_score(0.75) == pytest.approx(190.848501887865)
    for score in (0.01, 0.5, 0.9):
        assert score_of_elo(elo_of_score(score)) == pytest.approx(score)


def test_a_clean_sweep_is_infinite_and_never_nan() -> None:
    found = estimate((0, 0, 100))
    assert (found.elo, found.los) == (inf, 1.0)
    assert found.elo_error == 0.0
    assert estimate((100, 0, 0)).elo == -inf
    level = estimate((0, 100, 0))
    assert (level.elo, level.nelo, level.los) == (0.0, 0.0, 0.5)


@pytest.mark.parametrize("counts", [(0, 0, 0), (1, 2), (1, 2, 3, 4), (-1, 2, 3)])
def test_counts_that_are_no_sample_are_refused(counts) -> None:
    with pytest.raises(EvidenceError):
        estimate(counts)


def test_glicko_2_gives_the_authors_example() -> None:
    """1464.06 in the paper, which rounds at every step."""
    opponents = [
        (GlickoRating(1400.0, 30.0), 1.0),
        (GlickoRating(1550.0, 100.0), 0.0),
        (GlickoRating(1700.0, 300.0), 0.0),
    ]
    got = after_period(GlickoRating(1500.0, 200.0, 0.06), opponents)
    assert got.rating == pytest.approx(1464.05, abs=0.005)
    assert got.deviation == pytest.approx(151.52, abs=0.005)
    assert got.volatility == pytest.approx(0.059996, abs=1e-6)


def test_a_period_without_games_only_makes_a_rating_less_sure() -> None:
    before = GlickoRating(1600.0, 50.0, 0.06)
    after = after_period(before, [])
    assert after.rating == before.rating
    assert 50.0 < after.deviation < 52.0


def test_a_large_surprise_raises_the_volatility() -> None:
    sure = GlickoRating(1500.0, 30.0, 0.06)
    strong = GlickoRating(2300.0, 30.0, 0.06)
    after = after_period(sure, [(strong, 1.0)] * 20)
    assert after.volatility > 0.06
    assert isfinite(after.rating)
