"""A playout is only a faster way to step to the end of a deal."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from referee.rules import Deal, playout
from tests.rules.strategies import states


def stepped(deal: Deal, rng: random.Random) -> tuple[int, ...]:
    """Plays on as `playout` says it does, through the step interface."""
    while (decision := deal.decision) is not None:
        at = int(rng.random() * len(decision.legal)) if len(decision.legal) > 1 else 0
        deal = deal.play(decision.legal[at])
    return deal.tricks_won


@given(states(), st.integers(0, 2**32))
@settings(max_examples=300)
def test_a_playout_is_the_step_interface_with_the_same_draws(deal: Deal, seed: int) -> None:
    fast, slow = random.Random(seed), random.Random(seed)
    before = hash(deal)
    assert playout(deal, fast) == stepped(deal, slow)
    assert fast.random() == slow.random()
    assert hash(deal) == before
