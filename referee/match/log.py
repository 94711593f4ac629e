"""Match records as JSON lines, and back.

One line for the match, one for each deal, one for the end. Tiles, bids and trumps are written as
in the rules (``6-4``, ``pass``, ``doubles``), seats and sides are numbers from 0. Every line holds
only what happened; no line holds a time. The keys, their order and their meaning are the format.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import msgspec

from referee.errors import MoonError
from referee.match.errors import RecordError
from referee.match.fields import (
    Fields,
    as_count,
    as_flag,
    as_hand,
    as_label,
    as_number,
    as_text,
    cut,
    decode,
    fault_of,
    list_of,
    maybe,
    one_of,
    parse_suit,
    seat_of,
    shown,
    word,
    words,
)
from referee.match.matches import Ending, Result, Terms
from referee.match.records import VERSION, DealRecord, MatchRecord
from referee.rules import TILES, Bid, Dealt, Rules, Tile, Trump, parse_rules, rules_text
from referee.rules.tiles import tiles_in

HEAD_KEYS = (
    "type", "v", "table", "rules", "deals", "max_deals", "seats", "ask_forced", "strikes",
)  # fmt: skip
"""The keys of the line of type ``match``, in their order."""
DEAL_KEYS = (
    "type", "n", "first", "forced", "hands", "middle", "bids", "trump", "taken", "discard", "plays",
    "called", "tricks", "made", "points", "unasked", "faults",
)  # fmt: skip
"""The keys of a line of type ``deal``, in their order."""
END_KEYS = ("type", "ending", "scores", "places", "forfeit")
"""The keys of the line of type ``end``, in their order."""
_OPTIONAL = ("called", "faults")
"""The keys that are left out when there is nothing to say."""

_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""What JSON allows as it is, but would end a line, move a cursor, or not be UTF-8."""


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
    return "".join((_line(head), *map(_deal_line, record.deals), _line(end)))


def _line(fields: Mapping[str, object]) -> str:
    text = json.dumps(fields, separators=(",", ":"), ensure_ascii=False)
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n"


_encode = msgspec.json.Encoder().encode
_TILES = tuple(map(str, TILES))


def _deal_line(deal: DealRecord) -> str:
    """Returns the line of a deal: all of it is ours and plain ASCII, so no more care is needed."""
    return _encode(_deal(deal)).decode("ascii") + "\n"


def _deal(deal: DealRecord) -> dict[str, object]:
    fields: dict[str, object] = {
        "type": "deal",
        "n": deal.number,
        "first": deal.first_bidder,
        "forced": deal.forced,
        "hands": [_words(reversed(tiles_in(mask))) for mask in deal.dealt.hands],
        "middle": _words(deal.dealt.middle),
        "bids": " ".join(map(str, deal.bids)),
        "trump": None if deal.trump is None else str(deal.trump),
        "taken": deal.taken,
        "discard": None if deal.discarded is None else str(deal.discarded),
        "plays": _words(deal.plays),
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


def _words(tiles: Iterable[Tile]) -> str:
    return " ".join([_TILES[tile] for tile in tiles])


def load_matches(lines: Iterable[str | bytes], source: str = "record") -> Iterator[MatchRecord]:
    """Yields every match of *lines*.

    What comes out has the shape of a match (so many hands, seats, tricks); whether it was played by
    the rules is for `verify_match` to say.

    Args:
        lines: The JSON lines of one or more matches. Empty lines are passed over.
        source: What the lines are called in an error, such as the file's name.

    Raises:
        RecordError: if a line is no JSON, no part of a record, or a match has no end; the message
            names the line and the key.
    """
    head: _Head | None = None
    deals: list[DealRecord] = []
    where = source
    for number, line in enumerate(lines, 1):
        where = f"{source}, line {number}"
        text = decode(where, line)
        if not text.strip():
            continue
        fields = Fields(where, text)
        kind = fields.read("type", as_text)
        if (kind == "match") != (head is None):
            problem = "a match begins before the last one has ended" if head else (
                f"expected a line of type 'match', not {shown(kind)}"
            )  # fmt: skip
            raise RecordError(where, problem)
        if head is None:
            head, deals = _read_head(fields), []
        elif kind == "deal":
            deals.append(_read_deal(fields, head.terms.rules))
        elif kind == "end":
            yield _read_match(head, tuple(deals), fields)
            head = None
        else:
            raise RecordError(where, f"a line of type {shown(kind)} is not known")
    if head is not None:
        raise RecordError(where, "the match has no line of type 'end': the record is cut off")


# The three kinds of lines.


class _Head(NamedTuple):
    """The first line of a match."""

    table: str
    terms: Terms
    seats: tuple[str, ...]
    ask_forced: bool
    strikes: int


def _read_head(line: Fields) -> _Head:
    version = line.read("v", as_number)
    if version != VERSION:
        problem = f"is format {shown(version)}; this program reads format {VERSION}"
        raise RecordError(line.where, problem)
    line.check_keys(HEAD_KEYS)
    rules = line.read("rules", word(parse_rules))
    deals = line.read("deals", maybe(as_number))
    max_deals = line.read("max_deals", as_number)
    try:
        terms = Terms(rules, deals, max_deals)
    except MoonError as error:
        raise RecordError(line.where, cut(str(error))) from None
    return _Head(
        line.read("table", as_label),
        terms,
        line.read("seats", list_of(as_text, rules.players)),
        line.read("ask_forced", as_flag),
        line.read("strikes", as_count),
    )


def _read_deal(line: Fields, rules: Rules) -> DealRecord:
    line.check_keys(DEAL_KEYS, _OPTIONAL)
    players = rules.players
    return DealRecord(
        number=line.read("n", as_count),
        forced=line.read("forced", as_flag),
        first_bidder=line.read("first", seat_of(players)),
        dealt=Dealt(
            line.read("hands", list_of(as_hand, players)), line.read("middle", words(Tile.parse))
        ),
        bids=line.read("bids", words(Bid.parse)),
        trump=line.read("trump", maybe(word(Trump.parse))),
        taken=line.read("taken", maybe(as_flag)),
        discarded=line.read("discard", maybe(word(Tile.parse))),
        plays=line.read("plays", words(Tile.parse)),
        called=line.read("called", words(parse_suit), default=""),
        tricks_won=line.read("tricks", list_of(as_count, players)),
        made=line.read("made", maybe(as_flag)),
        points=line.read("points", maybe(list_of(as_number, rules.side_count))),
        unasked=line.read("unasked", list_of(as_count)),
        faults=line.read("faults", list_of(fault_of(players)), default=[]),
    )


def _read_match(head: _Head, deals: tuple[DealRecord, ...], end: Fields) -> MatchRecord:
    end.check_keys(END_KEYS)
    rules = head.terms.rules
    result = Result(
        end.read("ending", one_of(Ending)),
        end.read("scores", list_of(as_number, rules.side_count)),
        end.read("places", list_of(as_count, rules.side_count)),
        end.read("forfeit", maybe(seat_of(rules.players))),
    )
    return MatchRecord(
        head.table, head.terms, head.seats, head.ask_forced, head.strikes, deals, result
    )
