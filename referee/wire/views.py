"""The view of a seat as a message, and back.

`view_fields` is asked for every decision of every table, so it does lookups and nothing else. All
it can write is what a `referee.rules.View` holds, and a view holds only what its seat may know.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from moon.v1 import table_pb2 as pb

from referee.rules import (
    Bid,
    Decision,
    RulesError,
    View,
    parse_rules,
    rules_text,
)
from referee.rules.tiles import hand_of
from referee.rules.views import ViewT, view_of
from referee.wire.errors import WireError
from referee.wire.values import (
    BID_FROM_WIRE,
    BID_TO_WIRE,
    SEAT_FROM_WIRE,
    SUIT_FROM_WIRE,
    SUIT_TO_WIRE,
    TAKE_FROM_WIRE,
    TAKE_TO_WIRE,
    TILE_FROM_WIRE,
    TILE_TO_WIRE,
    TRUMP_FROM_WIRE,
    TRUMP_TO_WIRE,
)

_tile_to_wire = TILE_TO_WIRE.__getitem__
_bid_to_wire = BID_TO_WIRE.__getitem__
_suit_to_wire = SUIT_TO_WIRE.__getitem__
_tile_from_wire = TILE_FROM_WIRE.__getitem__
_bid_from_wire = BID_FROM_WIRE.__getitem__
_suit_from_wire = SUIT_FROM_WIRE.__getitem__
_seat_from_wire = SEAT_FROM_WIRE.__getitem__

# A hand is read in four pieces of seven bits; each piece is a lookup of its tiles.
_PIECES = tuple(
    tuple([TILE_TO_WIRE[low + bit] for bit in range(7) if piece >> bit & 1] for piece in range(128))
    for low in (0, 7, 14, 21)
)
_BITS = {number: 1 << tile for number, tile in TILE_FROM_WIRE.items()}


def view_fields(view: View) -> dict[str, Any]:
    """Returns the fields of the `pb.View` that stands for *view*, but those that are not set.

    The question is not among them. Another message takes them as its member without a copy, which
    a message that was made of them would need.
    """
    mask = view.hand.mask
    first, second, third, fourth = _PIECES
    fields: dict[str, Any] = {
        "rules": rules_text(view.rules),
        "seat": view.seat,
        "scores": view.scores,
        "deal_number": view.deal_number,
        "deals": view.deals,
        "hand": first[mask & 127]
        + second[mask >> 7 & 127]
        + third[mask >> 14 & 127]
        + fourth[mask >> 21],
        "first_bidder": view.first_bidder,
        "bids": [*map(_bid_to_wire, view.bids)],
        "declarer": view.declarer,
        "plays": [*map(_tile_to_wire, view.plays)],
        "leaders": view.leaders,
        "tricks_won": view.tricks_won,
    }
    if view.forced:
        fields["forced"] = True
    if view.contract:
        fields["contract"] = BID_TO_WIRE[view.contract]
    if view.trump is not None:
        fields["trump"] = TRUMP_TO_WIRE[view.trump]
    if view.taken is not None:
        fields["exchange"] = TAKE_TO_WIRE[view.taken]
    if view.widow is not None:
        fields["widow"] = TILE_TO_WIRE[view.widow]
    if view.discarded is not None:
        fields["discarded"] = TILE_TO_WIRE[view.discarded]
    if view.called:
        fields["called_suits"] = [*map(_suit_to_wire, view.called)]
    return fields


def decode_view(message: pb.View, decision: Decision | None, into: type[ViewT]) -> ViewT:
    """Returns the view in *message*, as *into*, with *decision* as its question.

    Raises:
        WireError: if the message is not a view of a table that these rules allow.
    """
    try:
        mask = 0
        for number in message.hand:
            mask |= _BITS[number]
        has, contract, trump = message.HasField, message.contract, message.trump
        exchange, widow, discarded = message.exchange, message.widow, message.discarded
        return view_of(
            into,
            (
                parse_rules(message.rules),
                SEAT_FROM_WIRE[message.seat],
                tuple(message.scores),
                message.deal_number,
                message.deals if has("deals") else None,
                message.forced,
                hand_of(mask),
                SEAT_FROM_WIRE[message.first_bidder],
                tuple(map(_bid_from_wire, message.bids)),
                SEAT_FROM_WIRE[message.declarer] if has("declarer") else None,
                BID_FROM_WIRE[contract] if contract else Bid.PASS,
                TRUMP_FROM_WIRE[trump] if trump else None,
                TAKE_FROM_WIRE[exchange] if exchange else None,
                TILE_FROM_WIRE[widow] if widow else None,
                TILE_FROM_WIRE[discarded] if discarded else None,
                tuple(map(_tile_from_wire, message.plays)),
                tuple(map(_seat_from_wire, message.leaders)),
                tuple(map(_suit_from_wire, message.called_suits)),
                tuple(message.tricks_won),
                decision,
            ),
        )
    except KeyError as error:
        raise _unknown(message, error.args[0]) from None
    except RulesError as error:
        raise WireError("view.rules", f"cannot be read: {error}") from None


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
