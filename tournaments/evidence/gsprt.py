"""Generalised sequential probability ratio tests on block scores (RATING.md 6.5).

Each hypothesis is represented by the distribution under it that fits the scores best
(M. Van den Bergh, "Comments on normalized Elo"), so no shape is assumed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from math import exp, expm1, log, log1p, sqrt

from tournaments.evidence.elo import (
    NELO,
    draw_elo,
    games_in_score,
    score_of_bayes_elo,
    score_of_elo,
)
from tournaments.evidence.scores import EvidenceError, Scores, mean_of, variance_of
from tournaments.rating.gaussian import quantile


class EloModel(Enum):
    """What an Elo number means."""

    LOGISTIC = "logistic"
    NORMALIZED = "normalized"
    BAYESIAN = "bayesian"


class Decision(Enum):
    """What a sequential test says after a look."""

    CONTINUE = "continue"
    ACCEPT_H0 = "accept_h0"
    ACCEPT_H1 = "accept_h1"


@dataclass(frozen=True, slots=True)
class Bounds:
    """Where a test stops: at or below ``lower`` for H0, at or above ``upper`` for H1."""

    lower: float
    upper: float

    def decide(self, llr: float) -> Decision:
        """Returns what a log-likelihood ratio of *llr* decides."""
        if llr <= self.lower:
            return Decision.ACCEPT_H0
        return Decision.ACCEPT_H1 if llr >= self.upper else Decision.CONTINUE


def bounds(alpha: float, beta: float) -> Bounds:
    """Returns Wald's bounds for a false accept of H1 by *alpha* and of H0 by *beta*.

    Raises:
        EvidenceError: if the two are not probabilities that sum to less than 1.
    """
    if not (alpha > 0.0 and beta > 0.0 and alpha + beta < 1.0):
        raise EvidenceError(f"alpha and beta must be above 0 and sum below 1: {alpha}, {beta}")
    return Bounds(log(beta / (1.0 - alpha)), log((1.0 - beta) / alpha))


def mean_llr(scores: Scores, s0: float, s1: float) -> float:
    """Returns the exact log-likelihood ratio of mean *s1* against mean *s0*.

    Raises:
        EvidenceError: if a mean is not strictly between the lowest and the highest score.
    """
    low, high = (
        _log_tilts(pulls, _tilt(scores.shares, pulls, s))
        for s in (s0, s1)
        for pulls in ([a - s for a in scores.values],)
    )
    return scores.total * mean_of([a - b for a, b in zip(low, high, strict=True)], scores.shares)


def mean_llr_by_spread(scores: Scores, s0: float, s1: float) -> float:
    """Returns the first approximation of `mean_llr`: the ratio of spreads round both means."""
    mean, variance = scores.mean, scores.variance
    around = [variance + (mean - s) ** 2 for s in (s0, s1)]
    if around[0] == around[1]:
        return 0.0
    return 0.5 * scores.total * log(around[0] / around[1])


def mean_llr_by_normal(scores: Scores, s0: float, s1: float) -> float:
    """Returns the second approximation of `mean_llr`: normal scores of the observed variance.

    Raises:
        EvidenceError: if the scores do not vary.
    """
    if scores.variance == 0.0:
        raise EvidenceError("scores that do not vary have no normal approximation")
    return scores.total * (s1 - s0) * (2.0 * scores.mean - s0 - s1) / (2.0 * scores.variance)


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


def t_llr_approximate(
    scores: Scores, t0: float, t1: float, reference: float = 0.0, *, games: int = 1
) -> float:
    """Returns the closed approximation of `t_llr`; 0 if the scores do not vary.

    Args:
        scores: the scores observed.
        t0: the t-value of one observation under H0.
        t1: the t-value of one observation under H1.
        reference: the score at which the t-value is 0.
        games: how many games an observation is made of. Chess tools approximate game by
            game, which is not quite the same as pair by pair.
    """
    if scores.variance == 0.0:
        return 0.0
    root = sqrt(games)
    t = (scores.mean - reference) / (root * sqrt(scores.variance))
    ratio = (1.0 + (t - t0 / root) ** 2) / (1.0 + (t - t1 / root) ** 2)
    return 0.5 * games * scores.total * log(ratio)


def elo_llr(
    counts: Sequence[float], elo0: float, elo1: float, model: EloModel = EloModel.NORMALIZED
) -> float:
    """Returns the exact log-likelihood ratio of two Elo differences.

    Args:
        counts: losses, draws, wins of games, or the five scores of pairs of games.
        elo0: the difference under H0.
        elo1: the difference under H1.
        model: what the differences mean; BayesElo is defined for single games only.
    """
    scores = Scores.of_bins(counts)
    low, high = elo_hypotheses(counts, elo0, elo1, model)
    if model is EloModel.NORMALIZED:
        return t_llr(scores, low, high, 0.5)
    return mean_llr(scores, low, high)


def elo_hypotheses(
    counts: Sequence[float], elo0: float, elo1: float, model: EloModel
) -> tuple[float, float]:
    """Returns two Elo differences as t-values of a score (normalized) or as mean scores.

    Raises:
        EvidenceError: if the model is not defined for these counts.
    """
    games = games_in_score(len(counts))
    if model is EloModel.NORMALIZED:
        return sqrt(games) * elo0 / NELO, sqrt(games) * elo1 / NELO
    if model is EloModel.LOGISTIC:
        return score_of_elo(elo0), score_of_elo(elo1)
    if games != 1:
        raise EvidenceError("BayesElo is defined for single games, not for pairs")
    loss, _, win = Scores.of_bins(counts).shares
    drawn = draw_elo(win, loss)
    return score_of_bayes_elo(elo0, drawn), score_of_bayes_elo(elo1, drawn)


@dataclass(frozen=True, slots=True)
class Look:
    """A sequential test after some blocks."""

    blocks: int
    llr: float
    bounds: Bounds
    decision: Decision


@dataclass(frozen=True, slots=True)
class BlockTest:
    """Whether one entrant is better than another: a t-value test on block score differences."""

    t0: float = 0.0
    """The t-value of a block score under H0."""

    t1: float = 0.1
    """The t-value of a block score under H1."""

    alpha: float = 0.05
    """How often H1 may be accepted under H0."""

    beta: float = 0.05
    """How often H0 may be accepted under H1."""

    floor: int = 30
    """How many blocks there must be before anything is decided."""

    support: tuple[float, ...] = (-1.0, 0.0, 1.0)
    """Scores that can happen, for samples without spread; those of a win share."""

    def look(self, scores: Sequence[float]) -> Look:
        """Returns what the block *scores* so far say. Look after every round, not every table."""
        limits = bounds(self.alpha, self.beta)
        llr = t_llr(Scores.of(scores, self.support), self.t0, self.t1) if scores else 0.0
        decided = limits.decide(llr) if len(scores) >= self.floor else Decision.CONTINUE
        return Look(len(scores), llr, limits, decided)


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


def fixed_length(t: float, level: float, power: float, sides: int = 2) -> float:
    """Returns how many observations of t-value *t* a test of fixed length needs."""
    return (quantile(1.0 - level / sides) + quantile(power)) ** 2 / (t * t)


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
        x = _tilt(scores.shares, pulls, t, near=x)
        tilts = _log_tilts(pulls, x)
        before, fitted = (
            fitted,
            [share * exp(-tilt) for share, tilt in zip(scores.shares, tilts, strict=True)],
        )
        if max(abs(a - b) for a, b in zip(before, fitted, strict=True)) < 1e-13:
            break
    return tilts


def _log_tilts(pulls: Sequence[float], x: float) -> list[float]:
    """Returns ln(1 + x*pull): the logarithms of share over fitted share."""
    return [log1p(x * pull) for pull in pulls]


def _tilt(
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
