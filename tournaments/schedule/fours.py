"""Designs for tables of four: fixed pairs that meet, and single entrants that change partners.

At a table of four the partners sit opposite each other, so of (a, b, c, d) it is a and c against
b and d.
"""

from __future__ import annotations

from collections.abc import Sequence

from tournaments.schedule.fields import coset_rounds, is_prime_power
from tournaments.schedule.starters import Round, next_size, starters


def circle_rounds(count: int) -> tuple[Round, ...]:
    """Returns the rounds in which each two of *count* entrants meet once.

    That is the circle method, with the sides of J. Berger's tables: one stays, and the others move
    on around a circle. With an odd number nobody stays, and who would meet that place sits out.

    >>> circle_rounds(4)
    (((0, 3), (1, 2)), ((3, 2), (0, 1)), ((1, 3), (2, 0)))
    """
    circle = count - 1 + count % 2
    rounds = []
    for number in range(circle):
        # In each round the circle has moved on by half its length.
        middle = number * ((circle + 1) // 2) % circle
        tables = [
            ((middle + i) % circle, (middle - i) % circle) for i in range(1, (circle + 1) // 2)
        ]
        if count % 2 == 0:
            stays = (middle, circle) if number % 2 == 0 else (circle, middle)
            tables.insert(0, stays)
        rounds.append(tuple(tables))
    return tuple(rounds)


def whist_size(count: int) -> int:
    """Returns for how many entrants, at least *count*, there is a whist design.

    >>> [whist_size(count) for count in (3, 4, 6, 9, 18, 33, 38, 42)]
    [4, 4, 8, 9, 20, 33, 40, 49]
    """
    return next_size(max(count, 4), lambda n: n in starters("whist") or _has_fourth_roots(n))


def whist_rounds(count: int) -> tuple[Round, ...]:
    """Returns the rounds of a whist design: each two are partners once, and opponents twice.

    If *count* is a power of a prime and 1 more than a multiple of 4, the tables are cosets of the
    fourth roots of unity (R. C. Bose and J. M. Cameron, 1965; R. D. Baker, 1975), and the design
    is directed: of the two times that two are opponents, each sits once to the left of the other.
    For other numbers there is a starter.
    """
    if count in starters("whist"):
        return starters("whist")[count].rounds()
    return coset_rounds(count, 4)


def is_directed(rounds: Sequence[Round]) -> bool:
    """Returns whether everybody sits once at most to the left of everybody else.

    >>> is_directed(whist_rounds(9)), is_directed(whist_rounds(8))
    (True, False)
    """
    neighbours = [
        (who, table[i - 1]) for tables in rounds for table in tables for i, who in enumerate(table)
    ]
    return len(set(neighbours)) == len(neighbours)


def mixed_size(count: int) -> int:
    """Returns for how many entrants, at least *count*, there is a mixed design; there may be none.

    >>> [mixed_size(count) for count in (3, 4, 11, 14)]
    [3, 7, 11, 15]

    Raises:
        ValueError: if *count* is too large.
    """
    sizes = [size for size in starters("mixed") if size >= count]
    if not sizes:
        raise ValueError(f"there are mixed designs for at most {largest_mixed()} entrants")
    return sizes[0]


def largest_mixed() -> int:
    """Returns the largest number of entrants for which there is a mixed design."""
    return max(starters("mixed"))


def mixed_rounds(count: int) -> tuple[Round, ...]:
    """Returns the rounds of a mixed design, in which nobody ever sits out.

    It is a whist design in which everybody also is once its own partner (J. D. A. Wiseman): in
    each round one entrant holds two seats.
    """
    return starters("mixed")[count].rounds()


def _has_fourth_roots(n: int) -> bool:
    return n % 4 == 1 and n > 4 and is_prime_power(n)
