"""Designs for tables of three: Mendelsohn and Kirkman triple systems.

Mendelsohn: every two entrants meet at two tables, once with either of them to the left of the
other. Kirkman: every two meet at one table. Both come in rounds: with 3 dividing the number of
entrants everybody plays in every round, else each sits out one.
"""

from __future__ import annotations

from tournaments.schedule.fields import coset_rounds, field_of, is_prime_power
from tournaments.schedule.starters import Round, next_size, starters


def mendelsohn_size(count: int) -> int:
    """Returns for how many entrants, at least *count*, there is a Mendelsohn design.

    >>> [mendelsohn_size(count) for count in (3, 6, 16, 17, 20, 40)]
    [3, 7, 16, 19, 21, 43]
    """
    return next_size(max(count, 3), lambda n: n in starters("mendelsohn") or _has_cube_roots(n))


def mendelsohn_rounds(count: int) -> tuple[Round, ...]:
    """Returns the rounds of a Mendelsohn design for *count* entrants.

    If *count* is a power of a prime and 1 more than a multiple of 3, the tables of a round are
    x, xu, xuu for the cosets of the cube roots of unity 1, u, uu; a round for each element r of
    the field adds r to all of them, and misses r. The differences of neighbours are u-1 times
    everything, each once. For other numbers there is a starter.
    """
    if count in starters("mendelsohn"):
        return starters("mendelsohn")[count].rounds()
    return coset_rounds(count, 3)


def kirkman_size(count: int) -> int:
    """Returns for how many entrants, at least *count*, there is a Kirkman design.

    >>> [kirkman_size(count) for count in (3, 4, 16, 22, 34, 40)]
    [3, 9, 21, 27, 39, 45]
    """

    def exists(n: int) -> bool:
        thirds = n // 3
        return n in starters("kirkman") or n == 3 or (n % 3 == 0 and _has_sixth_roots(thirds))

    return next_size(max(count, 3), exists)


def kirkman_rounds(count: int) -> tuple[Round, ...]:
    """Returns the rounds of a Kirkman design for *count* entrants.

    With q = count/3 a power of a prime and 1 more than a multiple of 6 it is that of D. K.
    Ray-Chaudhuri and R. M. Wilson ("Solution of Kirkman's schoolgirl problem", 1971) over three
    copies of the field with q elements; for other numbers there is a starter.
    """
    if count == 3:
        return (((0, 1, 2),),)
    if count in starters("kirkman"):
        return starters("kirkman")[count].rounds()
    return _three_copies(count // 3)


def _three_copies(order: int) -> tuple[Round, ...]:
    field = field_of(order)
    sixth = (order - 1) // 6

    def power(exponent: int, copy: int) -> int:
        return copy * order + field.powers[exponent % (order - 1)]

    across = [
        tuple(power(i + 2 * sixth * copy, copy) for copy in range(3)) for i in range(order - 1)
    ]
    first: list[tuple[int, ...]] = [(0, order, 2 * order)]
    classes: list[tuple[int, ...]] = []
    for i, table in enumerate(across):
        (first if i // sixth % 2 else classes).append(table)
    for i in range(sixth):
        first += [tuple(power(i + 2 * sixth * k, copy) for k in range(3)) for copy in range(3)]

    def shifted(table: tuple[int, ...], shift: int) -> tuple[int, ...]:
        return tuple(p - p % order + field.add(p % order, shift) for p in table)

    developed = [tuple(shifted(t, shift) for t in first) for shift in range(order)]
    whole = [tuple(shifted(t, shift) for shift in range(order)) for t in classes]
    return (*developed, *whole)


def _has_cube_roots(n: int) -> bool:
    return n % 3 == 1 and n > 3 and is_prime_power(n)


def _has_sixth_roots(n: int) -> bool:
    return n % 6 == 1 and n > 6 and is_prime_power(n)
