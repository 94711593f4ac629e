"""The small values: which number stands for which tile, trump, suit, bid and exchange.

Towards the wire a value is an index into a tuple. From the wire a number is looked up in a dict,
so that a negative or unknown number is refused and never wraps round to a real value; zero is
always "unspecified" and is in no table.
"""

from __future__ import annotations

from moon.v1 import table_pb2 as pb

from referee.rules import SEATS, SUITS, TILES, TRUMPS, Bid, Seat, Suit, Tile, Trump

TILE_TO_WIRE: tuple[pb.Tile.ValueType, ...] = tuple(
    pb.Tile.Value(f"TILE_{tile.high}_{tile.low}") for tile in TILES
)
"""By tile."""
TRUMP_TO_WIRE: tuple[pb.Trump.ValueType, ...] = tuple(
    pb.Trump.Value(f"TRUMP_{trump.name}") for trump in TRUMPS
)
"""By trump."""
SUIT_TO_WIRE: tuple[pb.Suit.ValueType, ...] = tuple(
    pb.Suit.Value(f"SUIT_{suit.name}") for suit in SUITS
)
"""By suit."""
BID_TO_WIRE: tuple[pb.Bid.ValueType, ...] = tuple(
    pb.Bid.Value(f"BID_{Bid(number).name}") if number in set(Bid) else pb.BID_UNSPECIFIED
    for number in range(Bid.DOUBLE_MOON + 1)
)
"""By bid; the numbers between the bids stand for nothing."""
TAKE_TO_WIRE: tuple[pb.Exchange.ValueType, ...] = (pb.EXCHANGE_LEAVE, pb.EXCHANGE_TAKE)
"""By whether the widow is taken."""

TILE_FROM_WIRE: dict[int, Tile] = {TILE_TO_WIRE[tile]: tile for tile in TILES}
TRUMP_FROM_WIRE: dict[int, Trump] = {TRUMP_TO_WIRE[trump]: trump for trump in TRUMPS}
SUIT_FROM_WIRE: dict[int, Suit] = {SUIT_TO_WIRE[suit]: suit for suit in SUITS}
BID_FROM_WIRE: dict[int, Bid] = {BID_TO_WIRE[bid]: bid for bid in Bid}
TAKE_FROM_WIRE: dict[int, bool] = {TAKE_TO_WIRE[take]: take for take in (False, True)}
SEAT_FROM_WIRE: dict[int, Seat] = {int(seat): seat for seat in SEATS}
