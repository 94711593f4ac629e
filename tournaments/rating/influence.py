"""How the mean skills move, to first order, when games count for more or less than they did.

At the fixed point of the batch all games and the priors together pull no mean skill up or down.
What one game adds to that pull is its score: the gradient of the logarithm of its probability
under the beliefs. If games count otherwise, the means move by the inverse of the matrix that says
how the pull gives way, times the scores that were added: the influence function (A. C. Davison and
D. V. Hinkley, Bootstrap Methods, 1997, section 2.7). So the spread of resampled means follows from
that of the scores of blocks, without rating anything again: the sandwich of P. J. Huber (1967).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt

from tournaments.rating.games import Outcome
from tournaments.rating.messages import Chain, compare
from tournaments.rating.model import Belief, SkillModel

Scores = tuple[float, ...]
"""By side, in finishing order."""
Content = tuple[tuple[int, float], ...]
"""What happened in a block: numbers of outcomes with their counts."""
Matrix = list[list[float]]

_STEP = 1e-4
"""How far a side is moved to see how the scores give way, in units of beta."""

_SWEEPS = 50
_SETTLED = 1e-12
"""When the messages between three sides have settled, as a share of what is known of one."""


class Influence:
    """The scores of all outcomes at the fixed point of a batch, and how the pull gives way."""

    def __init__(
        self,
        counted: Sequence[tuple[Outcome, float]],
        entrants: Sequence[str],
        beliefs: Sequence[Belief],
        model: SkillModel,
    ) -> None:
        """Takes the scores.

        Args:
            counted: the outcomes with their counts.
            entrants: who was rated.
            beliefs: what is believed of them at the fixed point, in that order.
            model: the skill model.
        """
        index = {name: number for number, name in enumerate(entrants)}
        self._size = len(entrants)
        self._pulls: list[tuple[tuple[int, float], ...]] = []
        resistance: Matrix = [[0.0] * self._size for _ in entrants]
        for i in range(self._size):
            resistance[i][i] = 1.0 / (model.sigma * model.sigma)
        scorer = _Scorer(beliefs, model)
        for (teams, ranks), count in counted:
            seats = tuple(tuple(index[name] for name in team) for team in teams)
            scores, slopes = scorer.scores(seats, ranks)
            self._pulls.append(
                tuple((i, score) for team, score in zip(seats, scores, strict=True) for i in team)
            )
            for moved, by_side in zip(seats, slopes, strict=True):
                for team, slope in zip(seats, by_side, strict=True):
                    for i in team:
                        for j in moved:
                            resistance[i][j] -= count * slope
        self._give = inverse(resistance)

    def spread(self, strata: Iterable[Sequence[Content]]) -> Matrix:
        """Returns a matrix that makes independent standard normal draws into moves of the means.

        The moves are spread as those of blocks drawn again, as `bootstrap` draws them: from each
        stratum of m blocks m - 1, each counting m/(m - 1) times.
        """
        covariance: Matrix = [[0.0] * self._size for _ in range(self._size)]
        for blocks in strata:
            if len(blocks) > 1:
                self._add_stratum(covariance, blocks)
        factor = cholesky(covariance)
        return [
            [sum(give[j] * factor[j][k] for j in range(k, self._size)) for k in range(self._size)]
            for give in self._give
        ]

    def _add_stratum(self, covariance: Matrix, blocks: Sequence[Content]) -> None:
        """Adds what the scores of the blocks of one stratum vary together."""
        size = len(blocks)
        weight = size / (size - 1)
        sums: dict[int, float] = {}
        for content in blocks:
            added: dict[int, float] = {}
            for number, count in content:
                for i, score in self._pulls[number]:
                    added[i] = added.get(i, 0.0) + count * score
            for i, mine in added.items():
                row, weighted = covariance[i], weight * mine
                sums[i] = sums.get(i, 0.0) + mine
                for j, other in added.items():
                    row[j] += weighted * other
        for i, mine in sums.items():
            row, weighted = covariance[i], weight / size * mine
            for j, other in sums.items():
                row[j] -= weighted * other


class _Scorer:
    """The scores of outcomes under given beliefs."""

    def __init__(self, beliefs: Sequence[Belief], model: SkillModel) -> None:
        self._model = model
        self._noise = model.beta * model.beta
        self._margins: dict[int, float] = {}
        self._means = [mu for mu, _ in beliefs]
        self._variances = [sigma * sigma for _, sigma in beliefs]

    def scores(
        self, teams: Sequence[Sequence[int]], ranks: Sequence[int]
    ) -> tuple[Scores, list[Scores]]:
        """Returns the scores, and by side how they change for each point that it gets better."""
        means = [sum(self._means[i] for i in team) for team in teams]
        variances = [sum(self._variances[i] + self._noise for i in team) for team in teams]
        pairs = range(len(teams) - 1)
        margins = [self._margin(len(teams[j]) + len(teams[j + 1])) for j in pairs]
        tied = [ranks[j] == ranks[j + 1] for j in pairs]
        side_scores = _scores_of_three if len(teams) == 3 else _scores_of_any
        base = side_scores(means, variances, margins, tied)
        step = _STEP * self._model.beta
        slopes: list[Scores] = []
        for side in pairs:
            means[side] += step
            moved = side_scores(means, variances, margins, tied)
            means[side] -= step
            slopes.append(tuple((new - old) / step for new, old in zip(moved, base, strict=True)))
        # When every side gets better by the same, nothing changes.
        slopes.append(tuple(-sum(column) for column in zip(*slopes, strict=True)))
        return base, slopes

    def _margin(self, seats: int) -> float:
        if seats not in self._margins:
            self._margins[seats] = self._model.draw_margin(seats)
        return self._margins[seats]


def _scores_of_three(
    means: Sequence[float],
    variances: Sequence[float],
    margins: Sequence[float],
    tied: Sequence[bool],
) -> Scores:
    """Returns the scores of three sides, the common case, with nothing general about it."""
    (mean_i, mean_j, mean_k), (var_i, var_j, var_k) = means, variances
    own, own_pull = 1.0 / var_j, mean_j / var_j
    up = up_pull = 0.0
    for _ in range(_SWEEPS):
        total, before = own + up, up
        to_i, to_i_pull, down, down_pull = compare(
            var_i, mean_i, 1.0 / total, (own_pull + up_pull) / total, margins[0], tied[0]
        )
        total = own + down
        up, up_pull, to_k, to_k_pull = compare(
            1.0 / total, (own_pull + down_pull) / total, var_k, mean_k, margins[1], tied[1]
        )
        if abs(up - before) <= _SETTLED * own:
            break
    to_j, to_j_pull = up + down, up_pull + down_pull
    return (
        (to_i_pull - to_i * mean_i) / (1.0 + to_i * var_i),
        (to_j_pull - to_j * mean_j) / (1.0 + to_j * var_j),
        (to_k_pull - to_k * mean_k) / (1.0 + to_k * var_k),
    )


def _scores_of_any(
    means: Sequence[float],
    variances: Sequence[float],
    margins: Sequence[float],
    tied: Sequence[bool],
) -> Scores:
    between = Chain(margins, tied)
    between.settle(means, variances)
    messages = map(between.to_side, range(len(means)))
    return tuple(
        (pull - precision * mean) / (1.0 + precision * variance)
        for (precision, pull), mean, variance in zip(messages, means, variances, strict=True)
    )


def inverse(matrix: Sequence[Sequence[float]]) -> Matrix:
    """Returns the inverse of a regular square matrix.

    >>> inverse([[2.0, 0.0], [1.0, 1.0]])
    [[0.5, 0.0], [-0.5, 1.0]]
    """
    size = len(matrix)
    rows = [[*row, *(float(i == j) for j in range(size))] for i, row in enumerate(matrix)]
    for column in range(size):
        pivot = max(range(column, size), key=lambda i: abs(rows[i][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        scale = rows[column][column]
        lead = rows[column] = [value / scale for value in rows[column]]
        for i in range(size):
            share = rows[i][column]
            if i != column and share != 0.0:
                rows[i] = [value - share * top for value, top in zip(rows[i], lead, strict=True)]
    return [row[size:] for row in rows]


def cholesky(matrix: Sequence[Sequence[float]]) -> Matrix:
    """Returns the lower triangle whose product with its own transpose is *matrix*.

    The matrix is symmetric and nowhere negative; what rounding has left of a direction in which
    nothing varies counts as nothing.

    >>> cholesky([[4.0, 2.0], [2.0, 1.0]])
    [[2.0, 0.0], [1.0, 0.0]]
    """
    size = len(matrix)
    lower: Matrix = [[0.0] * size for _ in range(size)]
    for j in range(size):
        left = matrix[j][j] - sum(value * value for value in lower[j][:j])
        if left <= 1e-12 * matrix[j][j]:
            continue
        root = lower[j][j] = sqrt(left)
        for i in range(j + 1, size):
            told = sum(lower[i][k] * lower[j][k] for k in range(j))
            lower[i][j] = (matrix[i][j] - told) / root
    return lower
