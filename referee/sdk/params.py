"""Parameters of a bot: numbers and words that the same code can be run with."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Generic, TypeVar, overload

from referee.errors import ConfigError, did_you_mean

ParamT = TypeVar("ParamT", int, float, bool, str)

PREFIX = "MOON_BOT_PARAM_"
"""How the names of parameters begin in the environment of a bot."""

_WORDS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_KINDS = {bool: "true or false", int: "a whole number", float: "a number"}

_given: ContextVar[Mapping[str, str] | None] = ContextVar("given", default=None)


class Param(Generic[ParamT]):
    """A parameter, of the type of its default.

        class MyBot(Bot):
            risk = Param(0.3, "how daring to bid, 0 to 1")

    ``self.risk`` is then 0.3, or what the bot was started with: ``mybot?risk=0.5`` towards the
    referee, ``MOON_BOT_PARAM_RISK=0.5`` in the environment of the process.
    """

    def __init__(self, default: ParamT, about: str = "") -> None:
        self.default: ParamT = default
        self.about = about
        self.name = ""

    def __set_name__(self, owner: type[object], name: str) -> None:
        """Notes what the parameter is called."""
        self.name = name

    @overload
    def __get__(self, bot: None, owner: type[object]) -> Param[ParamT]: ...
    @overload
    def __get__(self, bot: object, owner: type[object]) -> ParamT: ...
    def __get__(self, bot: object, owner: type[object]) -> Param[ParamT] | ParamT:
        """Returns the value, read once for each bot.

        Raises:
            ConfigError: if the text that was given is no value of the parameter's type.
        """
        if bot is None:
            return self
        given = _given.get()
        texts = environment() if given is None else given
        text = texts.get(self.name.lower())
        # Kept under the name itself, so that the next look finds it before it finds this class.
        value = bot.__dict__[self.name] = self.default if text is None else self.parse(text)
        return value

    def parse(self, text: str) -> ParamT:
        """Returns the value that *text* stands for.

        Raises:
            ConfigError: if it stands for none.
        """
        kind = type(self.default)
        try:
            return _WORDS[text.lower()] if kind is bool else kind(text)
        except (KeyError, ValueError):
            raise ConfigError(
                None, f"parameter {self.name}", f"{text!r} is not {_KINDS[kind]}"
            ) from None


def environment() -> dict[str, str]:
    """Returns the parameters in the environment of this process: name to text."""
    texts = os.environ.items()
    return {name[len(PREFIX) :].lower(): text for name, text in texts if name.startswith(PREFIX)}


@contextmanager
def given(texts: Mapping[str, str]) -> Iterator[None]:
    """Makes *texts* the parameters of the bots that are made inside, whatever the environment."""
    token = _given.set({name.lower(): text for name, text in texts.items()})
    try:
        yield
    finally:
        _given.reset(token)


def check_names(declared: Mapping[str, Param[float]], texts: Mapping[str, str]) -> None:
    """Checks that every name in *texts* is one of *declared*.

    Raises:
        ConfigError: if one is not; the message names the nearest.
    """
    known = [name.lower() for name in declared]
    for name in texts:
        if name.lower() not in known:
            hint = did_you_mean(name.lower(), declared) if declared else " (it takes none)"
            raise ConfigError(None, f"parameter {name.lower()}", f"the bot has none such{hint}")
