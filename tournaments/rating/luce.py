"""A second opinion on the ratings: Plackett and Luce's model of rankings, all games at once.

The chance of a finishing order is the product over its places of the share that the strength of
who takes the place has in the strengths of all who are left (R. L. Plackett 1975); of two sides it
is R. A. Bradley and M. E. Terry's model (1952). Strengths here are logarithms, so the odds that one
finishes ahead of another are exp of their difference, whoever else sits there. Of tied sides every
order is taken as equally likely. It assumes no normal performances and fits nothing by messages, as
TrueSkill does: only the counting of games is the same. Like the batch it does not depend on the
order of the games.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations, product
from math import exp, factorial, fsum, prod

from tournaments.rating.games import Game, Outcome, Tally, entrants_of, tally
from tournaments.rating.influence import Matrix, inverse
from tournaments.rating.model import RatingError
from tournaments.rating.sandwich import BlockScore, Sandwich

SPREAD = 3.0
"""How far strengths are spread before anything is known: twenty to one between two. It keeps who
never lost from being infinitely strong, and is nothing beside a few dozen games."""
CONFIDENCE = 0.95
LEAST_BLOCKS = 10
"""Blocks with an entrant below which it has no interval: with fewer it holds too often, so that
it would be wider than it has to be (`benchmarks/luce.py`)."""
_PRECISION = 1.0 / (SPREAD * SPREAD)
_STEPS = 200
_SETTLED = 1e-14
"""When the strengths have settled: the rise of the logarithm of the posterior that is still to be
had, which rounding does not reach however many games there are. By then the step that is taken
last is of some 1e-7 at most, and what is left after it, by Newton's method, of its square."""


@dataclass(frozen=True, slots=True)
class Strength:
    """How strong an entrant is: the logarithm of its odds against the mean of the compared."""

    entrant: str
    value: float
    low: float | None
    """Lower end of the 95 % interval over blocks; ``None`` of who is not among the compared."""
    high: float | None
    """Upper end of that interval."""
    blocks: int


def plackett_luce(
    blocks: Mapping[int, Sequence[Game]], entrants: Sequence[str] = ()
) -> tuple[Strength, ...]:
    """Returns the strength of everybody, best first; equals by name.

    The most likely strengths under a normal prior of standard deviation `SPREAD`, by Newton's
    method. The *compared* are the most entrants of `LEAST_BLOCKS` blocks each that all were ahead
    of each other, directly or by way of others: of anybody else nothing says how far away it is.
    Their mean is 0 (that of all, if nobody is compared), and they have intervals; see `sandwich`.

    Args:
        blocks: By number: the games of each block.
        entrants: Who is to be listed even if unplayed.

    Raises:
        RatingError: if a side has several entrants, whose strengths cannot be told apart.
    """
    contents = Counter(tally(games) for games in blocks.values())
    total: Counter[Outcome] = Counter()
    for content, times in contents.items():
        for outcome, count in content:
            total[outcome] += times * int(count)
    counts = tally(total)
    names = entrants_of([outcome for outcome, _ in counts], entrants)
    model = _Model(counts, names)
    strengths = model.fitted()
    seen = dict.fromkeys(names, 0)
    for content, times in contents.items():
        for name in entrants_of(outcome for outcome, _ in content):
            seen[name] += times
    compared = _compared(counts, [name for name in names if seen[name] >= LEAST_BLOCKS])
    weight = {name: 1.0 / len(compared or names) for name in compared or names}
    mean = fsum(value * weight.get(name, 0.0) for name, value in zip(names, strengths, strict=True))
    found = []
    half = model.half_widths(strengths, contents, compared)
    for name, value in zip(names, strengths, strict=True):
        centred, reach = value - mean, half.get(name)
        low, high = (None, None) if reach is None else (centred - reach, centred + reach)
        found.append(Strength(name, centred, low, high, seen[name]))
    return tuple(sorted(found, key=lambda each: (-round(each.value, 9), each.entrant)))


def _compared(counted: Tally, names: Sequence[str]) -> tuple[str, ...]:
    """Returns the most of *names* of whom each was ahead of each, if by way of others.

    A tie is both ahead and behind. Of groups of one size it is that of the first name; a group of
    one is nobody.
    """
    place = {name: number for number, name in enumerate(names)}
    ahead = [1 << number for number in range(len(names))]
    for (teams, ranks), _ in counted:
        for one, other in combinations(range(len(teams)), 2):
            (a,), (b,) = teams[one], teams[other]
            if a in place and b in place:
                ahead[place[a]] |= 1 << place[b]
                if ranks[one] == ranks[other]:
                    ahead[place[b]] |= 1 << place[a]
    for via in range(len(names)):
        ahead = [reach | ahead[via] if reach >> via & 1 else reach for reach in ahead]
    groups: dict[int, list[str]] = {}
    for name, reach in zip(names, ahead, strict=True):
        groups.setdefault(reach, []).append(name)
    most = max(groups.values(), key=len, default=[])
    return tuple(most) if len(most) > 1 else ()


Slopes = tuple[list[float], Matrix]
"""The gradient of the logarithm of a likelihood, and minus its Hessian."""


Orders = tuple[tuple[float, tuple[int, ...]], ...]
"""The orders that an outcome leaves open, each with its weight: the numbers of the entrants."""


