"""Each bot is stronger than the one before it: small, with fixed deals, and with a wide margin.

The figures themselves come from ``benchmarks/strength.py``, whose blocks these are.
"""

from __future__ import annotations

import statistics
from functools import partial

import pytest

from benchmarks.strength import GAMES, STEPS, Block, Step, block
from referee.bots.samples import sample_names


def played(weaker: str, stronger: str, rules: str, blocks: int) -> list[Block]:
    step = Step(weaker, stronger, rules, deals=None, seed="tests")
    return list(map(partial(block, step), range(blocks)))


@pytest.mark.parametrize("rules", GAMES)
@pytest.mark.parametrize(
    ("weaker", "stronger", "blocks", "margin"),
    [
        ("first_legal", "random", 120, 0.03),
        ("random", "greedy", 10, 0.8),
        ("greedy", "counter", 40, 0.4),
        # Against counter it would take more blocks than a test has time for.
        ("greedy", "sampler?samples=8", 8, 0.4),
    ],
)
def test_each_bot_beats_a_weaker_one(
    rules: str, weaker: str, stronger: str, blocks: int, margin: float
) -> None:
    found = played(weaker, stronger, rules, blocks)
    assert statistics.mean(b.points[1] - b.points[0] for b in found) > margin
    assert statistics.mean(b.wins[1] - b.wins[0] for b in found) > 0


@pytest.mark.parametrize("rules", GAMES)
def test_the_same_block_comes_out_the_same(rules: str) -> None:
    assert played("random", "counter", rules, 2) == played("random", "counter", rules, 2)


def test_pairs_of_the_same_bot_are_level_in_every_block() -> None:
    """Both pairs meet the same deals from both sides, so what is left could only be a mistake."""
    for one in played("counter", "counter", "tournament-4p", 3):
        assert one.points[0] == pytest.approx(one.points[1])
        assert one.wins == (0.5, 0.5)


def test_every_sample_bot_is_measured() -> None:
    assert set(sample_names()) == set(STEPS)
