"""Expectation propagation between the performances of neighbouring sides.

A message is a pair (precision, precision times mean). Sides come in finishing order; pair j
is sides j and j + 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from tournaments.rating.gaussian import tie_correction, win_correction

Message = tuple[float, float]

ChainState = tuple[tuple[Message, ...], tuple[Message, ...]]

NOTHING_KNOWN: Message = (0.0, 0.0)


def compare(
    variance: float,
    mean: float,
    other_variance: float,
    other_mean: float,
    margin: float,
    tied: bool,
) -> tuple[float, float, float, float]:
    """Returns the messages of one result to its two sides, better one first, flattened.

    The usual form divides by w, which is 0 for a result that was certain; multiplied out,
    the same message is w/(s^2 - w*variance) and needs no special case.
    """
    total = variance + other_variance
    scale = sqrt(total)
    if tied:
        v, w = tie_correction((mean - other_mean) / scale, margin / scale)
    else:
        v, w = win_correction((mean - other_mean - margin) / scale)
    push = scale * v
    left = total - w * variance
    right = total - w * other_variance
    return w / left, (w * mean + push) / left, w / right, (w * other_mean - push) / right


class Chain:
    """The messages between the sides of one game, from better to worse and back."""

    __slots__ = ("_down", "_margins", "_tied", "_up")

    def __init__(self, margins: Sequence[float], tied: Sequence[bool]) -> None:
        self._margins = tuple(margins)
        self._tied = tuple(tied)
        self._up = [NOTHING_KNOWN] * len(margins)
        self._down = [NOTHING_KNOWN] * len(margins)

    @property
    def state(self) -> ChainState:
        """The messages of every pair, to take up the work from later."""
        return tuple(self._up), tuple(self._down)

    @state.setter
    def state(self, state: ChainState) -> None:
        self._up, self._down = list(state[0]), list(state[1])

    def to_side(self, side: int) -> Message:
        """Returns all that the results say of the performance of *side*."""
        worse = self._up[side] if side < len(self._up) else NOTHING_KNOWN
        better = self._down[side - 1] if side else NOTHING_KNOWN
        return worse[0] + better[0], worse[1] + better[1]

    def sweep(self, means: Sequence[float], variances: Sequence[float]) -> float:
        """Passes every message forward and back once; returns the largest change.

        The change is in units of the standard deviation of the side it goes to.
        """
        last = len(self._margins) - 1
        change = 0.0
        for pair in range(last + 1):
            change = max(change, self._renew(pair, means, variances))
        for pair in range(last - 1, -1, -1):
            change = max(change, self._renew(pair, means, variances))
        return change if last else 0.0

    def settle(
        self, means: Sequence[float], variances: Sequence[float], precision: float = 1e-12
    ) -> None:
        """Sweeps until no message changes by more than *precision*."""
        for _ in range(200):
            if self.sweep(means, variances) <= precision:
                return

    def _renew(self, pair: int, means: Sequence[float], variances: Sequence[float]) -> float:
        variance, mean = self._without(pair, pair, means, variances)
        other_variance, other_mean = self._without(pair + 1, pair, means, variances)
        up_precision, up_pull, down_precision, down_pull = compare(
            variance, mean, other_variance, other_mean, self._margins[pair], self._tied[pair]
        )
        up, down = (up_precision, up_pull), (down_precision, down_pull)
        change = max(
            _distance(up, self._up[pair], means[pair], variances[pair]),
            _distance(down, self._down[pair], means[pair + 1], variances[pair + 1]),
        )
        self._up[pair], self._down[pair] = up, down
        return change

    def _without(
        self, side: int, pair: int, means: Sequence[float], variances: Sequence[float]
    ) -> tuple[float, float]:
        """Returns variance and mean of *side* from everything but *pair*."""
        variance, mean = variances[side], means[side]
        if side == pair:
            precision, pull = self._down[pair - 1] if pair else NOTHING_KNOWN
        else:
            precision, pull = self._up[side] if side < len(self._up) else NOTHING_KNOWN
        if precision == 0.0:
            return variance, mean
        total = 1.0 / variance + precision
        return 1.0 / total, (mean / variance + pull) / total


def _distance(new: Message, old: Message, mean: float, variance: float) -> float:
    precision = new[0] - old[0]
    return max(abs(precision) * variance, abs(new[1] - old[1] - mean * precision) * sqrt(variance))
