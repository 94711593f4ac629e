"""Order-independent TrueSkill: all games at once, at the fixed point of expectation propagation.

Equal results carry equal messages there, so every distinct outcome keeps one message with a
count. And since no outcome changes when everybody gets better by the same amount, that
direction, in which plain passes hardly move, is solved for exactly after each pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from tournaments.rating.engine import check_sides
from tournaments.rating.games import (
    Game,
    Outcome,
    Tally,
    entrants_of,
    observed_draw_probability,
    tally,
)
from tournaments.rating.model import Belief, RatingError, SkillModel
from tournaments.rating.passes import Contests, Seating, Trios

PRECISION = 1e-11
"""Change of a mean, in rating points, below which the ratings have converged."""

_PASSES = 50_000
"""A bound far above what any data needed."""

_LEAST_STEP = 0.02
"""The smallest part of the way to its new value that a message is moved in a pass."""


@dataclass(frozen=True, slots=True)
class Rating:
    """How good an entrant is, in rating points."""

    entrant: str

    mu: float
    """The mean skill. Only differences to others mean something."""

    sigma: float
    """The model's own uncertainty. Not an error bar: it takes tables of a block as independent."""

    games: int
    """How many games it is from."""


def rate(
    games: Iterable[Game] | Mapping[Outcome, float],
    model: SkillModel | None = None,
    *,
    entrants: Sequence[str] = (),
    priors: Mapping[str, Belief] | None = None,
) -> tuple[Rating, ...]:
    """Returns the rating of everybody, best first; equals by name.

    The same bytes for any order of the games.

    Args:
        games: the games, or outcomes with counts.
        model: the skill model; left out, the default with the draw probability observed.
        entrants: who is to be listed even if unplayed.
        priors: what was known before of some of the entrants.

    Raises:
        RatingError: if a game is impossible under the model.
    """
    counted = tally(games)
    outcomes = [outcome for outcome, _ in counted]
    counts = [count for _, count in counted]
    # Of what was counted: *games* may be an iterator, which is used up by now.
    batch = Batch(outcomes, entrants_of(outcomes, entrants), model or _fitted(counted), priors)
    batch.solve(counts)
    return ranked(batch, played(batch.entrants, counted))


def fitted(games: Iterable[Game] | Mapping[Outcome, float]) -> SkillModel:
    """Returns the default model with the draw probability that *games* show."""
    return _fitted(tally(games))


def _fitted(counted: Tally) -> SkillModel:
    return SkillModel(draw_probability=observed_draw_probability(counted))


def played(entrants: Sequence[str], counted: Iterable[tuple[Outcome, float]]) -> list[int]:
    """Returns how many games each of *entrants* has played."""
    games = dict.fromkeys(entrants, 0.0)
    for outcome, count in counted:
        for team in outcome.teams:
            for name in team:
                games[name] += count
    return [round(games[name]) for name in entrants]


def ranked(batch: Batch, games: Sequence[int]) -> tuple[Rating, ...]:
    """Returns the ratings of a solved batch, best first."""
    ratings = [
        Rating(name, belief.mu, belief.sigma, number)
        for name, belief, number in zip(batch.entrants, batch.beliefs, games, strict=True)
    ]
    return tuple(sorted(ratings, key=lambda rating: standing(rating.mu, rating.entrant)))


def standing(mu: float, entrant: str) -> tuple[float, str]:
    """Returns the sort key of a standings table: better first, equals by name.

    Rounded, because entrants with equal results differ by rounding errors.
    """
    return -round(mu, 6), entrant


