"""What it is worth to be one's own partner, beyond how good one is.

A side is as good as its two members: their skills, in points a deal, add up, and who is its own
partner counts twice. What it then still has above that is its bonus. Skills and bonuses are fitted
together by least squares to what sides were ahead of each other by, so that a strong entrant has no
bonus for being strong: beside itself it has a strong partner, and that is all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum

from tournaments.rating.influence import Matrix, inverse
from tournaments.rating.sandwich import BlockScore, Sandwich

CONFIDENCE = 0.95
LEAST_BLOCKS = 4
"""Blocks as its own partner below which a bonus has no interval: with fewer it holds too often, and
is wide beyond use (`benchmarks/partners.py`)."""
_PRECISION = 1e-6
"""What keeps skills from running away that nothing is known of; beside a block it is nothing."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two sides of two members in one block. One that is its own partner is listed twice."""

    block: int
    sides: tuple[tuple[str, ...], tuple[str, ...]]
    difference: float
    """Points a deal by which the first was ahead: the mean over the tables of the block."""


@dataclass(frozen=True, slots=True)
class OwnPartner:
    """What it is worth to an entrant to play with itself, beyond how good it is."""

    entrant: str
    bonus: float | None
    """Points a deal; ``None`` if it never was its own partner, or what was played does not tell
    that from skill."""
    low: float | None
    """Lower end of the 95 % interval over blocks; ``None`` of fewer than `LEAST_BLOCKS`, and where
    all blocks are needed to tell skills and bonuses apart, or show no spread."""
    high: float | None
    """Upper end of that interval."""
    blocks: int
    """In how many blocks it was its own partner."""


def own_partners(meetings: Iterable[Meeting]) -> dict[str, OwnPartner]:
    """Returns by entrant the bonus of everybody who was its own partner.

    It is the same for any order of *meetings*. The interval is that of `sandwich`, in which all
    that happened in a block is one observation.
    """
    ordered = sorted(meetings, key=lambda each: (each.block, each.sides))
    names = sorted({name for each in ordered for side in each.sides for name in side})
    own = sorted({side[0] for each in ordered for side in each.sides if _is_own(side)})
    if not own:
        return {}
    column = {name: number for number, name in enumerate(names)}
    bonus = {name: len(names) + number for number, name in enumerate(own)}
    fitted = _Fitted(ordered, [_weights(each, column, bonus) for each in ordered])
    seen = {
        name: len({each.block for each in ordered if (name, name) in each.sides}) for name in own
    }
    found = {}
    for name in own:
        if not fitted.is_known(bonus[name]):
            found[name] = OwnPartner(name, None, None, None, seen[name])
            continue
        value, half = fitted.value(bonus[name]), None
        if seen[name] >= LEAST_BLOCKS:
            half = fitted.half_width(bonus[name])
        low, high = (None, None) if half is None else (value - half, value + half)
        found[name] = OwnPartner(name, value, low, high, seen[name])
    return found


def _is_own(side: Sequence[str]) -> bool:
    return len(side) == 2 and side[0] == side[1]


def _weights(meeting: Meeting, column: dict[str, int], bonus: dict[str, int]) -> dict[int, float]:
    """Returns how often each skill and bonus is in the difference of a meeting."""
    found: dict[int, float] = {}
    for side, sign in zip(meeting.sides, (1.0, -1.0), strict=True):
        columns = [column[name] for name in side] + ([bonus[side[0]]] if _is_own(side) else [])
        for each in columns:
            found[each] = found.get(each, 0.0) + sign
    return {each: weight for each, weight in sorted(found.items()) if weight}


class _Fitted:
    """Skills and bonuses by least squares."""

    def __init__(self, meetings: Sequence[Meeting], rows: Sequence[dict[int, float]]) -> None:
        size = 1 + max((each for row in rows for each in row), default=-1)
        gram: Matrix = [[_PRECISION * (i == j) for j in range(size)] for i in range(size)]
        pull: list[list[float]] = [[] for _ in range(size)]
        for meeting, row in zip(meetings, rows, strict=True):
            for i, weight in row.items():
                pull[i].append(weight * meeting.difference)
                for j, other in row.items():
                    gram[i][j] += weight * other
        self._bread = inverse(gram)
        totals = [fsum(terms) for terms in pull]
        self._values = [
            fsum(a * b for a, b in zip(row, totals, strict=True)) for row in self._bread
        ]
        by_block: dict[int, list[tuple[dict[int, float], float]]] = {}
        for meeting, row in zip(meetings, rows, strict=True):
            left = meeting.difference - fsum(w * self._values[i] for i, w in row.items())
            by_block.setdefault(meeting.block, []).append((row, left))
        self._sandwich = Sandwich(map(_block, by_block.values()), self._bread, _PRECISION)

    def is_known(self, column: int) -> bool:
        """Returns whether the meetings say what the value is, and not the prior alone."""
        return _PRECISION * self._bread[column][column] < 0.01

    def value(self, column: int) -> float:
        return self._values[column]

    def half_width(self, column: int) -> float | None:
        contrast = [float(each == column) for each in range(len(self._values))]
        error = self._sandwich.error(contrast)
        return None if error is None else error.half_width(CONFIDENCE)


def _block(rows: Sequence[tuple[dict[int, float], float]]) -> BlockScore:
    members = sorted({i for row, _ in rows for i in row})
    return BlockScore(
        1,
        tuple(members),
        tuple(fsum(row.get(i, 0.0) * left for row, left in rows) for i in members),
        tuple(
            tuple(fsum(row.get(i, 0.0) * row.get(j, 0.0) for row, _ in rows) for j in members)
            for i in members
        ),
    )
