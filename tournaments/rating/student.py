"""Student's t distribution for whole degrees of freedom, by its finite series."""

from __future__ import annotations

from math import atan2, cos, pi, sin, sqrt

from tournaments.rating.gaussian import cdf, quantile

_NORMAL = 2000
"""Degrees of freedom from which on it is the normal distribution to four digits."""

FEW = 5
"""Blocks below which people are shown no interval: Student's would be wider than what is possible.
"""


def within(t: float, freedom: int) -> float:
    """Returns the probability that the statistic lies within -t..t (A&S 26.7.3 and 26.7.4)."""
    if freedom >= _NORMAL:
        return 1.0 - 2.0 * cdf(-t)
    angle = atan2(t, sqrt(freedom))
    square = cos(angle) ** 2
    odd = freedom % 2
    term = total = 0.0
    if freedom > 1:
        term = total = sin(angle) * (cos(angle) if odd else 1.0)
    for k in range(2 + odd, freedom - 1, 2):
        term *= square * (k - 1) / k
        total += term
    # The sum of the series may pass 1 by a rounding.
    return min(1.0, 2.0 / pi * (angle + total) if odd else total)


def like_normal(x: float, freedom: int) -> float:
    """Returns the t that is as rare as *x* standard deviations of a normal distribution.

    It widens a bound found as if the standard error were known, when it was estimated.
    """
    if x <= 0.0 or freedom >= _NORMAL:
        return x
    share = 1.0 - 2.0 * cdf(-x)
    low, high = x, 2.0 * x
    while within(high, freedom) < share:
        low, high = high, 2.0 * high
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if within(middle, freedom) < share else (low, middle)
    return high


def student_quantile(share: float, freedom: int) -> float:
    """Returns the t within which, on either side of 0, *share* of the distribution lies."""
    return like_normal(quantile(0.5 + 0.5 * share), freedom)
