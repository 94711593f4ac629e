"""The bot in the guide that plays deals on does what the guide says of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from referee.rules import preset_rules, presets
from referee.sdk import Bot, Kind, View
from referee.sdk.asking import ask
from tests.wire.walks import questions

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "bots.md"


def dreamer() -> Bot:
    """Returns the bot that the guide shows, without serving it."""
    [code] = re.findall(r"```python\n([^`]*class Dreamer[^`]*)```", GUIDE.read_text("utf-8"))
    names: dict[str, object] = {}
    exec(code.replace("serve(Dreamer())", "bot = Dreamer()"), names)
    bot = names["bot"]
    assert isinstance(bot, Bot)
    return bot


@pytest.mark.parametrize("preset", presets())
def test_the_bot_that_dreams_bids_by_every_preset(preset: str) -> None:
    bot, found = dreamer(), set()
    for seen in questions(preset_rules(preset), range(3)):
        view = View.of(seen)
        if view.kind is Kind.BID:
            assert ask(bot, view) in view.choices
            found.add(ask(bot, view))
    assert found
