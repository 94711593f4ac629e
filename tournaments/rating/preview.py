"""The live preview: the `trueskill` package, fed game by game while a night runs.

It depends a little on the order of the games, so nothing stored or published comes from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import trueskill

from tournaments.rating.batch import Rating, standing
from tournaments.rating.engine import update
from tournaments.rating.games import Game, Outcome
from tournaments.rating.model import Belief, RatingError, SkillModel, clamp_draw_probability

MIN_DELTA = 1e-8
"""The package's own default leaves errors of 4e-6 with three sides."""


def environment(model: SkillModel) -> trueskill.TrueSkill:
    """Returns the package's environment for *model*; the package's global one is never used."""
    return trueskill.TrueSkill(
        mu=model.mu,
        sigma=model.sigma,
        beta=model.beta,
        tau=model.tau,
        draw_probability=model.draw_probability,
    )


class Preview:
    """Running ratings of a night. Its draw probability is kept in the package's safe range."""

    def __init__(
        self, entrants: Sequence[str], model: SkillModel, ratings: Iterable[Rating] = ()
    ) -> None:
        """Begins a preview.

        Args:
            entrants: Who plays.
            model: The skill model.
            ratings: What is known of some of them from games before.
        """
        self._model = SkillModel(
            mu=model.mu,
            sigma=model.sigma,
            beta=model.beta,
            draw_probability=clamp_draw_probability(model.draw_probability),
        )
        self._environment = environment(self._model)
        self._beliefs = dict.fromkeys(entrants, self._model.prior)
        self._games = dict.fromkeys(entrants, 0)
        for rating in ratings:
            self._beliefs[rating.entrant] = Belief(rating.mu, rating.sigma)
            self._games[rating.entrant] = rating.games

    @property
    def ratings(self) -> tuple[Rating, ...]:
        """Everybody, best first; equals by name."""
        ratings = [
            Rating(name, belief.mu, belief.sigma, self._games[name])
            for name, belief in self._beliefs.items()
        ]
        return tuple(sorted(ratings, key=lambda rating: standing(rating.mu, rating.entrant)))

    def record(self, game: Game) -> None:
        """Takes a finished game into account.

        Raises:
            RatingError: if somebody played who is not an entrant.
        """
        outcome = game.outcome
        for team in outcome.teams:
            for name in team:
                if name not in self._beliefs:
                    raise RatingError(f"no entrant is called {name!r}")
        for team, beliefs in zip(outcome.teams, self._updated(outcome), strict=True):
            for name, belief in zip(team, beliefs, strict=True):
                self._beliefs[name] = belief
                self._games[name] += 1

    def _updated(self, outcome: Outcome) -> tuple[tuple[Belief, ...], ...]:
        teams = [[self._beliefs[name] for name in team] for team in outcome.teams]
        try:
            return package_update(teams, outcome.ranks, self._environment)
        except FloatingPointError:  # far in a tail, where only exact numerics go on
            return update(teams, outcome.ranks, self._model)


def package_update(
    teams: Sequence[Sequence[Belief]], ranks: Sequence[int], env: trueskill.TrueSkill
) -> tuple[tuple[Belief, ...], ...]:
    """Returns what the package believes after a game.

    Raises:
        FloatingPointError: if the result is too surprising, or too certain, for its numerics.
    """
    groups = [tuple(env.create_rating(mu, sigma) for mu, sigma in team) for team in teams]
    rated = env.rate(groups, ranks=list(ranks), min_delta=MIN_DELTA)
    return tuple(tuple(Belief(one.mu, one.sigma) for one in team) for team in rated)
