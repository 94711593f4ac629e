"""Rounds put into an order of tables in which every prefix is fair.

Where everybody plays in every round, any order of the rounds will do. Where in each round another
one sits out, playing them one after the other is fair after a round, but not within: in the third
round somebody plays a third time while the first two who sat out have played once. That cannot be
helped by turning tables around within a round, so one round is given up, and its tables become the
joints between the others: table {x, y, z} stands among the rounds that x, y and z sit out. With
seats for three:

- the round without x: x is behind by one;
- the table {x, y, z}: x has caught up, and y and z are ahead;
- the round without y, the table of z last: z is ahead of all others by one;
- the round without z: all have played equally often.

With two seats, the rounds without x and y lie on either side of the table {x, y}; with four, two
rounds come before the joint and two after it, in the same manner.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tournaments.schedule.starters import Round, Seating


def fair_sequence(rounds: Sequence[Round], count: int) -> tuple[Seating, ...]:
    """Returns the tables of *rounds* so that after each of them all have played equally often.

    "Equally" means that no two of the *count* entrants are apart by more than one table.

    Args:
        rounds: Everybody plays in each of them, or another one sits out in each of them.
        count: How many entrants there are.

    >>> fair_sequence((((1, 2),), ((2, 0),), ((0, 1),)), 3)
    ((1, 2), (0, 1), (2, 0))
    """
    absent = [set(range(count)).difference(*tables) for tables in rounds]
    if not any(absent):
        return tuple(table for tables in rounds for table in tables)
    without = {min(missing): tables for missing, tables in zip(absent, rounds, strict=True)}
    sequence: list[Seating] = []
    for joint in rounds[-1]:
        _put_around(joint, without, sequence)
    return tuple(sequence)


def _put_around(joint: Seating, without: Mapping[int, Round], sequence: list[Seating]) -> None:
    """Appends *joint* to *sequence*, and the rounds that those at it sit out."""
    before = len(joint) // 2
    for number, who in enumerate(joint):
        if number == before:
            sequence.append(joint)
        behind, ahead, busy = set(joint[:number]), set(joint[number + 1 :]), _busy(sequence)
        # What can be played at once comes first, as far as fairness leaves a choice.
        in_order = sorted(without[who], key=busy.isdisjoint, reverse=True)
        if number < before:
            in_order.sort(key=behind.isdisjoint)
        else:
            in_order.sort(key=ahead.isdisjoint, reverse=True)
        sequence += in_order


def _busy(sequence: Sequence[Seating]) -> set[int]:
    """Returns who sits at the last tables of *sequence*, if each begins as soon as it can."""
    busy: set[int] = set()
    for table in sequence:
        if not busy.isdisjoint(table):
            busy = set()
        busy.update(table)
    return busy
