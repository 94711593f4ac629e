"""Match records as JSON lines, and back.

One line for the match, one for each deal, one for the end. Tiles, bids and trumps are written as
in the rules (``6-4``, ``pass``, ``doubles``), seats and sides are numbers from 0. Every line holds
only what happened; no line holds a time. The keys, their order and their meaning are the format.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from referee.errors import MoonError
from referee.match.errors import RecordError
from referee.match.faults import FaultKind, FaultMark
from referee.match.matches import DEFAULT_MAX_DEALS, Ending, Result, Terms
from referee.match.records import VERSION, DealRecord, MatchRecord
from referee.rules import (
    SEATS,
    SUITS,
    Bid,
    Cards,
    Hand,
    Suit,
    Tile,
    Trump,
    parse_rules,
    rules_text,
)


def dump_match(record: MatchRecord) -> str:
    """Returns *record* as JSON lines, each with its line end."""
    terms = record.terms
    head: dict[str, object] = {
        "type": "match",
        "v": VERSION,
        "table": record.table,
        "rules": rules_text(terms.rules),
        "deals": terms.deals,
        "max_deals": terms.max_deals,
        "seats": list(record.seats),
        "ask_forced": record.ask_forced,
        "strikes": record.strikes,
    }
    result = record.result
    end: dict[str, object] = {
        "type": "end",
        "ending": result.ending.value,
        "scores": list(result.scores),
        "places": list(result.places),
        "forfeit": result.forfeit,
    }
    return "".join(map(_line, (head, *map(_deal, record.deals), end)))


def _line(fields: Mapping[str, object]) -> str:
    return json.dumps(fields, separators=(",", ":"), ensure_ascii=False) + "\n"


def _deal(deal: DealRecord) -> dict[str, object]:
    fields: dict[str, object] = {
        "type": "deal",
        "n": deal.number,
        "first": deal.first_bidder,
        "forced": deal.forced,
        "hands": [str(Hand(mask)) for mask in deal.cards.hands],
        "middle": " ".join(map(str, deal.cards.middle)),
        "bids": " ".join(map(str, deal.bids)),
        "trump": None if deal.trump is None else str(deal.trump),
        "taken": deal.taken,
        "discard": None if deal.discarded is None else str(deal.discarded),
        "plays": " ".join(map(str, deal.plays)),
    }
    if deal.called:
        fields["called"] = " ".join(map(str, deal.called))
    fields |= {
        "tricks": list(deal.tricks_won),
        "made": deal.made,
        "points": None if deal.points is None else list(deal.points),
        "unasked": list(deal.unasked),
    }
    if deal.faults:
        fields["faults"] = [[mark.at, mark.seat, mark.kind.value] for mark in deal.faults]
    return fields


def load_matches(lines: Iterable[str], source: str = "record") -> Iterator[MatchRecord]:
    """Yields every match of *lines*.

    Args:
        lines: The JSON lines of one or more matches. Empty lines are passed over.
        source: What the lines are called in an error, such as the file's name.

    Raises:
        RecordError: if a line is no JSON, no part of a record, or a match has no end.
    """
    head: _Fields | None = None
    deals: list[DealRecord] = []
    where = source
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        where = f"{source}, line {number}"
        fields = _Fields(where, _parse(where, text))
        kind = fields.text("type")
        if (kind == "match") != (head is None):
            problem = "a match begins before the last one has ended" if head else (
                f"expected a line of type 'match', not {kind!r}"
            )  # fmt: skip
            raise RecordError(where, problem)
        if kind == "match":
            head, deals = fields, []
        elif kind == "deal":
            deals.append(fields.guard(_read_deal))
        elif kind == "end" and head is not None:
            yield _read_match(head, tuple(deals), fields)
            head = None
        else:
            raise RecordError(where, f"a line of type {kind!r} is not known")
    if head is not None:
        raise RecordError(where, "the match has no line of type 'end': the record is cut off")


def _parse(where: str, text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RecordError(where, f"is not JSON ({error})") from None


class _Fields:
    """One line, read with the place in every error."""

    def __init__(self, where: str, value: object) -> None:
        if not isinstance(value, dict):
            raise RecordError(where, "is not a JSON object")
        self.where = where
        self._value: dict[str, Any] = value

    def guard(self, read: Any) -> Any:
        """Returns what *read* makes of the line; rule errors get the line's place."""
        try:
            return read(self)
        except RecordError:
            raise
        except (MoonError, ValueError, TypeError, IndexError, KeyError) as error:
            raise RecordError(self.where, str(error) or type(error).__name__) from None

    def get(self, key: str, *kinds: type, default: object = ...) -> Any:
        value = self._value.get(key, default)
        if value is ...:
            raise RecordError(self.where, f"has no {key!r}")
        bad_bool = isinstance(value, bool) and bool not in kinds
        if bad_bool or not isinstance(value, kinds or (object,)):
            if value is default:
                return value
            raise RecordError(self.where, f"{key!r} cannot be {value!r}")
        return value

    def text(self, key: str) -> str:
        return str(self.get(key, str))

    def words(self, key: str, default: object = ...) -> list[str]:
        return str(self.get(key, str, default=default)).split()

    def ints(self, key: str, default: object = ...) -> tuple[int, ...]:
        values = self.get(key, list, default=default)
        if any(isinstance(value, bool) or not isinstance(value, int) for value in values):
            raise RecordError(self.where, f"{key!r} is not a list of whole numbers: {values!r}")
        return tuple(values)


