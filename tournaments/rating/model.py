"""The skill model: what is believed of an entrant, and what one performance is worth."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, sqrt
from typing import NamedTuple

from tournaments.rating.gaussian import central_quantile


class RatingError(ValueError):
    """Results or settings that no rating can be computed from."""


class Belief(NamedTuple):
    """What is known of one skill, in rating points."""

    mu: float
    sigma: float


LEAST_DRAW_PROBABILITY = 0.001
"""Below this the package's own numerics go wrong silently, so nothing is rated below it."""

MOST_DRAW_PROBABILITY = 0.999
"""Above this a tie says nothing any more."""


@dataclass(frozen=True, slots=True)
class SkillModel:
    """The TrueSkill model. All fields but the probability are in rating points.

    A performance is the skill plus noise of standard deviation ``beta``; sides are ordered
    by the sum of their performances, and neighbours closer than the draw margin tie.
    """

    mu: float = 25.0
    """The mean skill of an entrant nobody has seen."""

    sigma: float = 25.0 / 3.0
    """How uncertain that mean is."""

    beta: float = 25.0 / 6.0
    """The noise of one performance."""

    tau: float = 0.0
    """How much a skill wanders between two games; 0 for bots, which do not change."""

    draw_probability: float = LEAST_DRAW_PROBABILITY
    """The share of neighbouring ranks that tie between equals."""

    def __post_init__(self) -> None:
        for name in ("sigma", "beta"):
            if not (isfinite(getattr(self, name)) and getattr(self, name) > 0.0):
                raise RatingError(f"{name} must be above 0, not {getattr(self, name)!r}")
        if not (isfinite(self.tau) and self.tau >= 0.0 and isfinite(self.mu)):
            raise RatingError(f"mu and tau must be finite and tau not below 0, not {self!r}")
        if not 0.0 <= self.draw_probability < 1.0:
            raise RatingError(
                f"draw_probability must be at least 0 and below 1, not {self.draw_probability!r}"
            )

    @property
    def prior(self) -> Belief:
        """The belief about an entrant nobody has seen."""
        return Belief(self.mu, self.sigma)

    def draw_margin(self, seats: int) -> float:
        """Returns the tie margin between two sides that fill *seats* seats together."""
        if self.draw_probability == 0.0:
            return 0.0
        return central_quantile(self.draw_probability) * sqrt(seats) * self.beta


def clamp_draw_probability(share: float) -> float:
    """Returns *share* moved into the range that every engine can work with."""
    return min(max(share, LEAST_DRAW_PROBABILITY), MOST_DRAW_PROBABILITY)
