"""The empirical likelihood of a mean: what the best bet against it would have won on the scores.

A. B. Owen, "Empirical likelihood ratio confidence intervals for a single functional" (1988). It
heeds the shape of the scores: where most are small losses and a few are large gains, Student's
ratio takes the spread below the mean for that above it, and this does not.

By itself it takes what did not happen for impossible: of a hundred level scores and two small
gains it would be sure that their mean is above 0. So a score is imagined besides (an idea of
J. Chen, A. M. Variyath, B. Abraham, "Adjusted empirical likelihood and its properties", 2008): as
far from the mean as the furthest one, half of it on either side.
"""

from __future__ import annotations

from collections.abc import Collection
from math import copysign, fsum, inf, log1p, sqrt
from typing import NamedTuple


class Bet(NamedTuple):
    """The best bet that the true mean lies where the scores do, and not where it is tested."""

    log_wealth: float
    """The logarithm of what one unit would have become; 0 if nothing was to be won."""
    gain: float
    """How much more that would be, for every point by which the tested mean lay further off."""


def best_bet(
    scores: Collection[tuple[float, int]], mean: float, tested: float, imagined: float = 0.0
) -> Bet:
    """Returns the bet against *tested* that would have been best on *scores*.

    It stakes the same x on every point of deviation, in the direction of the mean, so that a score
    of a multiplies the wealth by 1 + x(a - tested). The half scores at a distance of w multiply it
    by the root of 1 - (xw)^2. Where *imagined* is larger than w, the wealth is multiplied by
    exp(-x^2(imagined^2 - w^2)/2) too: a score imagined so far off costs that much of a small bet.

    >>> best_bet([(0.0, 9), (1.0, 1)], 0.1, 0.1)
    Bet(log_wealth=0.0, gain=0.0)

    Args:
        scores: Each score with how often it happened.
        mean: Their mean.
        tested: The mean that is bet against.
        imagined: How far off the imagined score lies at least, in the unit of the scores. It has
            to be above 0 if all scores are alike.
    """
    if mean == tested:
        return Bet(0.0, 0.0)
    side = copysign(1.0, mean - tested)
    pulls = [(side * (score - tested), count) for score, count in scores]
    furthest = max(abs(score - mean) for score, _ in scores) ** 2
    curb = max(imagined * imagined - furthest, 0.0)
    # Nobody stakes more than all: the bet ends where one of the half scores would ruin it.
    stake, low, high = 0.0, 0.0, 1.0 / sqrt(furthest) if furthest else inf
    for _ in range(100):
        parts = [(pull / (1.0 + stake * pull), count) for pull, count in pulls]
        kept = 1.0 - stake * stake * furthest
        slope = fsum(count * part for part, count in parts) - stake * (furthest / kept + curb)
        low, high = (stake, high) if slope > 0.0 else (low, stake)
        bend = fsum(count * part * part for part, count in parts)
        ahead = stake + slope / (bend + furthest * (2.0 - kept) / (kept * kept) + curb)
        if abs(ahead - stake) <= 1e-10 * stake:
            break
        stake = ahead if low < ahead < high else 0.5 * (low + high)
    square = stake * stake
    won = fsum(count * log1p(stake * pull) for pull, count in pulls)
    won += 0.5 * (log1p(-square * furthest) - square * curb)
    return Bet(max(won, 0.0), stake * fsum(count / (1.0 + stake * pull) for pull, count in pulls))


def reach(
    scores: Collection[tuple[float, int]],
    mean: float,
    *,
    side: int,
    goal: float,
    near: float,
    imagined: float = 0.0,
) -> float:
    """Returns how far from the mean it is to where the root of twice the log wealth is *goal*.

    By Newton's method: the root is nearly proportional to the distance.

    Args:
        scores: Each score with how often it happened.
        mean: Their mean.
        side: 1 above the mean, -1 below it.
        goal: The root that is looked for; above 0.
        near: Where it may about be.
        imagined: See `best_bet`.
    """
    found, low, high = near, 0.0, inf
    for _ in range(100):
        bet = best_bet(scores, mean, mean + side * found, imagined)
        root = sqrt(2.0 * bet.log_wealth)
        low, high = (found, high) if root < goal else (low, found)
        ahead = found + (goal - root) * root / bet.gain
        if abs(ahead - found) <= 1e-12 * found:
            break
        found = ahead if low < ahead < high else min(2.0 * found, 0.5 * (low + high))
    return found
