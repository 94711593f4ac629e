"""Evidence that may be looked at at any time (RATING.md 6.6).

Every bound here holds over all looks together, so stopping when one likes the result is
allowed. An e-value is a bet against the hypothesis that nothing is to be found: it exceeds
1/alpha with probability at most alpha.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, exp, fsum, inf, lgamma, log, log1p, pi, sqrt

from tournaments.evidence.scores import EvidenceError

ASYMPTOTIC = 30
"""Blocks from which on a variance estimated along the way can be trusted."""

TRUNCATION = 0.9
"""The largest part of the wealth that a clipped bet may lose."""

STAKES = tuple(0.5 - 0.5 * cos(pi * (2 * k + 1) / 16) for k in range(8))
"""The shares of its wealth that a mixture of bets lays on every score."""


@dataclass(frozen=True, slots=True)
class NormalMixture:
    """Robbins' two-sided normal mixture: the confidence sequence for display.

    Sums are of scores less the mean under test; "variance" is the sum of their variances.
    """

    rho: float
    """The variance that the mixture is sharpest near, up to a factor."""

    alpha: float = 0.05

    @classmethod
    def tuned(cls, variance: float, alpha: float = 0.05) -> NormalMixture:
        """Returns the mixture that is tightest when the variance reaches *variance*.

        Choose it before the data: the number of blocks intended times their variance.
        """
        _check_level(alpha)
        if not variance > 0.0:
            raise EvidenceError(f"the intended variance must be above 0, not {variance!r}")
        surprise = 2.0 * log(1.0 / alpha)
        return cls(variance / (surprise + log1p(surprise)), alpha)

    def log_e(self, total: float, variance: float) -> float:
        """Returns the logarithm of the e-value against a mean of 0, for a sum of *total*."""
        spread = variance + self.rho
        return 0.5 * (log(self.rho / spread) + total * total / spread)

    def bound(self, variance: float) -> float:
        """Returns how far from 0 the sum may be before a mean of 0 is rejected."""
        spread = variance + self.rho
        return sqrt(spread * (log1p(variance / self.rho) + 2.0 * log(1.0 / self.alpha)))

    def interval(self, scores: Sequence[float]) -> tuple[float, float]:
        """Returns the interval of the mean score after these, the whole line for under 30."""
        n = len(scores)
        if n < ASYMPTOTIC:
            return -inf, inf
        mean = fsum(scores) / n
        half = self.bound(fsum((score - mean) ** 2 for score in scores)) / n
        return mean - half, mean + half


@dataclass(frozen=True, slots=True)
class HedgedBetting:
    """Capital betting for scores in 0..1: exact at any number of observations.

    No command shows it; the reference values ask for it.
    """

    alpha: float = 0.05

    def capital(self, scores: Sequence[float], mean: float) -> tuple[float, ...]:
        """Returns the capital of a bet against *mean* after each of *scores*.

        Raises:
            EvidenceError: if the mean or a score is outside 0..1.
        """
        _check_level(self.alpha)
        if not 0.0 <= mean <= 1.0 or any(not 0.0 <= x <= 1.0 for x in scores):
            raise EvidenceError("hedged betting is for scores and means from 0 to 1")
        up, down = self._legs(scores, self._stakes(scores), mean)
        return tuple(max(0.5 * a, 0.5 * b) for a, b in zip(up, down, strict=True))

    def interval(self, scores: Sequence[float], grid: int = 1000) -> tuple[float, float]:
        """Returns the interval of the mean, rounded outwards to steps of 1/*grid*.

        Raises:
            EvidenceError: if a score is outside 0..1, or the scores fit no common mean.
        """
        if not scores:
            return 0.0, 1.0
        self.capital(scores, 0.5)
        stakes, limit = self._stakes(scores), 2.0 / self.alpha

        # the bet that the mean is higher loses capital as the mean grows, the other one gains
        def kept_by_up(step: int) -> bool:
            return self._legs(scores, stakes, step / grid)[0][-1] < limit

        def kept_by_down(step: int) -> bool:
            return self._legs(scores, stakes, 1.0 - step / grid)[1][-1] < limit

        first = bisect_left(range(grid + 1), True, key=kept_by_up)
        last = grid - bisect_left(range(grid + 1), True, key=kept_by_down)
        if first > last:
            raise EvidenceError("every mean is rejected: the scores have no common mean")
        return max(first - 1, 0) / grid, min(last + 1, grid) / grid

    @staticmethod
    def _legs(
        scores: Sequence[float], stakes: Sequence[float], mean: float
    ) -> tuple[list[float], list[float]]:
        """Returns the capital after each score of betting on a higher and on a lower mean."""
        up_limit = 0.5 / mean if mean > 0.0 else inf
        down_limit = 0.5 / (1.0 - mean) if mean < 1.0 else inf
        up, down = [1.0], [1.0]
        for x, stake in zip(scores, stakes, strict=True):
            up.append(up[-1] * (1.0 + min(stake, up_limit) * (x - mean)))
            down.append(down[-1] * (1.0 - min(stake, down_limit) * (x - mean)))
        return up[1:], down[1:]

    def _stakes(self, scores: Sequence[float]) -> list[float]:
        """Returns what each bet may risk, from the scores before it and one imagined score."""
        surprise = 2.0 * log(2.0 / self.alpha)
        total, squares, variance = 0.5, 0.25, 0.25
        stakes = []
        for t, x in enumerate(scores, 1):
            stakes.append(sqrt(surprise / (t * log1p(t) * variance)))
            total += x
            squares += (x - total / (t + 1)) ** 2
            variance = squares / (t + 1)
        return stakes


def sign_log_e(wins: int, losses: int) -> float:
    """Returns the log e-value of *wins* against *losses* being a coin's, blocks at 0 left out.

    No command shows it; the reference values ask for it.
    """
    if wins < 0 or losses < 0:
        raise EvidenceError(f"wins and losses are counts, not {wins} and {losses}")
    beta = lgamma(wins + 1.0) + lgamma(losses + 1.0) - lgamma(wins + losses + 2.0)
    return beta + (wins + losses) * log(2.0)


class MixtureBetting:
    """Betting on "the mean is above 0", with scores of -1 or more: several stakes at once.

    Each stake is a share of its wealth that is laid on every score; the wealth is the mean of all.
    (T. Cover's universal portfolio, 1991; the stakes are spread by the arcsine law.) So the order
    of the scores changes nothing but rounding, and they need not be alike: if independent scores
    have expectations that are at most 0 *in the mean*, each stake is expected to keep no more than
    the product of (1 + stake * expectation), and that is at most 1, by the inequality of the
    arithmetic and geometric means.
    """

    __slots__ = ("_logs",)

    def __init__(self) -> None:
        """Begins with a wealth of 1."""
        self._logs = [0.0] * len(STAKES)

    def take(self, score: float) -> None:
        """Takes the score of one block.

        Raises:
            EvidenceError: if it is below -1.
        """
        if not score >= -1.0:
            raise EvidenceError(f"a score that is bet on may not be below -1: {score!r}")
        self._logs = [
            wealth + log1p(stake * score) for wealth, stake in zip(self._logs, STAKES, strict=True)
        ]

    @property
    def p_value(self) -> float:
        """The p-value of the scores together: 1 by the wealth (A. Markov's inequality)."""
        return min(1.0, exp(-self.log_wealth))

    @property
    def log_wealth(self) -> float:
        """The log e-value of the scores together."""
        most = max(self._logs)
        return most + log(fsum(exp(wealth - most) for wealth in self._logs) / len(self._logs))


def clipped_log_wealth(
    scores: Sequence[float], clip: float, truncation: float = TRUNCATION
) -> tuple[float, ...]:
    """Returns the log e-value against "the mean is at most 0" after each score.

    No command shows it; the reference values ask for it.

    Args:
        scores: one score a block.
        clip: scores are cut to -*clip*..*clip*. Declare it before the data: the claim is
            about the mean of the cut scores, exactly.
        truncation: the largest part of the wealth that a bet may lose, below 1.

    Raises:
        EvidenceError: if the clip is not above 0 or the truncation not from 0 to 1.
    """
    if not clip > 0.0 or not 0.0 < truncation < 1.0:
        raise EvidenceError(f"need clip > 0 and truncation in 0..1: {clip!r}, {truncation!r}")
    wealth = total = squares = 0.0
    path = []
    for past, score in enumerate(scores):
        mean = total / (past + 1)
        second = (squares + 1.0) / (past + 1) if past else 1.0
        stake = min(max(mean / second, 0.0), truncation / clip)
        cut = min(max(score, -clip), clip)
        wealth += log1p(stake * cut)
        total += cut
        squares += cut * cut
        path.append(wealth)
    return tuple(path)


def rejects(log_e: float, alpha: float) -> bool:
    """Whether an e-value rejects at level *alpha*, whenever it is looked at."""
    _check_level(alpha)
    return log_e >= -log(alpha)


def _check_level(alpha: float) -> None:
    if not 0.0 < alpha < 1.0:
        raise EvidenceError(f"alpha must be between 0 and 1, not {alpha!r}")
