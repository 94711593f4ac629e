"""What is done with a choice that is not quite one of those offered."""

from __future__ import annotations

import random

import pytest

from referee.rules import (
    SEATS,
    Bid,
    Decision,
    IllegalChoiceError,
    Kind,
    MakeBid,
    Play,
    Suit,
    Tile,
    parse_rules,
)
from tests.rules.lockstep import dealt


def test_plain_numbers_in_a_choice_mean_what_they_equal() -> None:
    """A pass written as 0 once outbid nobody and won the auction."""
    rules = parse_rules("wikihow-3p")
    deal = dealt(rules, random.Random(1), forced=False)
    for _ in range(3):
        deal = deal.play(MakeBid(0))  # type: ignore[arg-type]
    assert deal.is_thrown_in


def test_a_plain_number_in_a_play_becomes_the_tile_and_the_suit_it_equals() -> None:
    rules = parse_rules("domino-play-3p")
    deal = dealt(rules, random.Random(1), forced=False)
    while deal.kind is not Kind.PLAY:
        assert deal.decision is not None
        deal = deal.play(deal.decision.legal[-1])
    assert deal.decision is not None
    led = deal.decision.legal[0]
    assert isinstance(led, Play)
    assert led.called is not None
    after = deal.play(Play(int(led.tile), int(led.called)))  # type: ignore[arg-type]
    assert after == deal.play(led)
    assert [type(value) for value in (*after.plays, *after.suits)] == [Tile, Suit]


def test_a_decision_names_what_would_have_been_legal() -> None:
    decision = Decision(Kind.BID, SEATS[1], (MakeBid(Bid.PASS), MakeBid(Bid.SEVEN)))
    with pytest.raises(IllegalChoiceError, match="seat 1 may not bid 4; legal: pass, bid 7"):
        decision.check(MakeBid(Bid.FOUR))
