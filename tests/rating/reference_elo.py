"""Elo numbers of two-sided games (RATING.md 6.4), which only the reference values ask for.

Two numbers of Elo mean nothing for three seats: a win share difference D of blocks becomes a
score as (D + 1)/2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import copysign, exp, fsum, inf, log, log10, sqrt

from tournaments.evidence.scores import EvidenceError
from tournaments.rating.gaussian import cdf, quantile

NELO = 800.0 / log(10.0)
"""Normalized Elo of a score one standard deviation above one half."""


@dataclass(frozen=True, slots=True)
class EloEstimate:
    """What a sample of scores says in Elo. Errors are half widths of the interval."""

    score: float
    """The mean score of a game, from 0 to 1."""

    elo: float
    elo_error: float
    nelo: float
    nelo_error: float
    los: float
    """The likelihood of superiority: how sure it is that the mean score is above one half."""


def elo_of_score(score: float) -> float:
    """Returns the Elo difference of an expected *score*; infinite at 0 and 1."""
    if score <= 0.0:
        return -inf
    if score >= 1.0:
        return inf
    return -400.0 * log10(1.0 / score - 1.0)


def score_of_elo(elo: float) -> float:
    """Returns the expected score of an *elo* difference."""
    return 1.0 / (1.0 + exp(-2.0 * elo / NELO))


def score_of_bayes_elo(elo: float, draw_elo: float) -> float:
    """Returns the expected score of a BayesElo difference, draws being worth *draw_elo*."""
    win = 1.0 / (1.0 + exp(2.0 * (draw_elo - elo) / NELO))
    loss = 1.0 / (1.0 + exp(2.0 * (draw_elo + elo) / NELO))
    return win + 0.5 * (1.0 - win - loss)


def draw_elo(win: float, loss: float) -> float:
    """Returns the draw parameter of BayesElo for these shares of wins and losses."""
    return 200.0 * log10((1.0 - loss) / loss * (1.0 - win) / win)


def games_in_score(bins: int) -> int:
    """Returns how many games a score of so many bins is from: 1 of 3 bins, 2 of 5.

    Raises:
        EvidenceError: if the bins are those of neither games nor pairs of games.
    """
    if bins not in {3, 5}:
        raise EvidenceError(f"counts have 3 bins (games) or 5 (pairs of games), not {bins}")
    return (bins - 1) // 2


def estimate(counts: Sequence[float], confidence: float = 0.95) -> EloEstimate:
    """Returns the Elo of a sample.

    Args:
        counts: how often each score happened, lowest first: losses, draws, wins of games; or
            the five scores of pairs of games.
        confidence: of the intervals.

    Raises:
        EvidenceError: if there are no games, or the bins are neither 3 nor 5.
    """
    games = games_in_score(len(counts))
    total = fsum(counts)
    if not total > 0.0 or min(counts) < 0.0:
        raise EvidenceError(f"no Elo without games, not from {tuple(counts)!r}")
    values = [i / (len(counts) - 1) for i in range(len(counts))]
    score = fsum(n * a for n, a in zip(counts, values, strict=True)) / total
    variance = fsum(n * (a - score) ** 2 for n, a in zip(counts, values, strict=True)) / total
    error = sqrt(variance / total)
    reach = quantile(0.5 + 0.5 * confidence) * error
    return EloEstimate(
        score=score,
        elo=elo_of_score(score),
        elo_error=_half(elo_of_score(score - reach), elo_of_score(score + reach)),
        nelo=_ratio(score - 0.5, sqrt(games * variance)) * NELO,
        nelo_error=_ratio(reach, sqrt(games * variance)) * NELO,
        los=cdf(_ratio(score - 0.5, error)),
    )


def _half(low: float, high: float) -> float:
    """Returns half the width of an interval, 0 if both ends are the same infinity."""
    return 0.0 if low == high else 0.5 * (high - low)


def _ratio(value: float, spread: float) -> float:
    """Returns value/spread; without spread, infinity on the side of the value, or 0."""
    if spread > 0.0:
        return value / spread
    return copysign(inf, value) if value else 0.0