class _Model:
    """The likelihood of counted outcomes, with its slopes."""

    def __init__(self, counted: Tally, names: Sequence[str]) -> None:
        self._names = names
        self._place = {name: number for number, name in enumerate(names)}
        self._orders: dict[Outcome, Orders] = {
            outcome: _orders(outcome, self._place) for outcome, _ in counted
        }
        self._counted = counted

    def fitted(self) -> list[float]:
        """Returns the most likely strengths."""
        strengths = [0.0] * len(self._names)
        for _ in range(_STEPS):
            slope, bend = self._posterior(strengths)
            step = [_dot(row, slope) for row in inverse(bend)]
            # The likelihood has one hill; a long step is cut so that it does not leap over it.
            longest = max(map(abs, step), default=0.0)
            shrink = min(1.0, 1.0 / longest) if longest else 0.0
            strengths = [one + shrink * each for one, each in zip(strengths, step, strict=True)]
            if _dot(slope, step) < _SETTLED:
                return strengths
        raise RatingError(f"strengths did not settle in {_STEPS} steps")

    def half_widths(
        self, strengths: Sequence[float], contents: Mapping[Tally, int], compared: Sequence[str]
    ) -> dict[str, float]:
        """Returns half the width of the interval of each of the *compared*, where it has one."""
        if not compared:
            return {}
        known = {
            outcome: self._one(outcome, orders, strengths)
            for outcome, orders in self._orders.items()
        }
        blocks = [_together(content, contents[content], known) for content in sorted(contents)]
        sandwich = Sandwich(blocks, inverse(self._posterior(strengths)[1]), _PRECISION)
        mean = [(name in compared) / len(compared) for name in self._names]
        found = {}
        for name in compared:
            contrast = [
                (name == each) - share for each, share in zip(self._names, mean, strict=True)
            ]
            if error := sandwich.error(contrast):
                found[name] = error.half_width(CONFIDENCE)
        return found

    def _posterior(self, strengths: Sequence[float]) -> Slopes:
        slope, bend = self._slopes(self._counted, strengths, range(len(strengths)))
        for i, strength in enumerate(strengths):
            slope[i] -= _PRECISION * strength
            bend[i][i] += _PRECISION
        return slope, bend

    def _one(self, outcome: Outcome, orders: Orders, strengths: Sequence[float]) -> BlockScore:
        """Returns what one game with this outcome adds to the slopes."""
        members = sorted(orders[0][1])
        slope, bend = self._slopes([(outcome, 1)], strengths, members)
        return BlockScore(1, tuple(members), tuple(slope), tuple(map(tuple, bend)))

    def _slopes(
        self,
        counted: Iterable[tuple[Outcome, float]],
        strengths: Sequence[float],
        members: Sequence[int],
    ) -> Slopes:
        """Returns the slopes of the outcomes *counted*, of the strengths of the *members*."""
        at = {i: number for number, i in enumerate(members)}
        slope: list[list[float]] = [[] for _ in members]
        bend = [[0.0] * len(members) for _ in members]
        for outcome, count in counted:
            for weight, order in self._orders[outcome]:
                often = count * weight
                for left, shares, rests in _stages([at[i] for i in order], order, strengths):
                    # What is left of 1 is added up, not subtracted: of who always wins it is tiny.
                    slope[left[0]].append(often * rests[0])
                    for i, share in zip(left[1:], shares[1:], strict=True):
                        slope[i].append(-often * share)
                    for k, i in enumerate(left):
                        bend[i][i] += often * shares[k] * rests[k]
                        for j, other in zip(
                            left[:k] + left[k + 1 :], shares[:k] + shares[k + 1 :], strict=True
                        ):
                            bend[i][j] -= often * shares[k] * other
        return [fsum(terms) for terms in slope], bend


def _together(content: Tally, times: int, known: Mapping[Outcome, BlockScore]) -> BlockScore:
    """Returns what a block with this content adds to the slopes, from what its games add."""
    members = sorted({i for outcome, _ in content for i in known[outcome].members})
    at = {i: number for number, i in enumerate(members)}
    score = [0.0] * len(members)
    bend = [[0.0] * len(members) for _ in members]
    for outcome, count in content:
        one = known[outcome]
        places = [at[i] for i in one.members]
        for i, slope, row in zip(places, one.score, one.bend, strict=True):
            score[i] += count * slope
            for j, value in zip(places, row, strict=True):
                bend[i][j] += count * value
    return BlockScore(times, tuple(members), tuple(score), tuple(map(tuple, bend)))


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return fsum(a * b for a, b in zip(one, other, strict=True))


def _stages(
    numbers: Sequence[int], order: Sequence[int], strengths: Sequence[float]
) -> Iterator[tuple[list[int], list[float], list[float]]]:
    """Yields for each place but the last who is left, by *numbers*, with who takes it first.

    With them come the share of each, and the shares of all others together.
    """
    for at in range(len(order) - 1):
        left = order[at:]
        top = max(strengths[i] for i in left)
        weights = [exp(strengths[i] - top) for i in left]
        total = fsum(weights)
        rests = [fsum(weights[:k] + weights[k + 1 :]) / total for k in range(len(left))]
        yield list(numbers[at:]), [weight / total for weight in weights], rests


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
