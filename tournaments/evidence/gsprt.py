"""Generalised sequential probability ratio tests on block scores (RATING.md 6.5).

Each hypothesis is represented by the distribution under it that fits the scores best
(M. Van den Bergh, "Comments on normalized Elo"), so no shape is assumed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, expm1, log, log1p, sqrt

from tournaments.evidence.scores import EvidenceError, Scores, mean_of, variance_of


@dataclass(frozen=True, slots=True)
class Bounds:
    """Where a test stops: at or below ``lower`` for H0, at or above ``upper`` for H1."""

    lower: float
    upper: float


def bounds(alpha: float, beta: float) -> Bounds:
    """Returns Wald's bounds for a false accept of H1 by *alpha* and of H0 by *beta*.

    Raises:
        EvidenceError: if the two are not probabilities that sum to less than 1.
    """
    if not (alpha > 0.0 and beta > 0.0 and alpha + beta < 1.0):
        raise EvidenceError(f"alpha and beta must be above 0 and sum below 1: {alpha}, {beta}")
    return Bounds(log(beta / (1.0 - alpha)), log((1.0 - beta) / alpha))


def t_llr(scores: Scores, t0: float, t1: float, reference: float = 0.0) -> float:
    """Returns the exact log-likelihood ratio of t-value *t1* against *t0*.

    The t-value is (mean - *reference*)/sd of one observation, the "normalized" model. Its
    test kept its power on scores that are mostly 0, where the test of the mean did not.
    One possible score says nothing of a spread, so its ratio is 0.
    """
    if len(scores.values) < 2:
        return 0.0
    low = _t_log_tilts(scores, t0, reference)
    high = _t_log_tilts(scores, t1, reference)
    return scores.total * mean_of([a - b for a, b in zip(low, high, strict=True)], scores.shares)


@dataclass(frozen=True, slots=True)
class Length:
    """How long a sequential test runs, and how it ends."""

    observations: float
    """The expected number of observations."""

    pass_probability: float
    """The probability that H1 is accepted."""


def expected_length(t: float, t0: float, t1: float, limits: Bounds) -> Length:
    """Returns the length of a test when one observation has t-value *t* (Brownian motion).

    Overshoot is left out, so real tests are a little longer.
    """
    gain = t1 - t0
    drift, variance = gain * (t - 0.5 * (t0 + t1)), gain * gain
    width = limits.upper - limits.lower
    slope = 2.0 * drift / variance
    if abs(slope * width) < 1e-9:
        return Length(-limits.lower * limits.upper / variance, -limits.lower / width)
    if abs(slope * width) > 500.0:
        passes = 1.0 if slope > 0.0 else 0.0
        return Length((limits.upper if slope > 0.0 else limits.lower) / drift, passes)
    # the martingale exp(-slope * LLR) is the same at the start and at both ends
    passes = expm1(-slope * limits.lower) / (
        expm1(-slope * limits.lower) - expm1(-slope * limits.upper)
    )
    return Length((passes * limits.upper + (1.0 - passes) * limits.lower) / drift, passes)


def _t_log_tilts(scores: Scores, t: float, reference: float) -> list[float]:
    """Returns the logarithms of share over fitted share under t-value *t*."""
    fitted = [1.0 / len(scores.values)] * len(scores.values)
    tilts: list[float] = []
    x = 0.0
    for _ in range(60):
        mean, sd = mean_of(scores.values, fitted), sqrt(variance_of(scores.values, fitted))
        pulls = [
            a - reference - 0.5 * t * sd * (1.0 + ((mean - a) / sd) ** 2) for a in scores.values
        ]
        x = tilt(scores.shares, pulls, t, near=x)
        tilts = log_tilts(pulls, x)
        before, fitted = (
            fitted,
            [share * exp(-tilt) for share, tilt in zip(scores.shares, tilts, strict=True)],
        )
        if max(abs(a - b) for a, b in zip(before, fitted, strict=True)) < 1e-13:
            break
    return tilts


def log_tilts(pulls: Sequence[float], x: float) -> list[float]:
    """Returns ln(1 + x*pull): the logarithms of share over fitted share."""
    return [log1p(x * pull) for pull in pulls]


def tilt(
    shares: Sequence[float], pulls: Sequence[float], hypothesis: float, near: float = 0.0
) -> float:
    """Returns the x at which the distribution of shares p/(1 + x*pull) has no pull left.

    The sum of p*u/(1 + x*u) falls from infinity to minus infinity between the poles that
    the largest and the smallest u make. The search begins *near* where the answer may be.
    """
    smallest, largest = min(pulls), max(pulls)
    if not smallest < 0.0 < largest:
        raise EvidenceError(f"no scores of this kind can have {hypothesis!r}")
    low, high = -1.0 / largest, -1.0 / smallest
    nothing = 1e-15 * min(-low, high)  # by rounding alone x may go on moving so far for ever
    x = near if low < near < high else 0.0
    for _ in range(200):
        excess = slope = 0.0
        for share, pull in zip(shares, pulls, strict=True):
            part = pull / (1.0 + x * pull)
            excess += share * part
            slope -= share * part * part
        low, high = (x, high) if excess > 0.0 else (low, x)
        ahead = x - excess / slope
        after = ahead if low < ahead < high else 0.5 * (low + high)
        if abs(after - x) <= nothing:
            break
        x = after
    return x
