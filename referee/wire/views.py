"""The view of a seat, from a message. How it is written is in `referee.wire.packing`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from moon.v1 import table_pb2 as pb

from referee.rules import (
    Bid,
    Decision,
    Hand,
    RulesError,
    parse_rules,
)
from referee.rules.tiles import hand_of
from referee.rules.views import ViewT, view_of
from referee.wire.errors import WireError
from referee.wire.values import (
    BID_FROM_WIRE,
    SEAT_FROM_WIRE,
    SUIT_FROM_WIRE,
    TAKE_FROM_WIRE,
    TILE_FROM_WIRE,
    TRUMP_FROM_WIRE,
)

_tile_from_wire = TILE_FROM_WIRE.__getitem__
_bid_from_wire = BID_FROM_WIRE.__getitem__
_suit_from_wire = SUIT_FROM_WIRE.__getitem__
_seat_from_wire = SEAT_FROM_WIRE.__getitem__

_BITS = {number: 1 << tile for number, tile in TILE_FROM_WIRE.items()}


def _read_hand(message: pb.View) -> Hand:
    mask = 0
    for number in message.hand[:]:
        mask |= _BITS[number]
    return hand_of(mask)


# A slice of a repeated field is a list that protobuf makes at once; to walk over the field itself
# takes twice as long.
FIELDS: dict[str, Callable[[pb.View], Any]] = {
    "rules": lambda message: parse_rules(message.rules),
    "seat": lambda message: SEAT_FROM_WIRE[message.seat],
    "scores": lambda message: tuple(message.scores[:]),
    "deal_number": lambda message: message.deal_number,
    "deals": lambda message: message.deals if message.HasField("deals") else None,
    "forced": lambda message: message.forced,
    "hand": _read_hand,
    "first_bidder": lambda message: SEAT_FROM_WIRE[message.first_bidder],
    "bids": lambda message: tuple(map(_bid_from_wire, message.bids[:])),
    "declarer": lambda message: (
        SEAT_FROM_WIRE[message.declarer] if message.HasField("declarer") else None
    ),
    "contract": lambda message: BID_FROM_WIRE[message.contract] if message.contract else Bid.PASS,
    "trump": lambda message: TRUMP_FROM_WIRE[message.trump] if message.trump else None,
    "taken": lambda message: TAKE_FROM_WIRE[message.exchange] if message.exchange else None,
    "widow": lambda message: TILE_FROM_WIRE[message.widow] if message.widow else None,
    "discarded": lambda message: TILE_FROM_WIRE[message.discarded] if message.discarded else None,
    "plays": lambda message: tuple(map(_tile_from_wire, message.plays[:])),
    "leaders": lambda message: tuple(map(_seat_from_wire, message.leaders[:])),
    "called": lambda message: tuple(map(_suit_from_wire, message.called_suits[:])),
    "tricks_won": lambda message: tuple(message.tricks_won[:]),
}
"""By field of a view, in the order of `ViewFields`: what reads it. The question is not among them.
Each raises what `refusal` explains."""

UNREADABLE = (KeyError, RulesError)
"""What a reader raises for a value that stands for nothing."""


def decode_view(message: pb.View, decision: Decision | None, into: type[ViewT]) -> ViewT:
    """Returns the view in *message*, as *into*, with *decision* as its question.

    Raises:
        WireError: if the message is not a view of a table that these rules allow.
    """
    try:
        fields: Any = (*[read(message) for read in FIELDS.values()], decision)
    except UNREADABLE as error:
        raise refusal(message, error) from None
    return view_of(into, fields)


def refusal(message: pb.View, error: KeyError | RulesError) -> WireError:
    """Returns the error that says what in *message* made a reader raise *error*."""
    if isinstance(error, RulesError):
        return WireError("view.rules", f"cannot be read: {error}")
    return _unknown(message, error.args[0])


def _unknown(message: pb.View, number: int) -> WireError:
    """Returns the error that names the field of *message* in which *number* means nothing."""
    one = SEAT_FROM_WIRE
    fields: list[tuple[str, Iterable[int], Iterable[int]]] = [
        ("hand", message.hand, TILE_FROM_WIRE),
        ("seat", [message.seat], one),
        ("first_bidder", [message.first_bidder], one),
        ("bids", message.bids, BID_FROM_WIRE),
        ("declarer", [message.declarer], one),
        ("contract", [message.contract or 1], BID_FROM_WIRE),
        ("trump", [message.trump or 1], TRUMP_FROM_WIRE),
        ("exchange", [message.exchange or 1], TAKE_FROM_WIRE),
        ("widow", [message.widow or 1], TILE_FROM_WIRE),
        ("discarded", [message.discarded or 1], TILE_FROM_WIRE),
        ("plays", message.plays, TILE_FROM_WIRE),
        ("leaders", message.leaders, one),
        ("called_suits", message.called_suits, SUIT_FROM_WIRE),
    ]
    wrong = [name for name, found, known in fields if not set(found) <= set(known)]
    return WireError(f"view.{wrong[0]}", f"holds {number}, which stands for nothing")
