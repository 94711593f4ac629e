"""A playout is only a faster way to step to the end of a deal."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.rules import Deal, playout, preset_rules, presets
from tests.rules.lockstep import dealt
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


@pytest.mark.parametrize("name", presets())
def test_a_playout_from_anywhere_is_the_step_interface_under_every_preset(name: str) -> None:
    for number in range(100):
        rng = random.Random(f"{name} {number}")
        deal = dealt(preset_rules(name), rng)
        for _ in range(rng.randrange(30)):
            if deal.decision is not None:
                deal = deal.play(rng.choice(deal.decision.legal))
        seed = rng.random()
        result = playout(deal, random.Random(seed))
        assert result == stepped(deal, random.Random(seed))
        assert sum(result) in ((7,) if deal.declarer is not None else (0, 7))


def test_a_seat_wins_as_many_tricks_in_playouts_as_when_they_are_stepped_through() -> None:
    """Each with draws of its own: what counts is how often each number of tricks comes up."""
    deal = dealt(preset_rules("tournament-3p"), random.Random(11), forced=True)
    count, fast, slow = 4_000, random.Random(1), random.Random(2)
    played = Counter(playout(deal, fast)[0] for _ in range(count))
    steps = Counter(stepped(deal, slow)[0] for _ in range(count))
    # Two samples of one distribution; see the chi-square of a table of two columns.
    seen = [(played[tricks], steps[tricks]) for tricks in sorted(played | steps)]
    chi_square = sum((one - other) ** 2 / (one + other) for one, other in seen)
    assert len(seen) >= 6
    assert chi_square < 26.1, seen  # of 8 cells at most: exceeded once in 2,000 with 7 freedoms


def test_playouts_of_one_deal_differ_and_follow_from_the_seed() -> None:
    deal = dealt(preset_rules("tournament-3p"), random.Random(5), forced=True)
    results = [playout(deal, random.Random(seed)) for seed in range(200)]
    assert results == [playout(deal, random.Random(seed)) for seed in range(200)]
    assert len(set(results)) > 10
