"""One deal as one short text, for a chat line or a bug report.

The text is words with a key each, ``moon1 rules:... seats:... h:... w:... b:... t:... x:... p:...
s:...``, and reads back to the same deal. Tiles are written without the dash, runs of them without a
space; ``docs/records.md`` has the grammar.

>>> print(example := dump_line(read_line(EXAMPLE)))  # doctest: +ELLIPSIS
moon1 rules:wikihow-3p seats:ann,bob,cyd n:0 f:0 h:65555344423322/... w:51 b:4,5,p t:d x:41 p:...
"""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import quote, unquote

from referee.errors import MoonError
from referee.match.errors import RecordError
from referee.match.log import parse_suit
from referee.match.records import DealRecord
from referee.rules import SEATS, Bid, Cards, Rules, Suit, Tile, Trump, parse_rules, rules_text
from referee.rules.tiles import mask_of, tiles_in

FORMAT = "moon1"
"""The first word: the format and its version."""

EXAMPLE = (
    "moon1 rules:wikihow-3p seats:ann,bob,cyd n:0 f:0 "
    "h:65555344423322/64634341321100/66626154523121 w:51 b:4,5,p t:d x:41 "
    "p:116655/545351/526500/646244/424321/636133/223231 s:3,-5,2"
)
_SAFE = "-_.~?=+*()!"


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
    hands = [_tiles(tuple(reversed(tiles_in(mask)))) for mask in deal.cards.hands]
    words = {
        "rules": rules_text(line.rules).replace(" ", "+"),
        "seats": ",".join(quote(name, safe=_SAFE) for name in line.seats),
        "n": str(deal.number),
        "f": str(deal.first_bidder) + ("!" if deal.forced else ""),
        "h": "/".join(hands),
        "w": _tiles(deal.cards.middle),
        "b": ",".join("p" if bid is Bid.PASS else str(bid) for bid in deal.bids),
        "t": "" if deal.trump is None else str(deal.trump)[0],
        "x": _exchange(deal),
        "p": "/".join(map(_tiles, tricks)),
        "c": "".join(str(suit)[0] for suit in deal.called),
        "s": "" if deal.points is None else ",".join(map(str, deal.points)),
    }
    return " ".join([FORMAT, *(f"{key}:{word}" for key, word in words.items() if word)])


def _exchange(deal: DealRecord) -> str:
    if deal.discarded is not None:
        return _tiles((deal.discarded,))
    return {True: "take", False: "leave", None: ""}[deal.taken]


def _tiles(tiles: tuple[Tile | None, ...]) -> str:
    return "".join(f"{tile.high}{tile.low}" for tile in tiles if tile is not None)


_KEYS = ("rules", "seats", "n", "f", "h", "w", "b", "t", "x", "p", "c", "s")
_NEEDED = ("rules", "h")
_TAKEN = {"": None, "take": True, "leave": False}


def read_line(text: str) -> DealLine:
    """Returns the deal that *text* describes; `verify_line` judges it.

    Raises:
        RecordError: if *text* is not in this format; the message names the word at fault.
    """
    first, *rest = text.split() or [""]
    if first != FORMAT:
        raise RecordError("deal", f"begins with {first!r}, not with {FORMAT!r}")
    words: dict[str, str] = {}
    for word in rest:
        key, colon, value = word.partition(":")
        if not colon or key not in _KEYS:
            known = ", ".join(f"{key}:" for key in _KEYS)
            raise RecordError("deal", f"{word!r} is no word of a deal; known are {known}")
        if key in words:
            raise RecordError("deal", f"{key}: stands twice")
        words[key] = value
    for key in _NEEDED:
        if key not in words:
            raise RecordError("deal", f"has no {key}:")
    return _Reader(words).line()


class _Reader:
    """Reads the words, with the word's key in every error."""

    def __init__(self, words: dict[str, str]) -> None:
        self._words = words
        self._key = ""

    def line(self) -> DealLine:
        try:
            return self._line()
        except RecordError:
            raise
        except (MoonError, ValueError, IndexError) as error:
            raise RecordError(f"deal, {self._key}:", str(error)) from None

    def _get(self, key: str) -> str:
        self._key = key
        return self._words.get(key, "")

    def _line(self) -> DealLine:
        rules = parse_rules(self._get("rules").replace("+", " "))
        seats = tuple(unquote(name) for name in self._get("seats").split(",") if name)
        if not seats:
            seats = tuple(f"seat {seat}" for seat in range(rules.players))
        if len(seats) != rules.players:
            raise ValueError(f"{len(seats)} names for {rules.players} seats")
        number = int(self._get("n") or "0")
        first = self._get("f") or "0"
        hands = tuple(mask_of(_pairs(hand)) for hand in self._get("h").split("/"))
        middle = _pairs(self._get("w"))
        bids = tuple(Bid.PASS if b == "p" else Bid.parse(b) for b in self._get("b").split(",") if b)
        exchange = self._get("x")
        discarded = _pairs(exchange) if exchange not in _TAKEN else ()
        if len(discarded) > 1:
            raise ValueError(f"more than one discard: {exchange!r}")
        deal = DealRecord(
            number=number,
            forced=first.endswith("!"),
            first_bidder=SEATS[int(self._seat(first.rstrip("!"), rules))],
            cards=Cards(hands, middle),
            bids=bids,
            trump=_trump(self._get("t")),
            taken=_TAKEN.get(exchange, True),
            discarded=discarded[0] if discarded else None,
            plays=tuple(tile for trick in self._get("p").split("/") for tile in _pairs(trick)),
            called=tuple(map(_suit, self._get("c"))),
            tricks_won=(),
            made=None,
            points=self._points(),
        )
        return DealLine(rules, seats, deal)

    def _seat(self, text: str, rules: Rules) -> int:
        self._key = "f"
        seat = int(text)
        if not 0 <= seat < rules.players:
            raise ValueError(f"there is no seat {seat}")
        return seat

    def _points(self) -> tuple[int, ...] | None:
        text = self._get("s")
        return tuple(int(points) for points in text.split(",")) if text else None


def _pairs(text: str) -> tuple[Tile, ...]:
    if len(text) % 2:
        raise ValueError(f"{text!r} is not made of tiles of two digits each")
    return tuple(Tile.parse(text[at : at + 2]) for at in range(0, len(text), 2))


def _trump(text: str) -> Trump | None:
    if not text:
        return None
    return Trump.parse({"d": "doubles", "n": "none"}.get(text, text))


def _suit(letter: str) -> Suit:
    return parse_suit({"d": "doubles"}.get(letter, letter))
