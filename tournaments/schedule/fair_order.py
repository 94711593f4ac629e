"""An order of all k-subsets of n things in which every prefix is fair.

A league night may be stopped at any time, so after any number of blocks everybody must have
played equally often. Baranyai's theorem (1975) gives more: all the subsets can be put into one
order such that after *every* prefix any two things have been used equally often, or one of them
once more. Its proof is an algorithm. The places of the order start as empty sets. One thing after
another is added to the sets: of the copies of a partial set S the right number receives it (that
makes the sets all different in the end), and among the first b places the number that receives it
is its exact share, rounded down or up (that makes the prefixes fair). Both demands together are a
flow with integral capacities that has a fractional solution, hence an integral one.

Pairs of things cannot be balanced so exactly. But at every n/gcd(n, k) places all counts are
equal, so what lies between two such points may be played in any order: next comes the stretch
whose pairs have met least often. For triples of 12 that keeps any two pairs within 4 meetings of
each other on the way to 10 (10 without it).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import comb, gcd

Subset = tuple[int, ...]


def fair_order(count: int, size: int) -> tuple[Subset, ...]:
    """Returns all subsets of ``range(count)`` with *size* members, in a fair order.

    >>> fair_order(4, 2)
    ((0, 1), (2, 3), (0, 2), (1, 3), (0, 3), (1, 2))
    """
    places: list[Subset] = [()] * comb(count, size)
    for thing in range(count):
        for place in _share(places, size, count - thing):
            places[place] += (thing,)
    return _by_pairs(places, count // gcd(count, size))


def _share(places: Sequence[Subset], size: int, left: int) -> list[int]:
    """Returns the places that receive the next thing, of *left* things still to be added.

    A set that lacks m members must receive each of the things left with weight m/left. The j-th
    place to be chosen lies in a window: no later than where the weights add up to j+1, no earlier
    than where they pass j.
    """
    lacking = [size - len(subset) for subset in places]
    windows: list[list[int]] = [[] for _ in range(sum(lacking) // left)]
    weight = 0  # in units of 1/left
    for place, lack in enumerate(lacking):
        if lack:
            for window in range(weight // left, -(-(weight + lack) // left)):
                windows[window].append(place)
        weight += lack
    quota = {s: comb(left - 1, size - len(s) - 1) for s in places if len(s) < size}
    flow = _Flow(places, windows, quota)
    for window in range(len(windows)):
        flow.add(window)
    return flow.chosen


class _Flow:
    """A choice of one place for each window: all different, and of each kind its quota at most.

    Built by augmenting paths: a window that finds everything taken makes earlier ones move on.
    """

    def __init__(
        self,
        places: Sequence[Subset],
        windows: Sequence[Sequence[int]],
        quota: dict[Subset, int],
    ) -> None:
        self.places, self.windows, self.quota = places, windows, quota
        self.chosen: list[int] = []
        self.owner: dict[int, int] = {}
        self.owners: dict[Subset, set[int]] = {subset: set() for subset in quota}

    def add(self, start: int) -> None:
        """Chooses a place for the next window, moving others where that is needed."""
        came_from: dict[int, tuple[int, int]] = {}
        window, place = self._search(start, came_from)
        self.chosen.append(-1)
        while True:
            self._take(window, place)
            if window == start:
                return
            window, place = came_from[window]

    def _search(self, start: int, came_from: dict[int, tuple[int, int]]) -> tuple[int, int]:
        """Returns the end of a path, a window and a free place for it.

        Fills in *came_from*: for a window that has to move, which one then takes what place.
        """
        queue = [start]
        for window in queue:
            for place in self.windows[window]:
                kind, holder = self.places[place], self.owner.get(place)
                if holder is None and len(self.owners[kind]) < self.quota[kind]:
                    return window, place
                # Either the one who holds the place must go, or anyone who holds its kind.
                for other in sorted(self.owners[kind]) if holder is None else (holder,):
                    if other != start and other not in came_from:
                        came_from[other] = (window, place)
                        queue.append(other)
        raise AssertionError("no fair order: Baranyai's theorem does not hold")

    def _take(self, window: int, place: int) -> None:
        old, self.chosen[window] = self.chosen[window], place
        if old >= 0:
            self.owners[self.places[old]].discard(window)
            if self.owner[old] == window:
                del self.owner[old]
        self.owner[place] = window
        self.owners[self.places[place]].add(window)


def _by_pairs(order: Sequence[Subset], length: int) -> tuple[Subset, ...]:
    """Returns *order* with its stretches of *length* places put so that pairs meet evenly."""
    stretches = [order[i : i + length] for i in range(0, len(order), length)]
    pairs = [Counter(p for s in stretch for p in combinations(s, 2)) for stretch in stretches]
    met: Counter[Subset] = Counter()
    left = list(range(len(stretches)))
    result: list[Subset] = []
    while left:
        # How much the sum of the squares of all pair counts would grow.
        growth = [sum((2 * met[p] + n) * n for p, n in pairs[i].items()) for i in left]
        best = left.pop(growth.index(min(growth)))
        met += pairs[best]
        result.extend(stretches[best])
    return tuple(result)
