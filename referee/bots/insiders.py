"""Bots that are objects of this process: what they can do, and how one comes to be."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

from referee.bots.handshake import BotInfo, HandshakeError
from referee.bots.modules import find_module
from referee.bots.sessions import STDERR_TAIL, EndReport, StartError, check_rules
from referee.bots.spec import BotSpec
from referee.errors import MoonError
from referee.rules import Choice, Rules, View
from referee.text import printable, readable
from referee.wire.notices import Notice


class Insider(Protocol):
    """A bot that can be asked by a call."""

    name: str
    version: str
    author: str
    rule_sets: tuple[str, ...]
    """The presets of rules it plays; empty means every one."""
    batched: bool
    """Whether it answers many decisions together."""
    most: int
    """How many decisions it takes at a time, at least 1."""

    def choose(self, view: View, /) -> Choice:
        """Returns what it chooses, legal or not; raises whatever the bot raises."""

    def choose_all(self, views: Sequence[View], /) -> Sequence[Choice]:
        """Returns what it chooses for each of *views*; raises whatever the bot raises."""

    def wants(self, notice: type[Notice], /) -> bool:
        """Whether it wants to be told such a thing."""

    def tell(self, notice: Notice, /) -> None:
        """Tells it what happened; raises whatever the bot raises."""


Load: TypeAlias = Callable[[BotSpec], Insider]
"""Makes a new bot; raises whatever its code raises."""


def start_insider(spec: BotSpec, load: Load, rules: Rules | None) -> tuple[Insider, BotInfo]:
    """Returns a new bot, and what it says of itself.

    Args:
        spec: The bot.
        load: Makes it.
        rules: What it will be asked to play by.

    Raises:
        StartError: if it cannot be made, or does not play by *rules*.
    """
    try:
        _check_module(spec)
        insider = load(spec)
        info = _info(insider)
        check_rules(info, rules)
    except KeyboardInterrupt:
        raise
    except (MoonError, HandshakeError) as error:
        raise StartError(str(error), EndReport()) from None
    except StartError:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever it was, the bot does not start
        raise StartError(raised(error), EndReport("", traceback_tail(error))) from None
    return insider, info


def _check_module(spec: BotSpec) -> None:
    """Checks that the bot is not another one of the same name, loaded for another tournament.

    Raises:
        StartError: if it is.
    """
    name = spec.code.partition(":")[0]
    loaded = sys.modules.get(name)
    assert spec.cwd is not None
    found = find_module(name, spec.cwd)
    place = getattr(loaded, "__file__", None)
    if loaded is not None and found is not None and place != found.origin:
        problem = f"another module {name} is loaded already, {place}, and not {found.origin}"
        raise StartError(problem, EndReport())


def _info(insider: Insider) -> BotInfo:
    return BotInfo(
        printable(insider.name, 64),
        printable(insider.version, 32),
        printable(insider.author, 64),
        insider.rule_sets,
        insider.most,
        serves_stream=True,
        notifications=frozenset(),
    )


def raised(error: BaseException) -> str:
    """Returns what was raised, in one printable line."""
    text = traceback.format_exception_only(error)[-1].strip()
    return printable(f"raised {text}", 400)


def traceback_tail(error: BaseException) -> str:
    """Returns the end of what Python writes to standard error when *error* ends a program."""
    text = "".join(traceback.format_exception(error))
    return readable(text.encode(errors="backslashreplace")[-STDERR_TAIL:])
