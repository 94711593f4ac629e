"""A bot inside the program that asks it: no process, no wire, the same questions and answers."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from referee.errors import BotError, did_you_mean
from referee.rules import Choice
from referee.rules import View as SeatView
from referee.sdk.asking import ask, ask_all, takes_batches, tell, wanted
from referee.sdk.bot import AnyView, Bot
from referee.sdk.views import View
from referee.wire.notices import Notice

_loading: ContextVar[bool] = ContextVar("loading", default=False)


class InsideBot:
    """Views in, choices out.

    Attributes:
        name: What it is called.
        version: Which version of it this is.
        author: Who made it.
        rule_sets: The presets of rules it plays; empty means every one.
        batched: Whether it answers many decisions together.
        most: How many decisions it takes at a time, at least 1.
    """

    def __init__(self, bot: Bot) -> None:
        self.name = bot.name or type(bot).__name__
        self.version = bot.version
        self.author = bot.author
        self.rule_sets = tuple(bot.rule_sets)
        self.batched = takes_batches(bot)
        self.most = max(1, bot.max_batch)
        self._bot = bot
        self._wanted = frozenset(wanted(bot))

    def choose(self, view: SeatView) -> Choice:
        """Returns what the bot chooses, legal or not.

        Raises:
            TypeError: if a function of the bot returns something of a wrong type.
            Exception: whatever a function of the bot raises.
        """
        return ask(self._bot, View.of(view))

    def choose_all(self, views: Sequence[SeatView]) -> list[Choice]:
        """Returns what the bot chooses for each of *views*, legal or not.

        Raises:
            TypeError: if a function of the bot returns something of a wrong type or length.
            Exception: whatever a function of the bot raises.
        """
        asked: list[AnyView] = [View.of(view) for view in views]
        return ask_all(self._bot, asked)

    def wants(self, notice: type[Notice]) -> bool:
        """Whether the bot does something with such a notice."""
        return notice in self._wanted

    def tell(self, notice: Notice) -> None:
        """Tells the bot what happened.

        Raises:
            Exception: whatever a function of the bot raises.
        """
        tell(self._bot, notice)


def load_bot(code: str, folder: Path, params: Mapping[str, str]) -> InsideBot:
    """Returns a new bot of the class that *code* names.

    Args:
        code: ``module:Class``.
        folder: Where the module may lie besides the places of what is installed.
        params: The parameters: name to text.

    Raises:
        BotError: if the module has no such class, or it is no `Bot`.
        ConfigError: if a parameter is unknown, or its text is no value of its type.
        Exception: whatever the module raises when it is imported, or the class when it is called.
    """
    module_name, _, name = code.partition(":")
    # Behind everything else: what lies beside a tournament file must not stand in for a library.
    # It stays, because a bot may import from its neighbours when it is asked.
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    with _is_loading():
        found = vars(importlib.import_module(module_name))
    kind = found.get(name)
    if not (isinstance(kind, type) and issubclass(kind, Bot)):
        bots = [word for word, value in found.items() if _is_bot(value)]
        problem = "is no Bot of the SDK" if name in found else "is not there"
        hint = did_you_mean(name, bots) if bots else " (the module has no bot)"
        raise BotError(f"{code}: {name} {problem}{hint}")
    return InsideBot(kind.with_params(params))


def is_loading() -> bool:
    """Whether the module of a bot is being imported into the program that will ask it."""
    return _loading.get()


@contextmanager
def _is_loading() -> Iterator[None]:
    token = _loading.set(True)
    try:
        yield
    finally:
        _loading.reset(token)


def _is_bot(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, Bot) and value is not Bot
