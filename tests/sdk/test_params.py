"""Parameters: one code, run with other numbers."""

from __future__ import annotations

import pytest

from referee.errors import ConfigError
from referee.sdk import Bot, Param


class Tuned(Bot):
    risk = Param(0.3, "how daring")
    depth = Param(4)
    loud = Param(False)
    style = Param("calm")


class Deeper(Tuned):
    depth = Param(9)


class Early(Tuned):
    def __init__(self) -> None:
        self.twice = 2 * self.risk


def test_a_parameter_has_its_default_and_the_type_of_it() -> None:
    bot = Tuned()
    assert (bot.risk, bot.depth, bot.loud, bot.style) == (0.3, 4, False, "calm")


def test_the_environment_sets_parameters_in_their_own_type(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in {"RISK": "1", "DEPTH": "7", "LOUD": "true", "STYLE": "wild"}.items():
        monkeypatch.setenv(f"MOON_BOT_PARAM_{name}", text)
    bot = Tuned()
    assert (bot.risk, bot.depth, bot.loud, bot.style) == (1.0, 7, True, "wild")
    assert isinstance(bot.risk, float)


def test_a_bot_inside_the_program_gets_what_it_is_given_and_not_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MOON_BOT_PARAM_DEPTH", "7")
    one, other = Tuned.with_params({"risk": "0.5"}), Tuned.with_params({"risk": "0.75"})
    assert (one.risk, other.risk, one.depth) == (0.5, 0.75, 4)


def test_a_parameter_can_be_used_while_the_bot_is_made() -> None:
    assert Early.with_params({"risk": "0.5"}).twice == 1.0
    assert Early().twice == 0.6


def test_a_bot_inherits_parameters_and_may_change_a_default() -> None:
    assert Deeper().depth == 9
    assert set(Deeper.params()) == {"risk", "depth", "loud", "style"}
    assert Deeper.with_params({"risk": "0.1"}).risk == 0.1


def test_an_unknown_parameter_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(ConfigError, match=r"^parameter rsik: .* \(did you mean 'risk'\?\)$"):
        Tuned.with_params({"rsik": "1"})


def test_a_parameter_given_to_a_bot_that_takes_none_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"risk: the bot has none such \(it takes none\)"):
        Bot.with_params({"risk": "1"})


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("risk", "high", "parameter risk: 'high' is not a number"),
        ("depth", "2.5", "parameter depth: '2.5' is not a whole number"),
        ("loud", "maybe", "parameter loud: 'maybe' is not true or false"),
    ],
)
def test_a_text_that_is_no_value_is_refused_and_says_what_it_should_be(
    name: str, text: str, problem: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        Tuned.with_params({name: text})
    assert str(caught.value) == problem
