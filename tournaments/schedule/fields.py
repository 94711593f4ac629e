"""Finite fields, as far as designs need them: sums, and the powers of one generator."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product


@dataclass(frozen=True, slots=True)
class Field:
    """The field of *characteristic* ** *degree* elements.

    An element is the number whose digits, in base *characteristic*, are its coordinates; 0 is zero.
    In a field of prime order that is arithmetic modulo the prime.
    """

    characteristic: int
    degree: int
    powers: tuple[int, ...]
    """g^0, g^1, ...: every element but zero, once. The product of g^i and g^j is g^(i+j)."""

    @property
    def order(self) -> int:
        """How many elements it has."""
        return len(self.powers) + 1

    def add(self, a: int, b: int) -> int:
        """Returns the sum of two elements.

        >>> [field_of(5).add(4, 3), field_of(9).add(4, 5)]
        [2, 6]
        """
        total, digit = 0, 1
        for _ in range(self.degree):
            total += digit * ((a + b) % self.characteristic)
            a, b = a // self.characteristic, b // self.characteristic
            digit *= self.characteristic
        return total


def is_prime_power(number: int) -> bool:
    """Returns whether there is a field with *number* elements."""
    return _root(number) is not None


def field_of(order: int) -> Field:
    """Returns the field with *order* elements; which of its generators it has is always the same.

    Raises:
        ValueError: if *order* is no power of a prime.
    """
    root = _root(order)
    if root is None:
        raise ValueError(f"there is no field with {order} elements")
    characteristic, degree = root
    # The smallest polynomial, x^degree - (c0 + c1 x + ...), of which x has all powers as roots.
    for constants in product(range(characteristic), repeat=degree):
        powers = _powers_of_x(constants, characteristic)
        if len(powers) == order - 1:
            return Field(characteristic, degree, powers)
    raise AssertionError(f"no generator of the field with {order} elements")


def coset_rounds(order: int, seats: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """Returns rounds of tables of *seats*, one for each element of the field with *order*.

    The tables of the first are the cosets of the roots of unity 1, u, uu, ... of that number; the
    others add an element to all of them, which is the one that sits out.

    >>> coset_rounds(4, 3)[0], coset_rounds(5, 4)[1]
    (((1, 2, 3),), ((2, 3, 0, 4),))
    """
    field = field_of(order)
    cosets = (order - 1) // seats
    first = [tuple(field.powers[i + cosets * k] for k in range(seats)) for i in range(cosets)]
    return tuple(
        tuple(tuple(field.add(x, shift) for x in table) for table in first)
        for shift in range(order)
    )


def _powers_of_x(constants: tuple[int, ...], characteristic: int) -> tuple[int, ...]:
    """Returns 1, x, x^2, ... until they repeat, where x^degree is what *constants* say."""
    one = (1,) + (0,) * (len(constants) - 1)
    element, seen = one, dict[tuple[int, ...], None]()
    while element not in seen and any(element):
        seen[element] = None
        carry, shifted = element[-1], (0, *element[:-1])
        element = tuple(
            (low + carry * constant) % characteristic
            for low, constant in zip(shifted, constants, strict=True)
        )
    if element != one:
        return ()
    return tuple(
        sum(digit * characteristic**place for place, digit in enumerate(each)) for each in seen
    )


def _root(number: int) -> tuple[int, int] | None:
    """Returns the prime and the exponent that *number* is a power of."""
    if number < 2:
        return None
    prime = next((p for p in range(2, int(number**0.5) + 1) if number % p == 0), number)
    degree = 0
    while number % prime == 0:
        number //= prime
        degree += 1
    return (prime, degree) if number == 1 else None
