"""A question as protobuf itself writes it, to judge what the program writes by hand."""

from __future__ import annotations

from typing import Any, cast

from moon.v1 import bot_service_pb2 as pb

from referee.rules import (
    Decision,
    Discard,
    Exchange,
    Kind,
    MakeBid,
    NameTrump,
    Play,
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


def request_of(view: View, **ids: Any) -> bytes:
    """Returns the request for the decision of *view*; *ids* are fields of it besides the view."""
    assert view.decision is not None
    prompt = prompt_fields(view.decision)
    decision = pb.Decision(view=view_fields(view), **ids, **prompt)  # type: ignore[arg-type]
    return pb.DecideRequest(decision=decision).SerializeToString()


def view_fields(view: View) -> dict[str, Any]:
    """Returns the fields of the `pb.View` that stands for *view*."""
    fields: dict[str, Any] = {
        "rules": rules_text(view.rules),
        "seat": view.seat,
        "scores": view.scores,
        "deal_number": view.deal_number,
        "deals": view.deals,
        "hand": [TILE_TO_WIRE[tile] for tile in view.hand],
        "first_bidder": view.first_bidder,
        "bids": [BID_TO_WIRE[bid] for bid in view.bids],
        "declarer": view.declarer,
        "plays": [TILE_TO_WIRE[tile] for tile in view.plays],
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
        fields["called_suits"] = [SUIT_TO_WIRE[suit] for suit in view.called]
    return fields


def prompt_fields(decision: Decision) -> dict[str, Any]:
    """Returns the member of the `pb.Decision` that asks *decision*, by its name."""
    legal = decision.legal
    match decision.kind:
        case Kind.PLAY:
            plays = cast("tuple[Play, ...]", legal)
            fields: dict[str, Any] = {"legal_tiles": [TILE_TO_WIRE[play.tile] for play in plays]}
            if plays[0].called is not None:
                suits = [play.called for play in plays if play.called is not None]
                fields["legal_called_suits"] = [SUIT_TO_WIRE[suit] for suit in suits]
            return {"play": fields}
        case Kind.BID:
            bids = cast("tuple[MakeBid, ...]", legal)
            return {"bid": {"legal_bids": [BID_TO_WIRE[choice.bid] for choice in bids]}}
        case Kind.TRUMP:
            trumps = cast("tuple[NameTrump, ...]", legal)
            return {"trump": {"legal_trumps": [TRUMP_TO_WIRE[choice.trump] for choice in trumps]}}
        case Kind.EXCHANGE:
            takes = cast("tuple[Exchange, ...]", legal)
            return {
                "exchange": {"legal_exchanges": [TAKE_TO_WIRE[choice.take] for choice in takes]}
            }
        case Kind.DISCARD:
            tiles = cast("tuple[Discard, ...]", legal)
            return {"discard": {"legal_tiles": [TILE_TO_WIRE[choice.tile] for choice in tiles]}}
