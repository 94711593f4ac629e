"""Normal distribution numerics that keep their digits in the tails.

Everything is in units of the standard deviation. The corrections *v* and *w* say by how
much a win or a tie moves the mean of a performance difference, and by which share it
shrinks its variance.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from math import ceil, cos, erf, erfc, exp, pi, sqrt
from statistics import NormalDist

SQRT2 = sqrt(2.0)
_INV_SQRT_2PI = 1.0 / sqrt(2.0 * pi)
_STANDARD = NormalDist()

_TAIL = -4.0
"""Below this the Mills ratio comes from its continued fraction: no cancellation, no underflow."""

_DENSE = 0.01
"""A tie less probable than this is integrated: the difference of two cdf values loses digits."""

_PANEL = 10.0
"""Decay, in powers of e, that one 16-point quadrature panel covers to full precision."""

_NOTHING = 45.0
"""Decay, in powers of e, beyond which nothing is left in double precision."""


def pdf(x: float) -> float:
    """Returns the standard normal density at *x*."""
    return _INV_SQRT_2PI * exp(-0.5 * x * x)


def cdf(x: float) -> float:
    """Returns the standard normal probability below *x*, exact in the lower tail."""
    return 0.5 * erfc(-x / SQRT2)


def quantile(p: float) -> float:
    """Returns the x below which the standard normal has probability *p*."""
    return _STANDARD.inv_cdf(p)


def central_quantile(p: float) -> float:
    """Returns the x for which a standard normal lies within -x..x with probability *p*.

    Exact for small *p*, where the quantile of (p + 1)/2 has lost its digits.
    """
    x = _STANDARD.inv_cdf(0.5 + 0.5 * p)
    for _ in range(3):
        x -= (erf(x / SQRT2) - p) / (2.0 * pdf(x))
    return x


def win_correction(x: float) -> tuple[float, float]:
    """Returns (v, w) of a win, *x* being the expected difference less the draw margin."""
    if x > _TAIL:
        v = _INV_SQRT_2PI * exp(-0.5 * x * x) / (0.5 * erfc(-x / SQRT2))
        return v, v * (v + x)
    excess = _mills_excess(-x)
    v = excess - x
    return v, v * excess


def tie_correction(t: float, margin: float) -> tuple[float, float]:
    """Returns (v, w) of a tie: expected difference *t*, draw margin *margin* above 0."""
    if t < 0.0:
        v, w = tie_correction(-t, margin)
        return -v, w
    upper, lower = margin - t, -margin - t
    probability = 0.5 * (erfc(-upper / SQRT2) - erfc(-lower / SQRT2))
    if probability > _DENSE:
        high, low = pdf(upper), pdf(lower)
        v = (low - high) / probability
        return v, v * v + (upper * high - lower * low) / probability
    mean, variance = _depth_moments(-upper, 2.0 * margin)
    return upper - mean, 1.0 - variance


def gauss_legendre(points: int) -> tuple[tuple[float, float], ...]:
    """Returns nodes and weights of Gauss-Legendre quadrature on 0..1."""
    return _gauss_legendre(points)


@lru_cache(maxsize=4)
def _gauss_legendre(points: int) -> tuple[tuple[float, float], ...]:
    rule = []
    for index in range(points):
        x = cos(pi * (index + 0.75) / (points + 0.5))
        for _ in range(8):
            value, slope = _legendre(points, x)
            x -= value / slope
        _, slope = _legendre(points, x)
        rule.append((0.5 + 0.5 * x, 1.0 / ((1.0 - x * x) * slope * slope)))
    return tuple(rule)


def _legendre(degree: int, x: float) -> tuple[float, float]:
    """Returns the Legendre polynomial and its derivative."""
    before, value = 1.0, x
    for k in range(2, degree + 1):
        before, value = value, ((2 * k - 1) * x * value - (k - 1) * before) / k
    return value, degree * (x * value - before) / (x * x - 1.0)


def _mills_excess(u: float) -> float:
    """Returns pdf(u)/cdf(-u) - u for u above 4, by Laplace's continued fraction."""
    terms = 8 + ceil(120.0 / u)
    tail = u
    for k in range(terms, 1, -1):
        tail = u + k / tail
    return 1.0 / tail


def _depth_moments(u: float, width: float) -> tuple[float, float]:
    """Returns mean and variance on 0..width of the density proportional to exp(-u s - s^2/2).

    That is how far below the upper end of the tied interval the difference lies.
    """
    if u > 0.0:
        # beyond this depth the density is nothing; a root of s^2/2 + u s = 45 without cancellation
        width = min(width, 2.0 * _NOTHING / (u + sqrt(u * u + 2.0 * _NOTHING)))
    decay = abs(u) * width + 0.5 * width * width
    panels = max(1, ceil(decay / _PANEL))
    edges = [width * k / panels for k in range(panels + 1)]
    zeroth = first = second = 0.0
    for left, right in pairwise(edges):
        for node, weight in _gauss_legendre(16):
            s = left + (right - left) * node
            density = weight * exp(-s * (u + 0.5 * s))
            zeroth += density
            first += density * s
            second += density * s * s
    mean = first / zeroth
    return mean, second / zeroth - mean * mean
