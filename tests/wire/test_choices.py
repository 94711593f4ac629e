"""Questions and answers over the wire; what does not fit is refused and says why."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from moon.v1 import bot_service_pb2 as pb
from moon.v1 import table_pb2 as table

from referee.rules import (
    SUITS,
    TILES,
    Decision,
    Discard,
    Kind,
    Play,
    Suit,
    Tile,
    View,
    preset_rules,
    presets,
)
from referee.rules.decisions import (
    BIDDING,
    CALLING,
    DISCARDING,
    LEAVE,
    NAMING,
    PLAYING,
    SEATS,
    TAKE,
)
from referee.wire.choices import decode_answer, decode_decision, encode_answer
from referee.wire.errors import WireError
from referee.wire.packing import pack_decision
from tests.wire.walks import questions

PRESETS = sorted(presets())


def asked(kind: Kind, preset: str = "kelley-3p") -> Decision:
    """Returns a question of *kind* from random play."""
    for seen in questions(preset_rules(preset), range(60)):
        assert seen.decision is not None
        if seen.decision.kind is kind:
            return seen.decision
    raise AssertionError(f"no {kind.word} question under {preset}")


LEAD = Decision(Kind.PLAY, SEATS[0], (CALLING[Tile.T64][6], CALLING[Tile.T64][4]))
"""A lead under rules where the leader calls the suit."""


@given(preset=st.sampled_from(PRESETS), seed=st.integers(0, 1_000_000))
def test_every_question_of_random_play_arrives_as_it_was_asked(preset: str, seed: int) -> None:
    for seen in questions(preset_rules(preset), range(seed, seed + 1)):
        sent = pack_decision(seen, match_id="abc", number=9, move_time_ms=250).decision
        message = pb.Decision.FromString(sent.SerializeToString())
        assert decode_decision(message, View) == seen
        assert (message.match_id, message.decision_number) == ("abc", 9)


@pytest.mark.parametrize(
    ("kind", "choices"),
    [
        (Kind.BID, list(BIDDING.values())),
        (Kind.TRUMP, list(NAMING)),
        (Kind.EXCHANGE, [TAKE, LEAVE]),
        (Kind.DISCARD, list(DISCARDING)),
        (Kind.PLAY, list(PLAYING)),
    ],
)
def test_every_choice_arrives_as_it_was_made_legal_or_not(
    kind: Kind, choices: list[Discard]
) -> None:
    question = asked(kind)
    for choice in choices:
        sent = encode_answer(choice, match_id="abc", number=9)
        answer = pb.Answer.FromString(sent.SerializeToString())
        assert decode_answer(answer, question) == choice
        assert (answer.match_id, answer.decision_number) == ("abc", 9)


def test_every_called_suit_arrives_callable_or_not() -> None:
    for tile in TILES:
        for suit in SUITS:
            choice = Play(tile, suit)
            assert decode_answer(encode_answer(choice, match_id="m", number=1), LEAD) == choice


def test_a_follower_under_rules_with_called_suits_calls_none() -> None:
    followers = [
        seen.decision
        for seen in questions(preset_rules("domino-play-3p"), range(5))
        if seen.decision and seen.decision.kind is Kind.PLAY and seen.trick and seen.trick.tiles
    ]
    for question in followers:
        choice = question.legal[0]
        assert decode_answer(encode_answer(choice, match_id="m", number=1), question) == choice


def test_the_clock_fields_are_absent_where_there_is_nothing_to_say() -> None:
    [first, *_] = questions(preset_rules("tournament-3p"), range(1))
    bare = pack_decision(first, match_id="m", number=1, move_time_ms=1000).decision
    assert not bare.HasField("bank_ms")
    assert not bare.HasField("charged_ms")
    full = pack_decision(
        first, match_id="m", number=1, move_time_ms=1000, bank_ms=0, charged_ms=0
    ).decision
    assert full.HasField("bank_ms")
    assert full.HasField("charged_ms")


@pytest.mark.parametrize(
    ("answer", "kind", "problem"),
    [
        pytest.param(pb.Answer(), Kind.PLAY, "answer.choice is unset (asked for play)", id="empty"),
        pytest.param(
            pb.Answer(play=table.TILE_UNSPECIFIED),
            Kind.PLAY,
            "answer.play is unspecified",
            id="unspecified-tile-is-not-the-double-blank",
        ),
        pytest.param(
            pb.Answer(bid=table.BID_UNSPECIFIED),
            Kind.BID,
            "answer.bid is unspecified",
            id="unspecified-bid-is-not-a-pass",
        ),
        pytest.param(
            pb.Answer(play=99),  # type: ignore[arg-type]
            Kind.PLAY,
            "answer.play holds 99, which stands for nothing",
            id="unknown-tile",
        ),
        pytest.param(
            pb.Answer(play=-1),  # type: ignore[arg-type]
            Kind.PLAY,
            "answer.play holds -1, which stands for nothing",
            id="negative-tile-is-not-counted-from-the-end",
        ),
        pytest.param(
            pb.Answer(trump=1 << 30),  # type: ignore[arg-type]
            Kind.TRUMP,
            "answer.trump holds 1073741824, which stands for nothing",
            id="unknown-trump",
        ),
        pytest.param(
            pb.Answer(discard=table.TILE_6_4),
            Kind.PLAY,
            "answer.choice is discard (asked for play)",
            id="discard-for-a-play",
        ),
        pytest.param(
            pb.Answer(play=table.TILE_6_4),
            Kind.DISCARD,
            "answer.choice is play (asked for discard)",
            id="play-for-a-discard",
        ),
        pytest.param(
            pb.Answer(bid=table.BID_PASS),
            Kind.EXCHANGE,
            "answer.choice is bid (asked for exchange)",
            id="bid-for-an-exchange",
        ),
        pytest.param(
            pb.Answer(exchange=7),  # type: ignore[arg-type]
            Kind.EXCHANGE,
            "answer.exchange holds 7, which stands for nothing",
            id="unknown-exchange",
        ),
        pytest.param(
            pb.Answer(play=table.TILE_6_4, called_suit=table.SUIT_SIXES),
            Kind.PLAY,
            "answer.called_suit is set, but no suit is to be called",
            id="suit-called-unasked",
        ),
        pytest.param(
            pb.Answer(bid=table.BID_PASS, called_suit=table.SUIT_SIXES),
            Kind.BID,
            "answer.called_suit is set, but no suit is to be called",
            id="suit-called-with-a-bid",
        ),
    ],
)
def test_an_answer_that_does_not_fit_is_refused_and_says_why(
    answer: pb.Answer, kind: Kind, problem: str
) -> None:
    with pytest.raises(WireError) as caught:
        decode_answer(answer, asked(kind))
    assert str(caught.value) == problem


@pytest.mark.parametrize(
    ("suit", "problem"),
    [
        (0, "answer.called_suit is unset; the leader calls the suit"),
        (99, "answer.called_suit holds 99, which stands for nothing; the leader calls the suit"),
    ],
)
def test_a_leader_who_must_call_a_suit_is_refused_without_one(suit: int, problem: str) -> None:
    answer = pb.Answer(play=table.TILE_6_4, called_suit=suit)  # type: ignore[arg-type]
    with pytest.raises(WireError) as caught:
        decode_answer(answer, LEAD)
    assert str(caught.value) == problem


def test_two_choices_in_one_message_are_judged_by_the_last_as_protobuf_reads_it() -> None:
    both = pb.Answer(bid=table.BID_MOON).SerializeToString()
    both += pb.Answer(play=table.TILE_6_4).SerializeToString()
    assert decode_answer(pb.Answer.FromString(both), asked(Kind.PLAY)) == Play(Tile.T64)


def question(**prompt: object) -> pb.Decision:
    [first, *_] = questions(preset_rules("tournament-3p"), range(1))
    message = pack_decision(first, match_id="m", number=1, move_time_ms=1000).decision
    message.ClearField("bid")
    message.MergeFrom(pb.Decision(**prompt))  # type: ignore[arg-type]
    return message


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        (question(), "decision.prompt is unset"),
        (question(play=pb.PlayPrompt()), "decision.play has no legal choices"),
        (
            question(bid=pb.BidPrompt(legal_bids=[0])),  # type: ignore[list-item]
            "decision.bid allows 0, which stands for nothing",
        ),
        (
            question(play=pb.PlayPrompt(legal_tiles=[1, 2], legal_called_suits=[1])),  # type: ignore[list-item]
            "decision.play has other suits than one that exists for every tile",
        ),
    ],
)
def test_a_question_that_means_nothing_is_refused(message: pb.Decision, problem: str) -> None:
    with pytest.raises(WireError) as caught:
        decode_decision(message, View)
    assert str(caught.value) == problem


def test_a_lead_with_called_suits_arrives_with_a_choice_for_each_suit() -> None:
    seen = next(
        seen
        for seen in questions(preset_rules("domino-play-3p"), range(9))
        if seen.decision and seen.decision.kind is Kind.PLAY and seen.trick and not seen.trick.tiles
    )
    assert seen.decision is not None
    arrived = decode_decision(
        pack_decision(seen, match_id="m", number=1, move_time_ms=1).decision, View
    )
    assert arrived.decision == seen.decision
    assert any(
        isinstance(choice, Play) and choice.called is Suit.SIXES for choice in arrived.choices
    )
