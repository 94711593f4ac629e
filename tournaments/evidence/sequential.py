"""Evidence that may be looked at at any time (RATING.md 6.6).

Every bound here holds over all looks together, so stopping when one likes the result is
allowed. An e-value is a bet against the hypothesis that nothing is to be found: it exceeds
1/alpha with probability at most alpha.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, fsum, inf, lgamma, log, log1p, sqrt

from tournaments.evidence.scores import EvidenceError

ASYMPTOTIC = 30
"""Blocks from which on a variance estimated along the way can be trusted."""

TRUNCATION = 0.9
"""The largest part of the wealth that a clipped bet may lose."""


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

    The reference values ask for it; findings of the laboratory need `ClippedBetting` only.
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


class ClippedBetting:
    """Betting against "the mean is at most 0", one score after the other.

    It keeps sums, however many scores there are, and is exact at any number of them.

    Attributes:
        log_wealth: The log e-value after the scores so far.
    """

    __slots__ = ("_clip", "_most", "_past", "_squares", "_total", "_truncation", "log_wealth")

    def __init__(self, clip: float, truncation: float = TRUNCATION) -> None:
        """Begins with nothing won or lost.

        Args:
            clip: scores are cut to -*clip*..*clip*. Declare it before the data: the claim is
                about the mean of the cut scores, exactly.
            truncation: the largest part of the wealth that a bet may lose, below 1.

        Raises:
            EvidenceError: if the clip is not above 0 or the truncation not from 0 to 1.
        """
        if not clip > 0.0 or not 0.0 < truncation < 1.0:
            raise EvidenceError(f"need clip > 0 and truncation in 0..1: {clip!r}, {truncation!r}")
        self._clip, self._truncation = clip, truncation
        self.log_wealth = self._most = self._total = self._squares = 0.0
        self._past = 0

    def take(self, score: float) -> None:
        """Takes the score of one block; what is staked on it follows from those before."""
        mean = self._total / (self._past + 1)
        second = (self._squares + 1.0) / (self._past + 1) if self._past else 1.0
        stake = min(max(mean / second, 0.0), self._truncation / self._clip)
        cut = min(max(score, -self._clip), self._clip)
        self.log_wealth += log1p(stake * cut)
        self._most = max(self._most, self.log_wealth)
        self._total += cut
        self._squares += cut * cut
        self._past += 1

    @property
    def p_value(self) -> float:
        """The p-value at whatever score one stops (J. Ville, 1939): the most wealth, inverted."""
        return exp(-self._most)


def _check_level(alpha: float) -> None:
    if not 0.0 < alpha < 1.0:
        raise EvidenceError(f"alpha must be between 0 and 1, not {alpha!r}")
