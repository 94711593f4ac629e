"""The gauntlet: what a new version does against the field, beside what the old one did.

The new version is the first entrant, its predecessor the second, the others are the field. With
three seats the new version meets every two of the field, with four every pair of the field; its
predecessor sits in the very same seats against the same ones on the same deals, which makes all of
it one block: the two versions hold the same hands.
"""

from __future__ import annotations

from tournaments.schedule.fair_order import fair_order
from tournaments.schedule.starters import Seating

VERSIONS = 2
"""How many entrants are not of the field: the new version, and its predecessor."""


def gauntlet_blocks(count: int, seats: int) -> tuple[tuple[Seating, ...], ...]:
    """Returns, for every block, one table of the new version and one of its predecessor.

    Of any two of the field, one sits to the left of the versions: each of the field about as often
    as to their right.

    Args:
        count: How many entrants there are, the two versions among them.
        seats: How many sit at a table.

    >>> gauntlet_blocks(4, 3), gauntlet_blocks(3, 4)
    ((((0, 2, 3), (1, 2, 3)),), (((0, 2, 0, 2), (1, 2, 1, 2)),))
    """
    field = count - VERSIONS
    if seats == 4:
        others: list[Seating] = [(who,) for who in range(field)]
        return tuple(tuple((v, x + VERSIONS) * 2 for v in range(VERSIONS)) for (x,) in others)
    others = [_turned(a, b, field) for a, b in fair_order(field, 2)]
    return tuple(
        tuple((v, *(x + VERSIONS for x in pair)) for v in range(VERSIONS)) for pair in others
    )


def _turned(a: int, b: int, field: int) -> Seating:
    """Returns a < b, such that each comes first about as often as second."""
    ahead = 2 * (b - a)
    first = ahead < field or (ahead == field and a % 2 == 0)
    return (a, b) if first else (b, a)
