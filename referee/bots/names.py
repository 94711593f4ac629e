"""The names of bots and entrants: told apart by everybody, safe to print anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from unicodedata import normalize

from referee.errors import ConfigError

if TYPE_CHECKING:
    from referee.bots.spec import BotSpec

NAME_LIMIT = 40
"""What still fits into a table on a terminal, in characters."""


class NameRefusedError(ValueError):
    """A name cannot be shown as it is."""


class EntrantNameError(ConfigError):
    """An entrant cannot have the name that it would have.

    Attributes:
        entrant: Which one it is, from 0.
    """

    def __init__(self, entrant: int, bots: Sequence[BotSpec], problem: str) -> None:
        super().__init__(None, _texts(bots), problem)
        self.entrant = entrant


def check_name(name: str, limit: int = NAME_LIMIT) -> str:
    r"""Returns *name* in the one form in which equal names are equal.

    >>> check_name("two\nlines")
    Traceback (most recent call last):
    referee.bots.names.NameRefusedError: the name 'two\nlines' holds the invisible character U+000A

    Raises:
        NameRefusedError: If it is empty or too long, or would not show as it is: control
            characters, line ends, odd spaces, marks that turn the direction of writing.
    """
    name = normalize("NFC", name)
    if not name or name != name.strip():
        raise NameRefusedError(f"the name {name!r} is empty, or begins or ends with a space")
    if len(name) > limit:
        raise NameRefusedError(f"the name {name!r} has {len(name)} characters, at most {limit}")
    for character in name:
        if not character.isprintable():
            code = f"U+{ord(character):04X}"
            raise NameRefusedError(f"the name {name!r} holds the invisible character {code}")
    return name


def entrant_names(
    entrants: Sequence[Sequence[BotSpec]], given: Sequence[str | None] = ()
) -> tuple[str, ...]:
    """Returns the name of each entrant, all different.

    An entrant has the name it was given; without one, that of its bot, or those of the two bots of
    a pair with a ``+`` between them. The same bots once more get a number: ``greedy#2``.

    Args:
        entrants: The bots of each.
        given: The names that were given; by default none were.

    Raises:
        EntrantNameError: If different bots would have one name, or one that people take for the
            other, or a name is too long.
    """
    given = given or [None] * len(entrants)
    names = [name or _own_name(bots) for name, bots in zip(given, entrants, strict=True)]
    first: dict[str, int] = {}
    for number, (name, bots) in enumerate(zip(names, entrants, strict=True)):
        if len(name) > NAME_LIMIT:
            problem = f"the name {name!r} has {len(name)} characters, at most {NAME_LIMIT}"
            raise EntrantNameError(number, bots, f"{problem}; name its bots, NAME=BOT")
        other = first.setdefault(_look(name), number)
        who = _texts(entrants[other])
        if name != names[other]:
            problem = f"the name {name!r} is too like {names[other]!r}, that of another bot: {who}"
            raise EntrantNameError(number, bots, f"{problem}; {_WAY_OUT}")
        if _programs(bots) != _programs(entrants[other]):
            problem = f"has the same name as another bot, {name!r}: {who}"
            raise EntrantNameError(number, bots, f"{problem}; {_WAY_OUT}")
    return _numbered(names)


_WAY_OUT = "write NAME=BOT to give one of them another"


def _own_name(bots: Sequence[BotSpec]) -> str:
    is_one = len(set(_programs(bots))) == 1
    return bots[0].name if is_one else "+".join(bot.name for bot in bots)


def program_of(bot: BotSpec) -> BotSpec:
    """Returns *bot* without what makes no difference to what it plays: how it is called."""
    return replace(bot, name="", source="", halves=_programs(bot.halves))


def _programs(bots: Sequence[BotSpec]) -> tuple[BotSpec, ...]:
    """Returns *bots* without what makes no difference between them."""
    return tuple(map(program_of, bots))


def _numbered(names: Sequence[str]) -> tuple[str, ...]:
    """Returns *names* with a number after each that was there before."""
    wanted = set(map(_look, names))
    taken: dict[str, None] = {}
    for base in names:
        name, copy = base, 1
        while name in taken or (copy > 1 and _look(name) in wanted):
            copy += 1
            mark = f"#{copy}"
            name = base[: NAME_LIMIT - len(mark)] + mark
        taken[name] = None
    return tuple(taken)


def _look(name: str) -> str:
    """Returns what two names share if people may take one for the other."""
    return normalize("NFKC", name).casefold()


def _texts(bots: Sequence[BotSpec]) -> str:
    return " + ".join(dict.fromkeys(bot.source for bot in bots))
