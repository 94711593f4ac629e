"""One deal as one short text, for a chat line or a bug report.

The text is words with a key each, ``moon1 rules:... seats:... h:... w:... b:... t:... x:... p:...
s:...``, and reads back to the same deal. Tiles are written without the dash, runs of them without a
space; ``docs/records.md`` has the grammar.

>>> print(example := dump_line(read_line(EXAMPLE)))  # doctest: +ELLIPSIS
moon1 rules:wikihow-3p seats:ann,bob,cyd n:0 f:0 h:65555344423322/... w:51 b:4,5,p t:d x:41 p:...
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple, TypeVar
from urllib.parse import quote, unquote

from referee.errors import MoonError
from referee.match.errors import RecordError
from referee.match.fields import cut, parse_suit, seat_of, shown
from referee.match.records import DealRecord
from referee.rules import Bid, Dealt, Rules, Seat, Suit, Tile, Trump, parse_rules, rules_text
from referee.rules.tiles import mask_of, tiles_in

FORMAT = "moon1"
"""The first word: the format and its version."""

EXAMPLE = (
    "moon1 rules:wikihow-3p seats:ann,bob,cyd n:0 f:0 "
    "h:65555344423322/64634341321100/66626154523121 w:51 b:4,5,p t:d x:41 "
    "p:116655/545351/526500/646244/424321/636133/223231 s:3,-5,2"
)
_SAFE = "-_.~?=+*()!#"
T = TypeVar("T")


class DealLine(NamedTuple):
    """A deal with what is needed to judge it."""

    rules: Rules
    seats: tuple[str, ...]
    """By seat: the name of the bot."""
    deal: DealRecord


def dump_line(line: DealLine) -> str:
    """Returns *line* as text, without a line end."""
    deal = line.deal
    players = line.rules.players
    tricks = [deal.plays[at : at + players] for at in range(0, len(deal.plays), players)]
    hands = [_tiles(tuple(reversed(tiles_in(mask)))) for mask in deal.dealt.hands]
    words = {
        "rules": rules_text(line.rules).replace(" ", "+"),
        "seats": ",".join(map(_quoted, line.seats)),
        "n": str(deal.number),
        "f": str(deal.first_bidder) + ("!" if deal.forced else ""),
        "h": "/".join(hands),
        "w": _tiles(deal.dealt.middle),
        "b": ",".join("p" if bid is Bid.PASS else str(bid) for bid in deal.bids),
        "t": "" if deal.trump is None else str(deal.trump)[0],
        "x": _exchange(deal),
        "p": "/".join(map(_tiles, tricks)),
        "c": "".join(str(suit)[0] for suit in deal.called),
        "s": "" if deal.points is None else ",".join(map(str, deal.points)),
    }
    return " ".join([FORMAT, *(f"{key}:{word}" for key, word in words.items() if word)])


def _quoted(name: str) -> str:
    # What the command line could not read as text is a surrogate, and must come back as one.
    return quote(name, safe=_SAFE, errors="surrogatepass")


def _exchange(deal: DealRecord) -> str:
    if deal.discarded is not None:
        return _tiles((deal.discarded,))
    return {True: "take", False: "leave", None: ""}[deal.taken]


def _tiles(tiles: tuple[Tile | None, ...]) -> str:
    return "".join(f"{tile.high}{tile.low}" for tile in tiles if tile is not None)


KEYS = ("rules", "seats", "n", "f", "h", "w", "b", "t", "x", "p", "c", "s")
"""The keys of the words, in their order."""
_NEEDED = ("rules", "h")
_TAKEN = {"": None, "take": True, "leave": False}
_NUMBER = re.compile(r"-?[0-9]{1,18}")


def read_line(text: str, where: str = "deal") -> DealLine:
    """Returns the deal that *text* describes; `verify_line` judges it.

    Args:
        text: The line.
        where: What it is called in an error.

    Raises:
        RecordError: if *text* is not in this format; the message names the word at fault.
    """
    first, *rest = text.split() or [""]
    if first != FORMAT:
        raise RecordError(where, f"begins with {shown(first)}, not with {FORMAT!r}")
    words: dict[str, str] = {}
    for word in rest:
        key, colon, value = word.partition(":")
        if not colon or key not in KEYS:
            known = ", ".join(f"{key}:" for key in KEYS)
            raise RecordError(where, f"{shown(word)} is no word of a deal; known are {known}")
        if key in words:
            raise RecordError(where, f"{key}: stands twice")
        words[key] = value
    for key in _NEEDED:
        if key not in words:
            raise RecordError(where, f"has no {key}:")
    return _Reader(words, where).line()


class _Reader:
    """Reads the words, with the word's key in every error."""

    def __init__(self, words: dict[str, str], where: str) -> None:
        self._words = words
        self._where = where

    def _read(self, key: str, convert: Callable[[str], T]) -> T:
        """Returns what *convert* makes of a word, which is empty if it is left out."""
        try:
            return convert(self._words.get(key, ""))
        except (MoonError, ValueError) as error:
            raise RecordError(f"{self._where}, {key}:", cut(str(error))) from None

    def line(self) -> DealLine:
        """Returns the deal."""
        rules = self._read("rules", lambda text: parse_rules(text.replace("+", " ")))
        players = rules.players
        forced = self._words.get("f", "").endswith("!")
        exchange = self._read("x", _read_exchange)
        deal = DealRecord(
            number=self._read("n", _count),
            forced=forced,
            first_bidder=self._read("f", lambda text: _seat(text.removesuffix("!"), players)),
            dealt=Dealt(
                self._read("h", lambda text: _hands(text, players)), self._read("w", _pairs)
            ),
            bids=self._read("b", _bids),
            trump=self._read("t", _trump),
            taken=exchange[0],
            discarded=exchange[1],
            plays=self._read("p", lambda text: _tricks(text, players)),
            called=self._read("c", lambda text: tuple(map(_suit, text))),
            tricks_won=(),
            made=None,
            points=self._read("s", lambda text: _points(text, rules.side_count)),
        )
        return DealLine(rules, self._read("seats", lambda text: _seats(text, players)), deal)


