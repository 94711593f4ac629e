"""What a bot's functions answer becomes a choice, and what cannot be one is refused by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from enum import StrEnum
from typing import cast

import pytest

from referee import sdk
from referee.rules import IllegalChoiceError, Play, Rules, preset_rules, presets
from referee.rules.decisions import CALLING, DISCARDING
from referee.sdk import AnyView, Bid, Bot, Tile, Trump, Value, View
from referee.sdk.asking import ask, ask_all
from tests.wire.walks import questions


def seen(preset: str, seeds: range = range(6)) -> list[AnyView]:
    return [View.of(view) for view in questions(preset_rules(preset), seeds)]


def first(kind: str, preset: str = "kelley-3p") -> AnyView:
    return next(view for view in seen(preset, range(40)) if view.kind.word == kind)


def lead(preset: str = "domino-play-3p") -> AnyView:
    return next(view for view in seen(preset) if len(view.calls) > len(view.legal))


@pytest.mark.parametrize("preset", sorted(presets()))
def test_a_bot_that_overrides_nothing_takes_the_first_legal_choice(preset: str) -> None:
    for view in seen(preset):
        assert ask(Bot(), view) == view.choices[0]


def test_the_sdk_alone_names_every_value_of_every_option() -> None:
    options = [type(value) for value in vars_of(Rules()) if isinstance(value, StrEnum)]
    assert len(options) > 20
    assert [getattr(sdk, option.__name__, None) for option in options] == options


def vars_of(rules: Rules) -> list[object]:
    return [getattr(rules, field.name) for field in fields(rules) if field.init]


class Tall(Bot):
    def play(self, view: View[Tile]) -> Tile:
        return max(view.legal)


@pytest.mark.parametrize("preset", sorted(presets()))
def test_a_bot_that_thinks_in_tiles_plays_by_every_rules(preset: str) -> None:
    for view in seen(preset):
        choice = ask(Tall(), view)
        assert view.decision is not None
        assert view.decision.check(choice) is choice


def test_a_tile_alone_is_led_as_its_higher_end() -> None:
    view = lead()
    choice = ask(Tall(), view)
    assert isinstance(choice, Play)
    assert choice == next(play for play in view.calls if play.tile == max(view.legal))


def test_a_bot_that_calls_a_suit_calls_that_suit() -> None:
    class Caller(Bot):
        def play(self, view: View[Tile]) -> Tile | Play:
            return view.calls[-1] if view.calls else view.legal[-1]

    view = lead()
    assert ask(Caller(), view) == view.calls[-1]


def answers(**functions: object) -> Bot:
    """Returns a bot with functions that return the given values."""
    body = {name: lambda self, view, value=value: value for name, value in functions.items()}
    return cast("Bot", type("Answers", (Bot,), body)())


def test_an_illegal_tile_goes_to_the_referee_as_what_it_is() -> None:
    """The referee judges; a bot must not be told apart by a softer check in its own process."""
    view = lead()
    foreign = next(tile for tile in Tile if tile not in view.hand)
    choice = ask(answers(play=foreign), view)
    assert choice == CALLING[foreign][foreign.high]
    assert view.decision is not None
    with pytest.raises(IllegalChoiceError):
        view.decision.check(choice)


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("bid", None, "Answers.bid returned None to a bid question; it must return a Bid"),
        ("bid", 4, "Answers.bid returned 4 to a bid question; it must return a Bid"),
        ("bid", Tile.T64, "it must return a Bid"),
        ("trump", 6, "Answers.trump returned 6 .* it must return a Trump"),
        ("exchange", 1, "Answers.exchange returned 1 .* True to take the widow or False"),
        ("discard", Bid.FOUR, "Answers.discard returned .* it must return a Tile"),
        ("play", "6-4", "Answers.play returned '6-4' .* a Tile, or one of view.calls"),
        ("play", DISCARDING[0], "Answers.play returned Discard"),
    ],
)
def test_a_value_of_a_wrong_type_is_refused_and_names_the_function(
    kind: str, value: object, expected: str
) -> None:
    with pytest.raises(TypeError, match=expected):
        ask(answers(**{kind: value}), first(kind))


class Batching(Bot):
    """Answers with the last legal value, and notes how much it was asked at once."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def decide_batch(self, views: Sequence[AnyView]) -> Sequence[Value]:
        self.sizes.append(len(views))
        return [view.legal[-1] for view in views]


def test_a_bot_that_takes_batches_is_asked_once_for_all_and_also_for_one() -> None:
    bot, views = Batching(), seen("tournament-3p")
    together = ask_all(bot, views)
    assert bot.sizes == [len(views)]
    assert [ask(bot, view) for view in views] == together


def test_a_batch_of_a_wrong_length_is_refused() -> None:
    class Short(Bot):
        def decide_batch(self, views: Sequence[AnyView]) -> Sequence[Value]:
            return [Trump.NONE]

    with pytest.raises(TypeError, match=r"^Short.decide_batch returned 1 answers to 2 views$"):
        ask_all(Short(), seen("tournament-3p")[:2])


def test_a_wrong_type_in_a_batch_names_the_batch_function() -> None:
    class Wrong(Bot):
        def decide_batch(self, views: Sequence[AnyView]) -> Sequence[Value]:
            return [Trump.NONE for _ in views]

    with pytest.raises(TypeError, match=r"^Wrong\.decide_batch returned"):
        ask(Wrong(), first("bid"))
