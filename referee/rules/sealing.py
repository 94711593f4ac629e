"""How a frozen value is made fast.

The constructor of a frozen dataclass takes a detour for every field, past the lock that it has
itself set: seven times as long as to fill open fields. Values that are made for every choice are
therefore filled while they are open, and closed when all is in them: from then on they are plain
objects of the frozen class.
"""

from __future__ import annotations

from typing import Any


def open_twin(kind: type) -> Any:
    """Returns a class with the fields of *kind*, a frozen dataclass with slots, that are open.

    Make an object of it with ``object.__new__``, fill every field, and then set its ``__class__``
    to *kind*, which closes it. Nothing checks that all fields are filled.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True, slots=True)
    ... class Point:
    ...     x: int
    >>> point = object.__new__(open_twin(Point))
    >>> point.x = 3
    >>> point.__class__ = Point
    >>> point == Point(3), type(point) is Point
    (True, True)
    """
    twin = _TWINS.get(kind)
    if twin is None:
        unlocked = {
            "__slots__": (),
            "__setattr__": object.__setattr__,
            "__delattr__": object.__delattr__,
        }
        twin = _TWINS[kind] = type(f"Open{kind.__name__}", (kind,), unlocked)
    return twin


_TWINS: dict[type, type] = {}
