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


def test_a_decision_names_what_would_have_been_legal() -> None:
    decision = Decision(Kind.BID, SEATS[1], (MakeBid(Bid.PASS), MakeBid(Bid.SEVEN)))
    with pytest.raises(IllegalChoiceError, match="seat 1 may not bid 4; legal: pass, bid 7"):
        decision.check(MakeBid(Bid.FOUR))