class Batch:
    """The messages between entrants and outcomes; `solve` brings them to their fixed point.

    Equal arguments give equal bytes. The outcomes may repeat: each entry then keeps a
    message of its own, which changes nothing but the cost.
    """

    def __init__(
        self,
        outcomes: Sequence[Outcome],
        entrants: Sequence[str],
        model: SkillModel,
        priors: Mapping[str, Belief] | None = None,
    ) -> None:
        """Makes a batch in which nothing is known yet.

        Args:
            outcomes: what can have happened, in canonical order.
            entrants: everybody to be rated, played or not.
            model: the skill model; all games at once have no order, so its tau must be 0.
            priors: what was known before of some of the entrants.

        Raises:
            RatingError: if the model has a tau, or an outcome is impossible under it.
        """
        if model.tau != 0.0:
            raise RatingError(f"games without an order need a tau of 0, not {model.tau!r}")
        self.entrants = tuple(entrants)
        index = {name: number for number, name in enumerate(self.entrants)}
        self._trios, self._contests = Trios(model), Contests(model)
        self._in_trios: list[int] = []
        self._in_contests: list[int] = []
        seatings: list[Seating] = []
        for number, (teams, ranks) in enumerate(outcomes):
            check_sides([len(team) for team in teams], ranks, model)
            seating = tuple(tuple(index[name] for name in team) for team in teams)
            seatings.append(seating)
            if Trios.takes(seating):
                self._trios.append(seating, ranks)
                self._in_trios.append(number)
            else:
                self._contests.append(seating, ranks)
                self._in_contests.append(number)
        self._take_priors([(priors or {}).get(name, model.prior) for name in self.entrants])
        self.islands = connected(seatings, len(self.entrants))
        self._groups = shiftable_groups(seatings, len(self.entrants))
        self._origin = [0.0] * len(self.entrants)
        self._pi: list[float] = []
        self._pull: list[float] = []
        self._load([0.0] * len(outcomes))

    @property
    def beliefs(self) -> tuple[Belief, ...]:
        """What is believed of each entrant, in the order of ``entrants``."""
        return tuple(
            Belief(mu, 1.0 / sqrt(pi)) for mu, pi in zip(self.means(), self._pi, strict=True)
        )

    def means(self) -> list[float]:
        """Returns the mean skills, in the order of ``entrants``."""
        return [
            pull / pi + origin
            for pull, pi, origin in zip(self._pull, self._pi, self._origin, strict=True)
        ]

    def solve(self, counts: Sequence[float], precision: float = PRECISION) -> int:
        """Brings the messages to their fixed point for *counts*, from where they stand.

        Args:
            counts: how often each outcome happened; 0 leaves it out, otherwise at least 1.
            precision: the change of a mean, in rating points, that counts as none.

        Returns:
            The number of passes it took.

        Raises:
            RatingError: if it does not converge.
        """
        self._load(counts)
        self._recentre()
        means, step = self.means(), 1.0
        last = [0.0] * len(means)
        for done in range(1, _PASSES + 1):
            self._trios.renew(self._pi, self._pull, step)
            self._contests.renew(self._pi, self._pull, step)
            self._recentre()
            before, means = means, self.means()
            moves = [new - old for new, old in zip(means, before, strict=True)]
            if max(map(abs, moves), default=0.0) < precision:
                return done
            if _swings_back(moves, last):
                step = max(0.7 * step, _LEAST_STEP)
            last = moves
        raise RatingError(f"the ratings did not converge in {_PASSES} passes")

    def resume(self, counts: Sequence[float], precision: float) -> list[float]:
        """Returns the mean skills for other *counts* and leaves the batch as it was."""
        kept = (
            list(self._trios.messages), list(self._contests.messages),
            self._pi, self._pull, self._origin,
        )  # fmt: skip
        self._origin = list(self._origin)
        self.solve(counts, precision)
        means = self.means()
        self._trios.messages, self._contests.messages = kept[0], kept[1]
        self._pi, self._pull, self._origin = kept[2], kept[3], kept[4]
        return means

    def _take_priors(self, priors: Sequence[Belief]) -> None:
        self._prior_means = [mu for mu, _ in priors]
        self._prior_pi = [1.0 / (sigma * sigma) for _, sigma in priors]

    def _load(self, counts: Sequence[float]) -> None:
        """Starts from the priors and adds every message as often as it counts.

        Skills are held relative to an origin that moves with the group, so that moving
        everybody at once moves no message, only the priors.
        """
        self._pi = list(self._prior_pi)
        self._pull = [
            pi * (mu - origin)
            for pi, mu, origin in zip(self._prior_pi, self._prior_means, self._origin, strict=True)
        ]
        self._trios.load([counts[n] for n in self._in_trios], self._pi, self._pull)
        self._contests.load([counts[n] for n in self._in_contests], self._pi, self._pull)

    def _recentre(self) -> None:
        """Moves each group to where its priors pull equally up and down.

        That holds at the fixed point: outcomes do not change under the move, so the
        expectation of what the priors pull along it is 0.
        """
        for group in self._groups:
            weight = uphill = 0.0
            for i in group:
                mean = self._pull[i] / self._pi[i] + self._origin[i]
                weight += self._prior_pi[i]
                uphill += self._prior_pi[i] * (self._prior_means[i] - mean)
            step = uphill / weight
            for i in group:
                self._origin[i] += step
                self._pull[i] -= step * self._prior_pi[i]


def _swings_back(moves: Sequence[float], last: Sequence[float]) -> bool:
    """Whether a pass undoes more than half of the pass before it.

    A thousand equal results change their messages all at once; when nearly everything known
    of two entrants is such results, they overshoot and would swing for ever.
    """
    undone = -sum(new * old for new, old in zip(moves, last, strict=True))
    return undone > 0.5 * sum(old * old for old in last)


def connected(seatings: Iterable[Seating], entrants: int) -> tuple[int, ...]:
    """Returns for each entrant the first of those whom games connect it with."""
    leader = list(range(entrants))

    def find(i: int) -> int:
        while leader[i] != i:
            leader[i] = leader[leader[i]]
            i = leader[i]
        return i

    for teams in seatings:
        together = sorted({find(i) for team in teams for i in team})
        for i in together[1:]:
            leader[i] = together[0]
    return tuple(find(i) for i in range(entrants))


def shiftable_groups(seatings: Sequence[Seating], entrants: int) -> tuple[tuple[int, ...], ...]:
    """Returns the groups of entrants that can all get better without changing an outcome.

    A group is everybody connected by games; one with sides of unequal size is left out, for
    there a common gain favours the larger side.
    """
    first = connected(seatings, entrants)
    uneven = {first[teams[0][0]] for teams in seatings if len({len(team) for team in teams}) > 1}
    groups: dict[int, list[int]] = {}
    for i in range(entrants):
        if first[i] not in uneven:
            groups.setdefault(first[i], []).append(i)
    return tuple(tuple(group) for group in groups.values())
