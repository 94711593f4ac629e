"""What a bot is told arrives as it was said."""

from __future__ import annotations

import pytest
from moon.v1 import bot_service_pb2 as pb

from referee.rules import SEATS, Bid, Trump
from referee.wire.errors import WireError
from referee.wire.notices import DealEnded, MatchEnded, Notice, decode_notice, encode_notice

PLAYED = DealEnded(
    match_id="m",
    seat=SEATS[2],
    deal_number=0,
    declarer=SEATS[0],
    contract=Bid.FIVE,
    trump=Trump.BLANKS,
    tricks_won=(0, 3, 4),
    points=(-5, 3, 4),
    scores=(-12, 20, 21),
)
THROWN_IN = DealEnded(
    match_id="m",
    seat=SEATS[0],
    deal_number=3,
    declarer=None,
    contract=Bid.PASS,
    trump=None,
    tricks_won=(0, 0, 0),
    points=(0, 0, 0),
    scores=(1, 2, 3),
)
OVER = MatchEnded(match_id="m", seat=SEATS[1], scores=(-40, 21), places=(2, 1))


@pytest.mark.parametrize(
    "notice",
    [
        pytest.param(PLAYED, id="seat-0-and-blanks-are-not-taken-for-absent"),
        pytest.param(THROWN_IN, id="thrown-in"),
        pytest.param(OVER, id="match-over"),
    ],
)
def test_a_notice_arrives_as_it_was_said(notice: Notice) -> None:
    message = pb.NotifyRequest.FromString(encode_notice(notice).SerializeToString())
    assert decode_notice(message) == notice


def test_a_notice_that_tells_nothing_is_refused() -> None:
    with pytest.raises(WireError, match=r"^notice\.event is unset$"):
        decode_notice(pb.NotifyRequest(match_id="m"))


def test_a_notice_with_a_bid_that_does_not_exist_is_refused() -> None:
    message = encode_notice(PLAYED)
    message.deal_ended.contract = 77  # type: ignore[assignment]
    with pytest.raises(WireError, match="holds 77, which stands for nothing"):
        decode_notice(message)
