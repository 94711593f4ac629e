"""How sure a contrast of fitted strengths is, where the games of a block are one observation.

The variance is the sandwich of P. J. Huber (1967). In a few blocks it comes out too small, as the
strengths were fitted to the same blocks, and it is itself uncertain. Both are set right as by
R. M. Bell and D. F. McCaffrey (2002): under the working model that the blocks are independent and
the model holds, the sandwich is scaled to have the right mean, and has as many degrees of freedom
as F. E. Satterthwaite (1946) gives to a sum of squares with its mean and variance.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from operator import mul
from typing import NamedTuple

from tournaments.rating.influence import Matrix
from tournaments.rating.student import student_quantile

_NO_SPREAD = 1e-12
"""What rounding leaves of the squares of scores that are all 0, as a share of what is expected."""


@dataclass(frozen=True, slots=True)
class BlockScore:
    """What blocks of one content add to the slopes of the likelihood at the fitted strengths."""

    times: int
    """How many blocks there are of it."""
    members: tuple[int, ...]
    """The numbers of those who played in it; all else is in their order."""
    score: tuple[float, ...]
    """Its gradient."""
    bend: tuple[tuple[float, ...], ...]
    """Minus its Hessian."""


class StandardError(NamedTuple):
    """How uncertain a contrast is."""

    deviation: float
    """Its standard error."""
    freedom: float
    """The degrees of freedom of that error."""

    def half_width(self, confidence: float) -> float:
        """Returns half the width of the interval: Student's t, between whole degrees by 1/f."""
        whole = int(self.freedom)
        low, high = (student_quantile(confidence, each) for each in (whole, whole + 1))
        share = (1.0 / whole - 1.0 / self.freedom) * whole * (whole + 1)
        return self.deviation * (low + share * (high - low))


class Sandwich:
    """What was played, made ready to say how uncertain any contrast is."""

    def __init__(self, blocks: Iterable[BlockScore], bread: Matrix, precision: float) -> None:
        """Takes what was played.

        Args:
            blocks: What each block adds to the slopes.
            bread: The inverse of minus the Hessian of the posterior.
            precision: That of the normal prior of each strength.
        """
        self._bread = bread
        self._precision = precision
        reach = [
            [value + precision * _dot(row, other) for value, other in zip(row, bread, strict=True)]
            for row in bread
        ]
        self._blocks = [
            (block, [[reach[i][j] for j in block.members] for i in block.members])
            for block in blocks
        ]

    def error(self, contrast: Sequence[float]) -> StandardError | None:
        """Returns how uncertain a contrast is.

        ``None`` below one degree of freedom, and where the blocks show no spread, as when all that
        was played was tied: nothing is known of it then.

        Args:
            contrast: The weight of each strength.
        """
        row = [_dot(line, contrast) for line in self._bread]
        # The fitted strengths vary by `bread`, less what the prior holds back.
        expected = _dot(row, contrast) - self._precision * _dot(row, row)
        meat = own = taken = squares = 0.0
        for block, reach in self._blocks:
            mine = [row[i] for i in block.members]
            pull = [_sum(line, mine) for line in block.bend]
            size = _sum(pull, mine)
            lost = _sum([_sum(line, pull) for line in reach], pull)
            meat += block.times * _sum(mine, block.score) ** 2
            own += block.times * size
            taken += block.times * lost
            squares += block.times * size * (size - 2.0 * lost)
        mean = own - taken
        # The square of the sum bounds what the blocks take from each other two by two from above,
        # and so the degrees of freedom from below; of who was seen in n blocks both are n - 1.
        variance = squares + taken * taken
        if meat <= _NO_SPREAD * own or mean <= 0.0 or not 0.0 < variance <= mean * mean:
            return None
        return StandardError(sqrt(max(0.0, expected) * meat / mean), mean * mean / variance)


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return fsum(a * b for a, b in zip(one, other, strict=True))


def _sum(one: Sequence[float], other: Sequence[float]) -> float:
    """Returns what `_dot` does, of the few in a block, where the time goes."""
    return float(sum(map(mul, one, other)))
