"""Bets that hold at every look, and a paired t-test: the reference values ask, no command does."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, inf, lgamma, log, log1p, sqrt

from tournaments.evidence import EvidenceError
from tournaments.evidence.sequential import check_level

TRUNCATION = 0.9
"""The largest part of the wealth that a clipped bet may lose."""


@dataclass(frozen=True, slots=True)
class HedgedBetting:
    """Capital betting for scores in 0..1: exact at any number of observations."""

    alpha: float = 0.05

    def capital(self, scores: Sequence[float], mean: float) -> tuple[float, ...]:
        """Returns the capital of a bet against *mean* after each of *scores*.

        Raises:
            EvidenceError: if the mean or a score is outside 0..1.
        """
        check_level(self.alpha)
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
    """Returns the log e-value of *wins* against *losses* being a coin's, blocks at 0 left out."""
    if wins < 0 or losses < 0:
        raise EvidenceError(f"wins and losses are counts, not {wins} and {losses}")
    beta = lgamma(wins + 1.0) + lgamma(losses + 1.0) - lgamma(wins + losses + 2.0)
    return beta + (wins + losses) * log(2.0)


def clipped_log_wealth(
    scores: Sequence[float], clip: float, truncation: float = TRUNCATION
) -> tuple[float, ...]:
    """Returns the log e-value against "the mean is at most 0" after each score.

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


@dataclass(frozen=True, slots=True)
class Summary:
    """A sample of block scores in the usual numbers."""

    n: int
    mean: float
    sd: float
    """The sample standard deviation; 0 of fewer than two blocks."""

    t: float
    """Mean over its standard error; 0 without spread."""

    decided: int
    """How many scores are not 0."""


def summarize(observed: Sequence[float]) -> Summary:
    """Returns the summary of one score a block."""
    n = len(observed)
    mean = fsum(observed) / n if n else 0.0
    squares = fsum((score - mean) ** 2 for score in observed)
    sd = sqrt(squares / (n - 1)) if n > 1 else 0.0
    t = mean / (sd / sqrt(n)) if sd > 0.0 else 0.0
    return Summary(n, mean, sd, t, sum(score != 0.0 for score in observed))
