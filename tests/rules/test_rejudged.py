"""Random deals under every preset, each step of them judged again by the slow rules."""

from __future__ import annotations

import random

import pytest

from referee.rules import preset_rules, presets
from tests.rules.lockstep import dealt, judge

DEALS = 60
"""Deals of each preset here; ``tests/rules/rejudge.py`` plays any number."""


@pytest.mark.parametrize("name", presets())
def test_every_step_of_random_deals_agrees_with_the_slow_rules(name: str) -> None:
    rules = preset_rules(name)
    for number in range(DEALS):
        rng = random.Random(f"{name} {number}")
        judge(dealt(rules, rng), rng)
