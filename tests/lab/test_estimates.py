"""An interval counts a block as one observation, and holds as often as it says."""

from __future__ import annotations

import random

import pytest

from tournaments.lab import Estimate, Moments


def moments(*blocks: tuple[int, int]) -> Moments:
    found = Moments()
    for total, count in blocks:
        found.add(total, count)
    return found


def test_a_mean_over_blocks_has_the_interval_of_students_t() -> None:
    # Four blocks of two observations each; block means 1, 2, 3, 6: mean 3, variance 14/3.
    found = moments((2, 2), (4, 2), (6, 2), (12, 2)).as_mean()
    half = 3.182446 * (14 / 3 / 4) ** 0.5
    assert (found.value, found.count, found.blocks) == (3.0, 8, 4)
    assert found.low == pytest.approx(3 - half, rel=1e-6)
    assert found.high == pytest.approx(3 + half, rel=1e-6)


def test_observations_that_a_block_repeats_make_nothing_surer() -> None:
    once = moments((1, 1), (0, 1), (1, 1), (0, 1), (1, 1))
    often = moments((9, 9), (0, 9), (9, 9), (0, 9), (9, 9))
    for one, other in ((once.as_mean(), often.as_mean()), (once.as_share(), often.as_share())):
        assert other.count == 9 * one.count
        assert (other.low, other.high) == pytest.approx((one.low, one.high))


def test_the_bytes_are_the_same_in_whatever_order_blocks_come() -> None:
    rng = random.Random(1)
    blocks = [(rng.randrange(-40, 40), rng.randrange(1, 9)) for _ in range(500)]
    seen = set()
    for _ in range(5):
        rng.shuffle(blocks)
        seen.add(repr(moments(*blocks).as_mean(2)))
    assert len(seen) == 1


def test_little_evidence_is_never_shown_as_sureness() -> None:
    assert moments((3, 3)).as_share() == Estimate(1.0, None, None, 3, 1), "one block has no spread"
    assert moments((4, 1), (4, 1)).as_mean() == Estimate(4.0, None, None, 2, 2), "nor have equals"
    all_made = moments(*[(2, 2)] * 10).as_share()
    assert all_made.low is not None
    assert all_made.low < 0.72, "ten blocks that went well are no proof of nine in ten"
    assert moments((0, 5), (0, 5)).as_share().high == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_intervals_of_shares_cover_the_truth_when_tables_of_a_block_agree(share: float) -> None:
    rng = random.Random(2)
    covered = 0
    for _ in range(400):
        found = Moments()
        for _ in range(40):
            # Three tables on one deal: alike in two of three blocks.
            first = rng.random() < share
            alike = rng.random() < 0.67
            others = [first if alike else rng.random() < share for _ in range(2)]
            found.add(first + sum(others), 3)
        interval = found.as_share()
        assert interval.low is not None
        assert interval.high is not None
        covered += interval.low <= share <= interval.high
    assert covered >= 0.92 * 400, "one that takes tables as independent covers some 80 %"
