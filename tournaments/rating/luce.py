"""A second opinion on the ratings: Plackett and Luce's model of rankings, all games at once.

The chance of a finishing order is the product over its places of the share that the strength of
who takes the place has in the strengths of all who are left (R. L. Plackett 1975); of two sides it
is R. A. Bradley and M. E. Terry's model (1952). Strengths here are logarithms, so the odds that one
finishes ahead of another are exp of their difference, whoever else sits there. Of tied sides every
order is taken as equally likely. It shares no code and no assumption of normal performances with
TrueSkill, and like the batch it does not depend on the order of the games.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from math import exp, factorial, fsum, prod, sqrt

from tournaments.rating.games import Game, Outcome, Tally, entrants_of, tally
from tournaments.rating.influence import Matrix, inverse
from tournaments.rating.model import RatingError
from tournaments.rating.student import student_quantile

SPREAD = 3.0
"""How far strengths are spread before anything is known: twenty to one between two. It keeps who
never lost from being infinitely strong, and is nothing beside a few dozen games."""
CONFIDENCE = 0.95
_STEPS = 200
_SETTLED = 1e-12


@dataclass(frozen=True, slots=True)
class Strength:
    """How strong an entrant is: the logarithm of its odds against the mean of all."""

    entrant: str
    value: float
    low: float | None
    """Lower end of the 95 % interval over blocks; ``None`` of fewer than two blocks with it, and of
    one that was never behind anybody, or never ahead: nothing says how far away it is."""
    high: float | None
    """Upper end of that interval."""
    blocks: int


def plackett_luce(
    blocks: Mapping[int, Sequence[Game]], entrants: Sequence[str] = ()
) -> tuple[Strength, ...]:
    """Returns the strength of everybody, best first; equals by name.

    The most likely strengths under a normal prior of standard deviation `SPREAD`, by Newton's
    method. The intervals are Student's t with the sandwich of P. J. Huber (1967), in which the
    games of a block are one observation.

    Args:
        blocks: By number: the games of each block.
        entrants: Who is to be listed even if unplayed.

    Raises:
        RatingError: if a side has several entrants, whose strengths cannot be told apart.
    """
    counts = _counts(blocks.values())
    names = entrants_of([outcome for outcome, _ in counts], entrants)
    model = _Model(counts, names)
    strengths = model.fitted()
    spread = model.spread(strengths, blocks)
    mean = fsum(strengths) / len(strengths) if strengths else 0.0
    seen = dict.fromkeys(names, 0)
    for games in blocks.values():
        for name in {name for game in games for team in game.teams for name in team}:
            seen[name] += 1
    open_ended = _open_ended(counts)
    half = student_quantile(CONFIDENCE, len(blocks) - 1) if len(blocks) > 1 else 0.0
    found = []
    for name, value, error in zip(names, strengths, spread, strict=True):
        centred = value - mean
        if seen[name] < 2 or name in open_ended:
            found.append(Strength(name, centred, None, None, seen[name]))
            continue
        low, high = centred - half * error, centred + half * error
        found.append(Strength(name, centred, low, high, seen[name]))
    return tuple(sorted(found, key=lambda each: (-round(each.value, 9), each.entrant)))


def _counts(blocks: Iterable[Sequence[Game]]) -> Tally:
    return tally(game for games in blocks for game in games)


def _open_ended(counted: Tally) -> set[str]:
    """Returns who was never behind anybody, or never ahead."""
    ahead: set[str] = set()
    behind: set[str] = set()
    everybody: set[str] = set()
    for (teams, ranks), _ in counted:
        for (name,), rank in zip(teams, ranks, strict=True):
            everybody.add(name)
            if rank < max(ranks):
                ahead.add(name)
            if rank > min(ranks):
                behind.add(name)
    return everybody - (ahead & behind)


Orders = tuple[tuple[float, tuple[int, ...]], ...]
"""The orders that an outcome leaves open, each with its weight: the numbers of the entrants."""


class _Model:
    """The likelihood of counted outcomes, with its slopes."""

    def __init__(self, counted: Tally, names: Sequence[str]) -> None:
        self._size = len(names)
        place = {name: number for number, name in enumerate(names)}
        self._orders: dict[Outcome, Orders] = {
            outcome: _orders(outcome, place) for outcome, _ in counted
        }
        self._counted = counted

    def fitted(self) -> list[float]:
        """Returns the most likely strengths."""
        strengths = [0.0] * self._size
        for _ in range(_STEPS):
            slope, bend = self._slopes(strengths)
            step = [_dot(row, slope) for row in inverse(bend)]
            # The likelihood has one hill; a long step is cut so that it does not leap over it.
            longest = max(map(abs, step), default=0.0)
            shrink = min(1.0, 1.0 / longest) if longest else 0.0
            strengths = [one + shrink * each for one, each in zip(strengths, step, strict=True)]
            if longest < _SETTLED:
                return strengths
        raise RatingError(f"strengths did not settle in {_STEPS} steps")

    def spread(
        self, strengths: Sequence[float], blocks: Mapping[int, Sequence[Game]]
    ) -> list[float]:
        """Returns the standard error of each strength, less the mean of all."""
        count, size = len(blocks), self._size
        if count < 2:
            return [0.0] * size
        scores = {outcome: self._score(orders, strengths) for outcome, orders in
                  self._orders.items()}  # fmt: skip
        meat: Matrix = [[0.0] * size for _ in range(size)]
        for number in sorted(blocks):
            total: dict[int, float] = {}
            for outcome, times in tally(blocks[number]):
                for i, slope in scores[outcome].items():
                    total[i] = total.get(i, 0.0) + times * slope
            for (i, one), (j, other) in product(total.items(), repeat=2):
                meat[i][j] += one * other
        bread = inverse(self._slopes(strengths)[1])
        centred = [
            [row[j] - fsum(other[j] for other in bread) / size for j in range(size)]
            for row in bread
        ]
        factor = count / (count - 1)
        return [
            sqrt(max(0.0, factor * _dot(row, [_dot(line, row) for line in meat])))
            for row in centred
        ]

    def _slopes(self, strengths: Sequence[float]) -> tuple[list[float], Matrix]:
        """Returns the gradient of the logarithm of the posterior, and minus its Hessian."""
        precision = 1.0 / (SPREAD * SPREAD)
        slope = [-precision * strength for strength in strengths]
        bend = [[precision * (i == j) for j in range(self._size)] for i in range(self._size)]
        for outcome, count in self._counted:
            for weight, order in self._orders[outcome]:
                for left, shares in _stages(order, strengths):
                    slope[left[0]] += count * weight
                    for i, share in zip(left, shares, strict=True):
                        slope[i] -= count * weight * share
                        bend[i][i] += count * weight * share
                        for j, other in zip(left, shares, strict=True):
                            bend[i][j] -= count * weight * share * other
        return slope, bend

    @staticmethod
    def _score(orders: Orders, strengths: Sequence[float]) -> dict[int, float]:
        """Returns what one game with this outcome adds to the gradient."""
        found: dict[int, float] = {}
        for weight, order in orders:
            for left, shares in _stages(order, strengths):
                found[left[0]] = found.get(left[0], 0.0) + weight
                for i, share in zip(left, shares, strict=True):
                    found[i] = found.get(i, 0.0) - weight * share
        return found


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return fsum(a * b for a, b in zip(one, other, strict=True))


def _stages(
    order: Sequence[int], strengths: Sequence[float]
) -> Iterable[tuple[Sequence[int], list[float]]]:
    """Yields for each place but the last who is left, who takes it first, and their shares."""
    for at in range(len(order) - 1):
        left = order[at:]
        top = max(strengths[i] for i in left)
        weights = [exp(strengths[i] - top) for i in left]
        total = sum(weights)
        yield left, [weight / total for weight in weights]


def _orders(outcome: Outcome, place: Mapping[str, int]) -> Orders:
    """Returns the orders that *outcome* leaves open."""
    tied: dict[int, list[int]] = {}
    for team, rank in zip(outcome.teams, outcome.ranks, strict=True):
        if len(team) != 1:
            raise RatingError(f"the strengths of {', '.join(team)} cannot be told apart")
        tied.setdefault(rank, []).append(place[team[0]])
    groups = [tied[rank] for rank in sorted(tied)]
    weight = 1.0 / prod(factorial(len(group)) for group in groups)
    return tuple(
        (weight, tuple(i for group in chosen for i in group))
        for chosen in product(*(permutations(group) for group in groups))
    )
