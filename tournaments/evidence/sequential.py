"""Evidence that may be looked at at any time (RATING.md 6.6).

Every bound here holds over all looks together, so stopping when one likes the result is
allowed. An e-value is a bet against the hypothesis that nothing is to be found: it exceeds
1/alpha with probability at most alpha.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, exp, fsum, log, log1p, pi, sqrt

from tournaments.evidence.scores import EvidenceError

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
        check_level(alpha)
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


def rejects(log_e: float, alpha: float) -> bool:
    """Whether an e-value rejects at level *alpha*, whenever it is looked at."""
    check_level(alpha)
    return log_e >= -log(alpha)


def check_level(alpha: float) -> None:
    """Refuses a level that is no probability.

    Raises:
        EvidenceError: if *alpha* is not between 0 and 1.
    """
    if not 0.0 < alpha < 1.0:
        raise EvidenceError(f"alpha must be between 0 and 1, not {alpha!r}")
