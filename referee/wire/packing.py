"""A question as the bytes that travel, written in one go.

To fill a message of protobuf from Python and have it written takes four times as long as to join
its fields, of which nearly all are one small number or a short row of them: this is what a decision
costs the referee most. So the fields are joined here, and a test says that protobuf would have
written the same bytes. The form is that of the protobuf encoding guide: a field is a key (its
number and a wire type), then a varint, or a length and so many bytes; fields stand in the order of
their numbers, and one that holds zero is left out unless the .proto calls it optional.

All that can be written is what a `referee.rules.View` holds, and a view holds only what its seat
may know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

from google.protobuf.descriptor import Descriptor
from moon.v1 import bot_service_pb2 as pb
from moon.v1 import table_pb2 as pb_table

from referee.rules import (
    SEATS,
    TILES,
    TRUMPS,
    Bid,
    Decision,
    Kind,
    Play,
    Rules,
    View,
    rules_text,
)
from referee.wire.values import (
    BID_TO_WIRE,
    SUIT_TO_WIRE,
    TAKE_TO_WIRE,
    TILE_TO_WIRE,
    TRUMP_TO_WIRE,
)

_new = tuple.__new__


class DecisionMessage(NamedTuple):
    """A question on its way to a bot."""

    match_id: str
    """What the match is called towards this bot."""
    decision_number: int
    """The number of the choice in the match, from 1."""
    data: bytes
    """A serialized `DecideRequest`. It is a `PlayRequest` with one decision as well, and one after
    the other such requests are a `PlayRequest` with them all: both have the decision in the same
    field, and what is repeated may stand anywhere."""

    @property
    def key(self) -> tuple[str, int]:
        """What the answer names it by."""
        return self.match_id, self.decision_number

    @property
    def decision(self) -> pb.Decision:
        """The question as a message of protobuf."""
        return pb.DecideRequest.FromString(self.data).decision


# The pieces. Numbers below 128 are varints of one byte, and so are all of ours but a few.

_VARINT, _BYTES = 0, 2
"""Wire types."""


def _long_varint(number: int) -> bytes:
    """Returns *number* in groups of seven bits, the lowest first."""
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    found.append(number)
    return bytes(found)


_VARINTS = tuple(map(_long_varint, range(1 << 11)))
"""By number: its varint, for those that are needed all the time."""


def _varint(number: int) -> bytes:
    return _VARINTS[number] if 0 <= number < len(_VARINTS) else _long_varint(number)


def _int32(number: int) -> bytes:
    """Returns *number* as an int32 is written: a negative one with 64 bits.

    Raises:
        ValueError: if it needs more bits.
    """
    if not -(1 << 31) <= number < 1 << 31:
        raise ValueError(f"does not fit into 32 bits: {number}")
    return _varint(number & (1 << 64) - 1)


@cache
def _key(kind: Descriptor, field: str, wire_type: int) -> bytes:
    return _varint(kind.fields_by_name[field].number << 3 | wire_type)


def _filled(kind: Descriptor, field: str, content: bytes) -> bytes:
    """Returns a *field* of bytes, text, or a message."""
    return _key(kind, field, _BYTES) + _varint(len(content)) + content


def _number(kind: Descriptor, field: str, number: int) -> bytes:
    """Returns a *field* that holds one number."""
    return _key(kind, field, _VARINT) + _int32(number)


def _by_value(
    kind: Descriptor, field: str, values: Iterable[int], numbers: Sequence[int] = range(64)
) -> dict[int | None, bytes]:
    """Returns by value how *field* holds it.

    Args:
        kind: The message.
        field: The field.
        values: Every value; ``None``, which leaves the field out, is added.
        numbers: By value: what stands for it on the wire.
    """
    return {None: b"", **{value: _number(kind, field, numbers[value]) for value in values}}


_DECISION, _VIEW = pb.Decision.DESCRIPTOR, pb_table.View.DESCRIPTOR
_OUTER_KEY = _key(pb.DecideRequest.DESCRIPTOR, "decision", _BYTES)
_VIEW_KEY = _key(_DECISION, "view", _BYTES)
_NUMBER_KEY = _key(_DECISION, "decision_number", _VARINT)

_SEAT = _by_value(_VIEW, "seat", SEATS) | {0: b""}
_FIRST_BIDDER = _by_value(_VIEW, "first_bidder", SEATS) | {0: b""}
_FORCED = (b"", _number(_VIEW, "forced", True))
_DECLARER = _by_value(_VIEW, "declarer", SEATS)
_CONTRACT = _by_value(_VIEW, "contract", Bid, BID_TO_WIRE) | {Bid.PASS: b""}
_TRUMP = _by_value(_VIEW, "trump", TRUMPS, TRUMP_TO_WIRE)
_TAKEN = _by_value(_VIEW, "exchange", (False, True), TAKE_TO_WIRE)
_WIDOW = _by_value(_VIEW, "widow", TILES, TILE_TO_WIRE)
_DISCARDED = _by_value(_VIEW, "discarded", TILES, TILE_TO_WIRE)

# What translates the values of a row into the numbers that stand for them on the wire.
_ROW_OF_TILES = bytes(TILE_TO_WIRE).ljust(256, b"\0")
_ROW_OF_BIDS = bytes(BID_TO_WIRE).ljust(256, b"\0")
_ROW_OF_SUITS = bytes(SUIT_TO_WIRE).ljust(256, b"\0")


def _row_heads(kind: Descriptor, field: str) -> tuple[bytes, ...]:
    """Returns by length what stands before a row of numbers below 128; nothing before none."""
    key = _key(kind, field, _BYTES)
    return (b"", *[key + _varint(length) for length in range(1, 128)])


_HAND_HEADS = _row_heads(_VIEW, "hand")
_BID_HEADS = _row_heads(_VIEW, "bids")
_PLAY_HEADS = _row_heads(_VIEW, "plays")
_LEADER_HEADS = _row_heads(_VIEW, "leaders")
_CALLED_HEADS = _row_heads(_VIEW, "called_suits")
_WON_HEADS = _row_heads(_VIEW, "tricks_won")

# A hand is read in four pieces of seven bits; each piece is a lookup of its tiles.
_PIECES = tuple(
    tuple(
        bytes([TILE_TO_WIRE[low + bit] for bit in range(7) if piece >> bit & 1])
        for piece in range(128)
    )
    for low in (0, 7, 14, 21)
)


@lru_cache(maxsize=256)
def _rules(rules: Rules) -> bytes:
    return _filled(_VIEW, "rules", rules_text(rules).encode())


@lru_cache(maxsize=1 << 12)  # it stays the same for a deal, and many tables come by the same
def _standing(scores: tuple[int, ...], deal_number: int, deals: int | None) -> bytes:
    """Returns the fields that say how the match stands."""
    zigzag = b"".join([_varint(score << 1 ^ score >> 31) for score in scores])
    return (
        (_filled(_VIEW, "scores", zigzag) if scores else b"")
        + (_number(_VIEW, "deal_number", deal_number) if deal_number else b"")
        + (b"" if deals is None else _number(_VIEW, "deals", deals))
    )


def pack_view(view: View) -> bytes:
    """Returns the serialized `pb.View` that stands for *view*. The question is not in it."""
    mask = view.hand.mask
    first, second, third, fourth = _PIECES
    hand = (
        first[mask & 127] + second[mask >> 7 & 127] + third[mask >> 14 & 127] + fourth[mask >> 21]
    )
    bids, plays, leaders, called = view.bids, view.plays, view.leaders, view.called
    return b"".join((
        _rules(view.rules),
        _SEAT[view.seat],
        _standing(view.scores, view.deal_number, view.deals),
        _HAND_HEADS[len(hand)], hand,
        _FIRST_BIDDER[view.first_bidder],
        _FORCED[view.forced],
        _BID_HEADS[len(bids)], bytes(bids).translate(_ROW_OF_BIDS),
        _DECLARER[view.declarer],
        _CONTRACT[view.contract],
        _TRUMP[view.trump],
        _TAKEN[view.taken],
        _WIDOW[view.widow],
        _DISCARDED[view.discarded],
        _PLAY_HEADS[len(plays)], bytes(plays).translate(_ROW_OF_TILES),
        _LEADER_HEADS[len(leaders)], bytes(leaders),
        _CALLED_HEADS[len(called)], bytes(called).translate(_ROW_OF_SUITS),
        _WON_HEADS[len(view.tricks_won)], bytes(view.tricks_won),
    ))  # fmt: skip


class _Prompt(NamedTuple):
    """How a question of one kind is written."""

    key: bytes
    heads: tuple[bytes, ...]
    """By number of legal values: what stands before them."""
    values: Callable[[tuple[Any, ...]], list[int]]
    """Returns the values of choices; a list that is made by name takes half as long as by a map."""
    row: bytes
    """What translates values into the numbers that stand for them."""


def _prompt(
    kind: Kind, field: str, values: Callable[[tuple[Any, ...]], list[int]], to_wire: Sequence[int]
) -> _Prompt:
    prompt = _DECISION.fields_by_name[kind.word].message_type
    assert prompt is not None, "every prompt is a message"
    key = _key(_DECISION, kind.word, _BYTES)
    # Short enough that the length of all of it is one byte too.
    heads = [
        key + _varint(len(head) + length) + head
        for length, head in enumerate(_row_heads(prompt, field)[:64])
    ]
    return _Prompt(key, tuple(heads), values, bytes(to_wire).ljust(256, b"\0"))


_PROMPTS = {
    Kind.BID: _prompt(Kind.BID, "legal_bids", lambda legal: [c.bid for c in legal], BID_TO_WIRE),
    Kind.TRUMP: _prompt(
        Kind.TRUMP, "legal_trumps", lambda legal: [c.trump for c in legal], TRUMP_TO_WIRE
    ),
    Kind.EXCHANGE: _prompt(
        Kind.EXCHANGE, "legal_exchanges", lambda legal: [c.take for c in legal], TAKE_TO_WIRE
    ),
    Kind.DISCARD: _prompt(
        Kind.DISCARD, "legal_tiles", lambda legal: [c.tile for c in legal], TILE_TO_WIRE
    ),
    Kind.PLAY: _prompt(
        Kind.PLAY, "legal_tiles", lambda legal: [c.tile for c in legal], TILE_TO_WIRE
    ),
}
_LEGAL_HEADS = _row_heads(pb.PlayPrompt.DESCRIPTOR, "legal_tiles")
_LEGAL_SUIT_HEADS = _row_heads(pb.PlayPrompt.DESCRIPTOR, "legal_called_suits")


def _pack_prompt(decision: Decision) -> bytes:
    """Returns the field of the `pb.Decision` that says what is asked."""
    legal: tuple[Any, ...] = decision.legal
    key, heads, values_of, row = _PROMPTS[decision.kind]
    values = bytes(values_of(legal)).translate(row)
    first = legal[0]
    if first.__class__ is not Play or first.called is None:
        return heads[len(values)] + values
    suits = bytes([play.called for play in legal]).translate(_ROW_OF_SUITS)
    content = _LEGAL_HEADS[len(values)] + values + _LEGAL_SUIT_HEADS[len(suits)] + suits
    return key + _varint(len(content)) + content


@lru_cache(maxsize=1 << 12)
def _match(match_id: str) -> bytes:
    return _filled(_DECISION, "match_id", match_id.encode()) if match_id else b""


@lru_cache(maxsize=1 << 12)
def _times(move_time_ms: int, bank_ms: int | None, charged_ms: int | None) -> bytes:
    """Returns the fields of the clock."""
    return (
        (_number(_DECISION, "move_time_ms", move_time_ms) if move_time_ms else b"")
        + (b"" if bank_ms is None else _number(_DECISION, "bank_ms", bank_ms))
        + (b"" if charged_ms is None else _number(_DECISION, "charged_ms", charged_ms))
    )


def pack_decision(
    view: View,
    *,
    match_id: str,
    number: int,
    move_time_ms: int,
    bank_ms: int | None = None,
    charged_ms: int | None = None,
) -> DecisionMessage:
    """Returns the question of *view* as it travels.

    Args:
        view: The table as the asked seat sees it, with its question.
        match_id: What the match is called towards this bot.
        number: The number of this choice in the match, over all seats, from 1.
        move_time_ms: The time allowed.
        bank_ms: What is left of the bank of the seat, if there is one.
        charged_ms: What the last answer of the seat in this match was charged, if there was one.
    """
    decision = view.decision
    assert decision is not None, "only a view with a question can be asked"
    seen, varints = pack_view(view), _VARINTS
    content = b"".join((
        _match(match_id),
        _NUMBER_KEY, varints[number] if 0 <= number < len(varints) else _int32(number),
        _VIEW_KEY, varints[len(seen)] if len(seen) < len(varints) else _varint(len(seen)), seen,
        _times(move_time_ms, bank_ms, charged_ms),
        _pack_prompt(decision),
    ))  # fmt: skip
    length = len(content)
    data = b"".join(
        (_OUTER_KEY, varints[length] if length < len(varints) else _varint(length), content)
    )
    return _new(DecisionMessage, (match_id, number, data))