def _read_deal(line: _Fields) -> DealRecord:
    trump = line.get("trump", str, type(None))
    discard = line.get("discard", str, type(None))
    points = line.get("points", list, type(None))
    return DealRecord(
        number=line.get("n", int),
        forced=line.get("forced", bool),
        first_bidder=SEATS[line.get("first", int)],
        cards=Cards(
            tuple(Hand.parse(str(hand)).mask for hand in line.get("hands", list)),
            tuple(map(Tile.parse, line.words("middle"))),
        ),
        bids=tuple(map(Bid.parse, line.words("bids"))),
        trump=None if trump is None else Trump.parse(trump),
        taken=line.get("taken", bool, type(None)),
        discarded=None if discard is None else Tile.parse(discard),
        plays=tuple(map(Tile.parse, line.words("plays"))),
        called=tuple(map(parse_suit, line.words("called", default=""))),
        tricks_won=line.ints("tricks"),
        made=line.get("made", bool, type(None)),
        points=None if points is None else line.ints("points"),
        unasked=line.ints("unasked", default=[]),
        faults=tuple(
            FaultMark(int(at), int(seat), FaultKind(kind))
            for at, seat, kind in line.get("faults", list, default=[])
        ),
    )


def parse_suit(text: str) -> Suit:
    """Returns the suit written ``0`` to ``6`` or ``doubles``.

    Raises:
        ValueError: if *text* names no suit.
    """
    for suit in SUITS:
        if str(suit) == text:
            return suit
    raise ValueError(f"not a suit: {text!r} (a suit is 0 to 6 or doubles)")


def _read_match(head: _Fields, deals: tuple[DealRecord, ...], end: _Fields) -> MatchRecord:
    version = head.get("v", int)
    if version != VERSION:
        raise RecordError(head.where, f"is format {version}; this program reads format {VERSION}")
    terms: Terms = head.guard(
        lambda line: Terms(
            parse_rules(line.text("rules")),
            line.get("deals", int, type(None), default=None),
            line.get("max_deals", int, default=DEFAULT_MAX_DEALS),
        )
    )
    result: Result = end.guard(
        lambda line: Result(
            Ending(line.text("ending")),
            line.ints("scores"),
            line.ints("places"),
            line.get("forfeit", int, type(None), default=None),
        )
    )
    return MatchRecord(
        head.text("table"),
        terms,
        tuple(map(str, head.get("seats", list))),
        head.get("ask_forced", bool, default=False),
        head.get("strikes", int, default=2),
        deals,
        result,
    )
