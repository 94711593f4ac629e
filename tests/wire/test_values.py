"""Every value of the rules has a number on the wire, and zero has no value."""

from __future__ import annotations

import pytest
from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
from moon.v1 import table_pb2 as pb

from referee.rules import SUITS, TILES, TRUMPS, Bid, Tile, Trump
from referee.wire import values

TABLES = [
    pytest.param(pb.Tile, values.TILE_FROM_WIRE, id="tile"),
    pytest.param(pb.Trump, values.TRUMP_FROM_WIRE, id="trump"),
    pytest.param(pb.Suit, values.SUIT_FROM_WIRE, id="suit"),
    pytest.param(pb.Bid, values.BID_FROM_WIRE, id="bid"),
    pytest.param(pb.Exchange, values.TAKE_FROM_WIRE, id="exchange"),
]


@pytest.mark.parametrize(("enum", "table"), TABLES)
def test_zero_stands_for_nothing_so_that_an_empty_answer_is_no_choice(
    enum: EnumTypeWrapper, table: dict[int, object]
) -> None:
    assert enum.Name(0).endswith("_UNSPECIFIED")
    assert 0 not in table


@pytest.mark.parametrize(("enum", "table"), TABLES)
def test_no_number_of_the_protocol_is_without_a_value(
    enum: EnumTypeWrapper, table: dict[int, object]
) -> None:
    assert set(table) == set(enum.values()) - {0}
    assert len(set(table.values())) == len(table)


def test_every_value_comes_back_as_itself() -> None:
    assert [values.TILE_FROM_WIRE[values.TILE_TO_WIRE[tile]] for tile in TILES] == list(TILES)
    assert [values.TRUMP_FROM_WIRE[values.TRUMP_TO_WIRE[t]] for t in TRUMPS] == list(TRUMPS)
    assert [values.SUIT_FROM_WIRE[values.SUIT_TO_WIRE[suit]] for suit in SUITS] == list(SUITS)
    assert [values.BID_FROM_WIRE[values.BID_TO_WIRE[bid]] for bid in Bid] == list(Bid)
    assert [values.TAKE_FROM_WIRE[values.TAKE_TO_WIRE[take]] for take in (0, 1)] == [False, True]


def test_a_tile_is_named_for_its_ends_so_that_other_languages_read_it_right() -> None:
    assert pb.Tile.Name(values.TILE_TO_WIRE[Tile.T64]) == "TILE_6_4"
    assert pb.Tile.Name(values.TILE_TO_WIRE[Tile.T00]) == "TILE_0_0"
    assert pb.Bid.Name(values.BID_TO_WIRE[Bid.MOON]) == "BID_MOON"
    assert pb.Trump.Name(values.TRUMP_TO_WIRE[Trump.NONE]) == "TRUMP_NONE"
    assert pb.Exchange.Name(values.TAKE_TO_WIRE[True]) == "EXCHANGE_TAKE"


@pytest.mark.parametrize("tile", TILES)
def test_the_number_of_a_tile_is_the_one_the_protocol_promises(tile: Tile) -> None:
    assert values.TILE_TO_WIRE[tile] == tile.high * (tile.high + 1) // 2 + tile.low + 1
