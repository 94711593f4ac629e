"""One line of a record, read with its place and its key in every error.

A record comes from strangers, so a value is checked for its type before anything is made of it, and
what an error shows of it is cut: it may be as long, as deep and as large as JSON allows.
"""

from __future__ import annotations

import json
import reprlib
from collections.abc import Callable, Collection
from enum import StrEnum
from typing import Any, TypeVar

from referee.errors import MoonError
from referee.match.errors import RecordError
from referee.match.faults import FaultKind, FaultMark
from referee.rules import SEATS, SUITS, Hand, Seat, Suit

T = TypeVar("T")
E = TypeVar("E", bound=StrEnum)

_LONGEST = 300
_short = reprlib.Repr()
_short.maxstring = _short.maxother = _short.maxlong = 60


def shown(value: object) -> str:
    """Returns *value* for an error, however long or deep it is."""
    return _short.repr(value)


def cut(problem: str) -> str:
    """Returns *problem*, which may hold what a stranger wrote, cut to a length one can read."""
    if len(problem) <= _LONGEST:
        return problem
    return f"{problem[: _LONGEST // 2]} ... {problem[-_LONGEST // 2 :]}"


def decode(where: str, line: str | bytes) -> str:
    """Returns *line* as text.

    Raises:
        RecordError: if it is not UTF-8.
    """
    try:
        text = line.decode() if isinstance(line, bytes) else line
    except UnicodeDecodeError as error:
        raise RecordError(where, f"is not UTF-8 ({error.reason})") from None
    return text.removeprefix("\ufeff")


class Fields:
    """One line."""

    def __init__(self, where: str, text: str) -> None:
        """Reads a line.

        Raises:
            RecordError: if *text* is no JSON object, or a key stands twice in it.
        """
        self.where = where
        self._value: dict[str, object] = _parse(where, text)

    def check_keys(self, known: Collection[str], optional: Collection[str] = ()) -> None:
        """Refuses a line that has other keys than those, or lacks one that is not optional.

        Raises:
            RecordError: if so.
        """
        for key in self._value:
            if key not in known:
                raise RecordError(self.where, f"the key {shown(key)} is not known")
        for key in known:
            if key not in self._value and key not in optional:
                raise RecordError(self.where, f"has no {key!r}")

    def read(self, key: str, convert: Callable[[Any], T], default: object = ...) -> T:
        """Returns what *convert* makes of the value of *key*.

        Raises:
            RecordError: if *convert* refuses it, or there is none.
        """
        value = self._value.get(key, default)
        if value is ...:
            raise RecordError(self.where, f"has no {key!r}")
        try:
            return convert(value)
        except (MoonError, ValueError) as error:
            raise RecordError(self.where, f"{key!r}: {cut(str(error))}") from None


def _parse(where: str, text: str) -> dict[str, object]:
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        problem = f"is not JSON: {error.msg.lower()}, at column {error.colno}"
        raise RecordError(where, problem) from None
    except (ValueError, RecursionError) as error:
        raise RecordError(where, f"is not JSON: {cut(str(error))}") from None
    if not isinstance(value, dict):
        raise RecordError(where, "is not a JSON object")
    return value


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {shown(key)} stands twice")
        found[key] = value
    return found


def _no_number(text: str) -> object:
    raise ValueError(f"{text} is no number")


# What turns a JSON value into one of ours, or raises a ValueError that says what it should be.


def _wrong(value: object, expected: str) -> ValueError:
    return ValueError(f"{shown(value)} is not {expected}")


def as_text(value: object) -> str:
    """Returns *value*, a text."""
    if not isinstance(value, str):
        raise _wrong(value, "a text")
    return value


def as_label(value: object) -> str:
    """Returns *value*, a text that can be printed anywhere."""
    text = as_text(value)
    if not text or not text.isprintable():
        raise _wrong(text, "a text without invisible characters")
    return text


def as_flag(value: object) -> bool:
    """Returns *value*, true or false."""
    if not isinstance(value, bool):
        raise _wrong(value, "true or false")
    return value


def as_number(value: object) -> int:
    """Returns *value*, a whole number."""
    # A bool is an int to Python, and `true` is not 1 to anybody else.
    if isinstance(value, bool) or not isinstance(value, int):
        raise _wrong(value, "a whole number")
    return value


def as_count(value: object) -> int:
    """Returns *value*, a whole number from 0."""
    number = as_number(value)
    if number < 0:
        raise _wrong(number, "0 or more")
    return number


def maybe(convert: Callable[[Any], T]) -> Callable[[Any], T | None]:
    """Returns a reader of what *convert* reads, or of null."""
    return lambda value: None if value is None else convert(value)


def word(convert: Callable[[str], T]) -> Callable[[Any], T]:
    """Returns a reader of a text that *convert* reads."""
    return lambda value: convert(as_text(value))


def words(convert: Callable[[str], T]) -> Callable[[Any], tuple[T, ...]]:
    """Returns a reader of a text of words that *convert* reads one by one."""
    return lambda value: tuple([convert(each) for each in as_text(value).split()])


def list_of(
    convert: Callable[[Any], T], length: int | None = None
) -> Callable[[Any], tuple[T, ...]]:
    """Returns a reader of a list, of *length* values if given, that *convert* reads one by one."""

    def read(value: object) -> tuple[T, ...]:
        if not isinstance(value, list):
            raise _wrong(value, "a list")
        if length is not None and len(value) != length:
            raise ValueError(f"has {len(value)} values; expected {length}")
        return tuple([convert(each) for each in value])

    return read


def one_of(kinds: type[E]) -> Callable[[Any], E]:
    """Returns a reader of the values of an enumeration."""

    def read(value: object) -> E:
        for kind in kinds:
            if kind.value == value:
                return kind
        raise _wrong(value, f"one of {', '.join(kind.value for kind in kinds)}")

    return read


def seat_of(players: int) -> Callable[[Any], Seat]:
    """Returns a reader of the seats of a table of so many."""

    def read(value: object) -> Seat:
        number = as_number(value)
        if not 0 <= number < players:
            raise _wrong(number, f"a seat of {players}, counted from 0")
        return SEATS[number]

    return read


def as_hand(value: object) -> int:
    """Returns the hand that *value*, a text of tiles, writes, as a bit mask."""
    text = as_text(value)
    hand = Hand.parse(text)
    if len(hand) != len(text.split()):
        raise ValueError(f"{shown(value)} holds a tile twice")
    return hand.mask


def parse_suit(text: str) -> Suit:
    """Returns the suit written ``0`` to ``6`` or ``doubles``.

    Raises:
        ValueError: if *text* names no suit.
    """
    for suit in SUITS:
        if str(suit) == text:
            return suit
    raise ValueError(f"not a suit: {shown(text)} (a suit is 0 to 6 or doubles)")


def fault_of(players: int) -> Callable[[Any], FaultMark]:
    """Returns a reader of faults at a table of so many seats."""
    seat, kind = seat_of(players), one_of(FaultKind)

    def read(value: object) -> FaultMark:
        if not isinstance(value, list) or len(value) != 3:
            raise _wrong(value, "[choice, seat, kind]")
        return FaultMark(as_count(value[0]), seat(value[1]), kind(value[2]))

    return read
