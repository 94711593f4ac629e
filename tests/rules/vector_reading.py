"""Reads the words of a rules question: tiles, bids, trumps and suits, under any plausible name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from referee.rules import SUITS, Bid, NotationError, Rules, Suit, Tile, Trump

Json = Any
"""What a JSON reader returns."""


class QuestionError(Exception):
    """A question that cannot be read."""


class Situation:
    """The situation of a question, which notes what of it was used."""

    def __init__(self, data: Json) -> None:
        if not isinstance(data, dict):
            raise QuestionError(f"the situation is no object: {data!r}")
        self._data: dict[str, Json] = data
        self._used = {"note", "notes", "comment"}

    def get(self, *names: str, default: Json = None) -> Json:
        """Returns the value under the first of *names* that is there."""
        self._used.update(names)
        for name in names:
            if name in self._data:
                return self._data[name]
        return default

    def has(self, *names: str) -> bool:
        """Whether one of *names* is there."""
        return any(name in self._data for name in names)

    def need(self, *names: str) -> Json:
        """Returns the value under the first of *names* that is there, which one must be."""
        if not self.has(*names):
            raise QuestionError(f"the situation has no {names[0]!r}")
        return self.get(*names)

    @property
    def unused(self) -> list[str]:
        """The keys that played no part in the answer."""
        return sorted(set(self._data) - self._used)


def read_tile(text: Json) -> Tile:
    """Returns the tile written with either end first."""
    digits = [letter for letter in str(text) if letter.isdigit()]
    if len(digits) != 2:
        raise QuestionError(f"not a tile: {text!r}")
    return Tile.parse("".join(sorted(digits, reverse=True)))


def read_tiles(texts: Iterable[Json]) -> list[Tile]:
    """Returns the tiles, which a text may hold with spaces or commas between."""
    if isinstance(texts, str):
        texts = texts.replace(",", " ").split()
    return [read_tile(text) for text in texts]


def read_bid(value: Json) -> Bid | None:
    """Returns the bid, or ``None`` for what is no bid at all, such as 8."""
    word = str(value).lower()
    word = {"moon": "21", "none": "pass", "0": "pass"}.get(word, word)
    try:
        return Bid.parse(word)
    except NotationError:
        return None


def read_trump(value: Json) -> Trump:
    """Returns the trump; a missing one is none."""
    return Trump.parse("none" if value is None else str(value).lower())


def read_suit(value: Json, trump: Trump) -> Suit | None:
    """Returns the suit, or ``None`` for the trump suit where there is no trump."""
    word = str(value).lower()
    if word in ("trump", "trumps"):
        return None if trump is Trump.NONE else SUITS[trump]
    if word == "doubles":
        return Suit.DOUBLES
    if not word.isdigit() or int(word) > 6:
        raise QuestionError(f"not a suit: {value!r}")
    return SUITS[int(word)]


def aliases(**facts: Json) -> dict[str, Json]:
    """Returns each fact under each of its names: the words between ``__``."""
    return {name: fact for names, fact in facts.items() for name in names.split("__")}


class OneOf(NamedTuple):
    """An answer that can be written in several ways."""

    ways: tuple[Json, ...]


class LaidTrick(NamedTuple):
    """The tiles on the table."""

    seats: tuple[int, ...]
    tiles: tuple[Tile, ...]
    called: Suit | None
    """The suit the leader called, where leaders call."""


_CALLS = ("called", "calls", "call", "called_suit", "suit_called", "led_suit", "suit")


def read_trick(rules: Rules, trump: Trump, situation: Situation) -> LaidTrick:
    """Returns the tiles on the table, none when there are none yet."""
    entries = situation.get("trick", "plays", "played", "table", default=[])
    leader = situation.get("leader", "lead_seat", default=0)
    called = situation.get(*_CALLS)
    if isinstance(entries, dict):
        leader = entries.get("leader", leader)
        called = next((entries[key] for key in _CALLS if key in entries), called)
        entries = entries.get("plays", entries.get("tiles", []))
    led = situation.get("led", "lead", "led_tile", "tile_led")
    if led is not None and not entries:
        entries = [led]
    seats, tiles = [], []
    for place, entry in enumerate(entries):
        seat, tile = (leader + place) % rules.players, entry
        if isinstance(entry, list):
            seat, tile = entry
        if isinstance(entry, dict):
            seat, tile = entry.get("seat", seat), entry["tile"]
            if place == 0:
                called = next((entry[key] for key in _CALLS if key in entry), called)
        seats.append(seat)
        tiles.append(read_tile(tile))
    suit = None if called is None else read_suit(called, trump)
    return LaidTrick(tuple(seats), tuple(tiles), suit)


def write_bid(bid: Bid) -> int | str:
    """Returns the bid as the files write it."""
    return int(bid) if bid else "pass"


def write_trump(trump: Trump) -> int | str:
    """Returns the trump as the files write it."""
    return int(trump) if trump < Trump.DOUBLES else str(trump)


def write_suit(suit: Suit | None, trump: Trump) -> int | str:
    """Returns the suit as the files write it: ``trump``, ``doubles`` or a number."""
    if suit is None or (trump is not Trump.NONE and int(suit) == int(trump)):
        return "trump"
    return "doubles" if suit is Suit.DOUBLES else int(suit)


def write_tiles(tiles: Iterable[Tile]) -> list[str]:
    """Returns the tiles as the files write them."""
    return [str(tile) for tile in tiles]
