"""The view of a seat, from a message. How it is written is in `referee.wire.packing`."""

from __future__ import annotations

from collections.abc import Iterable

from moon.v1 import table_pb2 as pb

from referee.rules import (
    Bid,
    Decision,
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
