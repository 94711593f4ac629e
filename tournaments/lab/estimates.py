"""Means and shares over blocks, with intervals that count a block as one observation.

Only sums are kept, and of whole numbers, so that any number of blocks takes the same memory and
any order of them gives the same bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import sqrt

from tournaments.rating.gaussian import quantile
from tournaments.rating.student import student_quantile

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean or a share with its interval."""

    value: float
    low: float | None
    """Lower end of the 95 % interval; ``None`` of fewer than two blocks, and of a mean that was the
    same in all of them: nothing is known of its spread then."""
    high: float | None
    """Upper end of that interval."""
    count: int
    """How many observations it is the mean of."""
    blocks: int
    """In how many blocks they were made."""

    def within(self, least: float, most: float) -> Estimate:
        """Returns the same with an interval that ends where nothing beyond is possible.

        >>> Estimate(3.5, -15.0, 22.0, 2, 2).within(0.0, 7.0)
        Estimate(value=3.5, low=0.0, high=7.0, count=2, blocks=2)
        """
        low = None if self.low is None else max(least, self.low)
        high = None if self.high is None else min(most, self.high)
        return replace(self, low=low, high=high)


class Moments:
    """The sums of one mean: what a block adds up to, and in how many observations."""

    __slots__ = ("_cross", "_squares", "_squares_of_counts", "blocks", "count", "total")

    def __init__(self) -> None:
        """Begins with nothing."""
        self.blocks = self.count = self.total = 0
        self._squares = self._cross = self._squares_of_counts = 0

    def add(self, total: int, count: int) -> None:
        """Adds a block with so many observations that add up to *total*."""
        self.blocks += 1
        self.count += count
        self.total += total
        self._squares += total * total
        self._cross += total * count
        self._squares_of_counts += count * count

    @property
    def mean(self) -> float:
        """The mean of all observations."""
        return self.total / self.count

    @property
    def variance(self) -> float:
        """The variance of the mean; 0 where blocks show no spread, or there is one block only.

        That of a ratio of two sums over clusters, by linearization (W. G. Cochran, Sampling
        Techniques, 3rd edition, section 9.7), with whole numbers until the last step.
        """
        if self.blocks < 2:
            return 0.0
        n, y = self.count, self.total
        residuals = (
            n * n * self._squares - 2 * n * y * self._cross + y * y * self._squares_of_counts
        )
        return self.blocks / (self.blocks - 1) * (residuals / n**4)

    def as_mean(self, scale: int = 1) -> Estimate:
        """Returns the mean of the observations, each divided by *scale*."""
        value, half = self.mean / scale, None
        if variance := self.variance:
            half = student(self.blocks - 1) * sqrt(variance) / scale
        low, high = (None, None) if half is None else (value - half, value + half)
        return Estimate(value, low, high, self.count, self.blocks)

    def as_share(self) -> Estimate:
        """Returns the share of observations that were 1 and not 0.

        The interval is E. B. Wilson's (1927) at the effective number of observations of E. Korn
        and B. Graubard (1998): as many independent ones as would be as sure. Where all were alike,
        a block counts as one.
        """
        share = self.mean
        if self.blocks < 2:
            return Estimate(share, None, None, self.count, self.blocks)
        effective = float(min(self.blocks, self.count))
        if (variance := self.variance) and 0.0 < share < 1.0:
            effective = min(float(self.count), share * (1.0 - share) / variance)
        z = quantile(0.5 + 0.5 * CONFIDENCE)
        low, high = wilson(share, effective * (z / student(self.blocks - 1)) ** 2, z)
        return Estimate(share, low, high, self.count, self.blocks)


def wilson(share: float, n: float, z: float) -> tuple[float, float]:
    """Returns the score interval of a *share* of *n* observations, *z* standard errors wide.

    >>> [round(end, 3) for end in wilson(0.5, 10, 1.96)]
    [0.237, 0.763]
    """
    spread = z * z / n
    middle = (share + 0.5 * spread) / (1.0 + spread)
    half = z * sqrt(share * (1.0 - share) / n + 0.25 * spread / n) / (1.0 + spread)
    # At a share of 0 or 1 the end is the share itself, but for rounding.
    return max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half))


@lru_cache(maxsize=4096)
def student(freedom: int) -> float:
    """Returns the t within which 95 % of the distribution lies."""
    return student_quantile(CONFIDENCE, freedom)
