"""The blocks of a comparison: which tables are played on the same deals (RATING.md 6.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from referee.errors import ConfigError
from tournaments.schedule import Block, EntrantId, Schedule, Table

Seatings: TypeAlias = tuple[tuple[EntrantId, ...], ...]


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two entrants that are compared."""

    first: EntrantId
    """The one whose lead is measured."""
    second: EntrantId

    def __str__(self) -> str:
        """Returns what a positive difference is."""
        return f"{self.first} - {self.second}"


def block_seatings(pairing: Pairing, *, seats: int, third: EntrantId | None = None) -> Seatings:
    """Returns the seatings of a block, in which exchanging the two changes nothing.

    Three seats: the six tables at which the two fill the seats between them; each sits nine times,
    three times in each seat. With a *third* at the table: all six orders, for with the rotations
    of one order the same of the two always sits between the other and the third. Four seats: the
    two are pairs, and swap sides. The names decide who comes first, so that comparing B with A
    plays the very tables of A with B.

    >>> a, b, c = map(EntrantId, "abc")
    >>> ["".join(seating) for seating in block_seatings(Pairing(b, a), seats=3)]
    ['aab', 'aba', 'baa', 'abb', 'bab', 'bba']
    >>> ["".join(seating) for seating in block_seatings(Pairing(a, b), seats=3, third=c)]
    ['abc', 'bca', 'cab', 'acb', 'cba', 'bac']

    Args:
        pairing: Who is compared.
        seats: How many sit at a table.
        third: Who fills the third seat, if neither of the two does.

    Raises:
        ConfigError: if there is no seat for a third.
    """
    a, b = sorted((pairing.first, pairing.second))
    if seats == 4:
        if third is not None:
            raise ConfigError(None, "--with", "is for three seats; four are filled by two pairs")
        return ((a, b, a, b), (b, a, b, a))
    if third is None:
        return ((a, a, b), (a, b, a), (b, a, a), (a, b, b), (b, a, b), (b, b, a))
    c = third
    return ((a, b, c), (b, c, a), (c, a, b), (a, c, b), (c, b, a), (b, a, c))


def comparison_schedule(
    pairings: Sequence[Pairing], *, blocks: int, seats: int, third: EntrantId | None = None
) -> Schedule:
    """Returns the schedule in which every pairing in turn plays a block, *blocks* times.

    Block n has deals of its own, and belongs to pairing n modulo their number; its cell is that
    number. The blocks of a shorter schedule are the first ones of a longer one.

    Raises:
        ConfigError: if there is no seat for a third.
    """
    entrants: dict[EntrantId, None] = {}
    for pairing in pairings:
        entrants |= dict.fromkeys((pairing.first, pairing.second))
    if third is not None:
        entrants[third] = None
    made: list[Block] = []
    tables = 0
    for turn in range(blocks):
        for cell, pairing in enumerate(pairings):
            number = len(made)
            seatings = block_seatings(pairing, seats=seats, third=third)
            made.append(
                Block(
                    number,
                    turn,
                    str(cell),
                    tuple(
                        Table(tables + lane, number, lane, seating)
                        for lane, seating in enumerate(seatings)
                    ),
                )
            )
            tables += len(seatings)
    return Schedule(tuple(entrants), tuple(made))
