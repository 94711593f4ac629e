"""Lists and places in a row, as people say them."""

from __future__ import annotations

from collections.abc import Sequence

_SMALL = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")


def names_text(names: Sequence[str]) -> str:
    """Returns *names* as a list in words.

    >>> names_text(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def ordinal(number: int) -> str:
    """Returns the place *number* in a row, which begins with 1.

    >>> ordinal(3), ordinal(12), ordinal(21), ordinal(113)
    ('third', '12th', '21st', '113th')
    """
    if number <= len(_SMALL):
        return _SMALL[number - 1]
    ends = {1: "st", 2: "nd", 3: "rd"}
    return f"{number}{'th' if number % 100 in (11, 12, 13) else ends.get(number % 10, 'th')}"
