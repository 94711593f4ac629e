"""Glicko-2 (M. Glickman, "Example of the Glicko-2 system"), for games of two sides.

No table shows it: the reference values ask for it. One rating period is a simultaneous update.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, fsum, log, pi, sqrt

from tournaments.evidence.scores import EvidenceError

_SCALE = 400.0 / log(10.0)
"""Glicko points of one unit of the internal scale, 173.7178."""

_CENTRE = 1500.0
_PRECISION = 1e-12


@dataclass(frozen=True, slots=True)
class GlickoRating:
    """A rating with its deviation, both in Glicko points, and its volatility."""

    rating: float = 1500.0
    deviation: float = 350.0
    volatility: float = 0.06


def after_period(
    player: GlickoRating, games: Sequence[tuple[GlickoRating, float]], tau: float = 0.5
) -> GlickoRating:
    """Returns the rating of *player* after a period.

    Args:
        player: the rating before.
        games: the opponents as they were before the period, and the scores from 0 to 1.
        tau: how much volatilities change.
    """
    if not tau > 0.0 or any(not 0.0 <= score <= 1.0 for _, score in games):
        raise EvidenceError("Glicko-2 needs tau above 0 and scores from 0 to 1")
    mu, phi = (player.rating - _CENTRE) / _SCALE, player.deviation / _SCALE
    if not games:
        widened = sqrt(phi * phi + player.volatility**2)
        return GlickoRating(player.rating, widened * _SCALE, player.volatility)
    weights, expected = [], []
    for opponent, _ in games:
        weight = 1.0 / sqrt(1.0 + 3.0 * (opponent.deviation / _SCALE / pi) ** 2)
        gap = mu - (opponent.rating - _CENTRE) / _SCALE
        weights.append(weight)
        expected.append(1.0 / (1.0 + exp(-weight * gap)))
    pairs = list(zip(weights, expected, strict=True))
    variance = 1.0 / fsum(g * g * e * (1.0 - e) for g, e in pairs)
    surprise = fsum(g * (score - e) for (g, e), (_, score) in zip(pairs, games, strict=True))
    volatility = _volatility(phi, player.volatility, variance, variance * surprise, tau)
    deviation = 1.0 / sqrt(1.0 / (phi * phi + volatility * volatility) + 1.0 / variance)
    return GlickoRating(
        _CENTRE + _SCALE * (mu + deviation * deviation * surprise), _SCALE * deviation, volatility
    )


def _volatility(phi: float, old: float, variance: float, gain: float, tau: float) -> float:
    """Returns the new volatility, by the Illinois method on its logarithm (step 5)."""
    start = log(old * old)

    def excess(x: float) -> float:
        spread = phi * phi + variance + exp(x)
        return exp(x) * (gain * gain - spread) / (2.0 * spread * spread) - (x - start) / tau**2

    a = start
    if gain * gain > phi * phi + variance:
        b = log(gain * gain - phi * phi - variance)
    else:
        steps = 1
        while excess(start - steps * tau) < 0.0:
            steps += 1
        b = start - steps * tau
    at_a, at_b = excess(a), excess(b)
    while abs(b - a) > _PRECISION and at_b != at_a:
        c = a + (a - b) * at_a / (at_b - at_a)
        at_c = excess(c)
        if at_c * at_b <= 0.0:
            a, at_a = b, at_b
        else:
            at_a *= 0.5
        b, at_b = c, at_c
    return exp(0.5 * a)
