"""What a bot is told about a match, when it asked for it: public facts only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from moon.v1 import bot_service_pb2 as pb
from moon.v1 import table_pb2

from referee.rules import Bid, Seat, Trump
from referee.wire.errors import WireError
from referee.wire.values import (
    BID_FROM_WIRE,
    BID_TO_WIRE,
    SEAT_FROM_WIRE,
    TRUMP_FROM_WIRE,
    TRUMP_TO_WIRE,
)


@dataclass(frozen=True, slots=True)
class DealEnded:
    """A deal was played to its end, or thrown in."""

    match_id: str
    seat: Seat
    """The seat of the bot that is told."""
    deal_number: int
    declarer: Seat | None
    """Who played the contract, or ``None`` when everybody passed."""
    contract: Bid
    """The contract, or a pass when everybody passed."""
    trump: Trump | None
    tricks_won: tuple[int, ...]
    """By seat."""
    points: tuple[int, ...]
    """By side: what the deal was worth."""
    scores: tuple[int, ...]
    """By side: the score after the deal."""


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """The match is over."""

    match_id: str
    seat: Seat
    """The seat of the bot that is told."""
    scores: tuple[int, ...]
    """By side."""
    places: tuple[int, ...]
    """By side, from 1; sides that are level share a place."""


Notice: TypeAlias = DealEnded | MatchEnded
"""What a bot can be told."""

NOTIFICATIONS: dict[type[Notice], pb.Notification.ValueType] = {
    DealEnded: pb.NOTIFICATION_DEAL_ENDED,
    MatchEnded: pb.NOTIFICATION_MATCH_ENDED,
}
"""By kind of notice: what a bot asks for to be told."""


def encode_notice(notice: Notice) -> pb.NotifyRequest:
    """Returns *notice* as a message."""
    match notice:
        case DealEnded():
            trump = notice.trump
            event = pb.DealEnded(
                deal_number=notice.deal_number,
                declarer=notice.declarer,
                contract=BID_TO_WIRE[notice.contract]
                if notice.contract
                else table_pb2.BID_UNSPECIFIED,
                trump=table_pb2.TRUMP_UNSPECIFIED if trump is None else TRUMP_TO_WIRE[trump],
                tricks_won=notice.tricks_won,
                points=notice.points,
                scores=notice.scores,
            )
            return pb.NotifyRequest(match_id=notice.match_id, seat=notice.seat, deal_ended=event)
        case MatchEnded():
            return pb.NotifyRequest(
                match_id=notice.match_id,
                seat=notice.seat,
                match_ended=pb.MatchEnded(scores=notice.scores, places=notice.places),
            )


def decode_notice(message: pb.NotifyRequest) -> Notice:
    """Returns the notice in *message*.

    Raises:
        WireError: if it tells nothing, or holds values that stand for nothing.
    """
    try:
        seat = SEAT_FROM_WIRE[message.seat]
        match message.WhichOneof("event"):
            case "deal_ended":
                return _deal_ended(message.match_id, seat, message.deal_ended)
            case "match_ended":
                ended = message.match_ended
                return MatchEnded(message.match_id, seat, tuple(ended.scores), tuple(ended.places))
            case _:
                raise WireError("notice.event", "is unset")
    except KeyError as error:
        raise WireError("notice", f"holds {error.args[0]}, which stands for nothing") from None


def _deal_ended(match_id: str, seat: Seat, event: pb.DealEnded) -> DealEnded:
    return DealEnded(
        match_id,
        seat,
        event.deal_number,
        SEAT_FROM_WIRE[event.declarer] if event.HasField("declarer") else None,
        BID_FROM_WIRE[event.contract] if event.contract else Bid.PASS,
        TRUMP_FROM_WIRE[event.trump] if event.trump else None,
        tuple(event.tricks_won),
        tuple(event.points),
        tuple(event.scores),
    )
