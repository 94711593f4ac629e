"""Every sample bot plays every game, and the same question always gets the same answer."""

from __future__ import annotations

import random
from itertools import islice

import pytest

from referee.rules import Rules, presets
from referee.sdk.asking import ask
from sample_bots.random_bot import Random
from tests.sample_bots.tables import BOTS, ODD_RULES, play, seen, start


@pytest.mark.parametrize("name", BOTS)
@pytest.mark.parametrize("preset", presets())
def test_no_bot_makes_an_illegal_choice_under_any_preset(preset: str, name: str) -> None:
    rules = presets()[preset].rules
    table = [BOTS[name](), *[Random() for _ in range(rules.players - 1)]]
    assert list(play(table, start(rules, preset, deals=None if name != "sampler" else 4)))


@pytest.mark.parametrize("name", BOTS)
@pytest.mark.parametrize("options", ODD_RULES, ids=" ".join)
def test_no_bot_makes_an_illegal_choice_under_odd_rules(options: dict[str, str], name: str) -> None:
    rules = Rules().change(**options)
    table = [BOTS[name]() for _ in range(3)]
    assert list(play(table, start(rules, "odd", deals=4)))


@pytest.mark.parametrize("name", BOTS)
@pytest.mark.parametrize("preset", ["tournament-3p", "tournament-4p", "domino-play-3p"])
def test_an_answer_depends_on_the_question_and_on_nothing_else(preset: str, name: str) -> None:
    rules = presets()[preset].rules
    bots = [BOTS[name]() for _ in range(rules.players)]
    asked = list(islice(play(bots, start(rules, "again", deals=4)), 60))
    random.Random(1).shuffle(asked)
    another = BOTS[name]()
    for view, choice in asked:
        assert ask(another, seen(view)) == choice
        assert ask(another, seen(view)) == choice


def test_another_seed_draws_other_lots() -> None:
    rules = presets()["tournament-3p"].rules
    bots = [Random() for _ in range(3)]
    asked = list(play(bots, start(rules, "lots", deals=12)))
    seeded = Random.with_params({"seed": "1"})
    assert any(ask(seeded, seen(view)) != choice for view, choice in asked)