def _seats(text: str, players: int) -> tuple[str, ...]:
    if not text:
        return tuple(f"seat {seat}" for seat in range(players))
    names = tuple(unquote(name, errors="surrogatepass") for name in text.split(","))
    if len(names) != players:
        raise ValueError(f"{len(names)} names for {players} seats")
    return names


def _number(text: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"{shown(text)} is no whole number")
    return int(text)


def _count(text: str) -> int:
    number = _number(text or "0")
    if number < 0:
        raise ValueError(f"{number} is less than 0")
    return number


def _seat(text: str, players: int) -> Seat:
    return seat_of(players)(_number(text or "0"))


def _hands(text: str, players: int) -> tuple[int, ...]:
    hands = [_pairs(hand) for hand in text.split("/")]
    if len(hands) != players:
        raise ValueError(f"{len(hands)} hands for {players} seats")
    for hand in hands:
        if len(set(hand)) != len(hand):
            raise ValueError(f"a tile stands twice in {_tiles(hand)}")
    return tuple(map(mask_of, hands))


def _pairs(text: str) -> tuple[Tile, ...]:
    if len(text) % 2:
        raise ValueError(f"{shown(text)} is not made of tiles of two digits each")
    return tuple(Tile.parse(text[at : at + 2]) for at in range(0, len(text), 2))


def _bids(text: str) -> tuple[Bid, ...]:
    words = text.split(",") if text else []
    return tuple(Bid.PASS if word == "p" else Bid.parse(word) for word in words)


def _trump(text: str) -> Trump | None:
    if not text:
        return None
    return Trump.parse({"d": "doubles", "n": "none"}.get(text, text))


def _read_exchange(text: str) -> tuple[bool | None, Tile | None]:
    """Returns whether the widow was taken, and the discard."""
    if text in _TAKEN:
        return _TAKEN[text], None
    tiles = _pairs(text)
    if len(tiles) != 1:
        raise ValueError(f"{shown(text)} is not one tile, take or leave")
    return True, tiles[0]


def _tricks(text: str, players: int) -> tuple[Tile, ...]:
    tricks = [_pairs(trick) for trick in text.split("/")]
    for number, trick in enumerate(tricks, 1):
        if len(trick) > players or (len(trick) < players and number < len(tricks)):
            raise ValueError(f"trick {number} has {len(trick)} tiles; expected {players}")
    return tuple(tile for trick in tricks for tile in trick)


def _suit(letter: str) -> Suit:
    return parse_suit({"d": "doubles"}.get(letter, letter))


def _points(text: str, sides: int) -> tuple[int, ...] | None:
    if not text:
        return None
    points = tuple(map(_number, text.split(",")))
    if len(points) != sides:
        raise ValueError(f"{len(points)} scores for {sides} sides")
    return points
