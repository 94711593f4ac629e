"""What the beliefs say about a game that was not played yet. Draws are left out.

Probabilities are shown nowhere: the reference values ask for them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, exp, prod, sqrt

from tournaments.rating.gaussian import cdf, pdf
from tournaments.rating.model import Belief, RatingError, SkillModel

_REACH = 9.0
"""Standard deviations on either side beyond which a density adds nothing."""

_FINENESS = 4.0
"""Steps to the smallest standard deviation: the trapezoid rule is exact to rounding there."""


def win_probability(team: Sequence[Belief], other: Sequence[Belief], model: SkillModel) -> float:
    """Returns the probability that *team* beats *other*."""
    noise = (len(team) + len(other)) * model.beta**2
    spread = sqrt(noise + sum(belief.sigma**2 for belief in (*team, *other)))
    gap = sum(belief.mu for belief in team) - sum(belief.mu for belief in other)
    return cdf(gap / spread)


def win_probabilities(beliefs: Sequence[Belief], model: SkillModel) -> tuple[float, ...]:
    """Returns for each of several single entrants the probability to finish first."""
    spreads = [_spread(belief, model) for belief in beliefs]
    return tuple(
        _expectation(
            beliefs[winner].mu,
            spreads[winner],
            min(spreads),
            lambda x, winner=winner: prod(  # type: ignore[misc]
                cdf((x - belief.mu) / spread)
                for seat, (belief, spread) in enumerate(zip(beliefs, spreads, strict=True))
                if seat != winner
            ),
        )
        for winner in range(len(beliefs))
    )


def order_probability(order: Sequence[Belief], model: SkillModel) -> float:
    """Returns the probability that two or three entrants finish in the order listed.

    Raises:
        RatingError: if there are more or fewer.
    """
    if len(order) == 2:
        return win_probability(order[:1], order[1:], model)
    if len(order) != 3:
        raise RatingError(f"an order of two or three entrants is known, not of {len(order)}")
    best, middle, worst = order
    spreads = [_spread(belief, model) for belief in order]
    return _expectation(
        middle.mu,
        spreads[1],
        min(spreads),
        lambda x: cdf((best.mu - x) / spreads[0]) * cdf((x - worst.mu) / spreads[2]),
    )


def quality(teams: Sequence[Sequence[Belief]], model: SkillModel) -> float:
    """Returns the match quality: how likely a draw is, relative to a game of equals.

    The draw probability of the model plays no part, as in the package.
    """
    if len(teams) < 2 or not all(teams):
        raise RatingError("quality needs two sides with members")
    noise = [len(team) * model.beta**2 for team in teams]
    spread = [sum(belief.sigma**2 for belief in team) for team in teams]
    means = [sum(belief.mu for belief in team) for team in teams]
    gaps = [means[j] - means[j + 1] for j in range(len(teams) - 1)]
    certain, _ = _neighbour_contrasts(noise, gaps)
    believed, distance = _neighbour_contrasts(
        [n + s for n, s in zip(noise, spread, strict=True)], gaps
    )
    return sqrt(prod(c / b for c, b in zip(certain, believed, strict=True))) * exp(-0.5 * distance)


def _spread(belief: Belief, model: SkillModel) -> float:
    return sqrt(belief.sigma**2 + model.beta**2)


def _expectation(
    mean: float, spread: float, finest: float, value: Callable[[float], float]
) -> float:
    """Returns the expectation of *value*, whose features are no finer than *finest*."""
    steps = ceil(_REACH * _FINENESS * spread / finest)
    step = _REACH / steps
    return step * sum(
        pdf(step * k) * value(mean + spread * step * k) for k in range(-steps, steps + 1)
    )


def _neighbour_contrasts(
    variances: Sequence[float], gaps: Sequence[float]
) -> tuple[list[float], float]:
    """Eliminates the tridiagonal covariance of the differences between neighbouring sides.

    Returns the pivots, whose product is the determinant, and the squared distance of *gaps*
    from 0 in that metric.
    """
    pivots: list[float] = []
    distance = carried = 0.0
    for j, gap in enumerate(gaps):
        pivot, rest = variances[j] + variances[j + 1], gap
        if pivots:
            factor = variances[j] / pivots[-1]
            pivot -= factor * variances[j]
            rest += factor * carried
        pivots.append(pivot)
        distance += rest * rest / pivot
        carried = rest
    return pivots, distance
