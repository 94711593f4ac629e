"""The roots of every error that a user of the programs or of the library may meet.

Messages are lower case, without a full stop, and say what was wrong, where, and what to do. The
command line prints the message and exits with `exit_code`; it never shows a traceback for them.
"""

from __future__ import annotations

from difflib import get_close_matches
from os import PathLike, fspath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class MoonError(Exception):
    """Something went wrong that a person can read about and act on."""

    exit_code: int = 1
    """What the command line exits with when this error ends a command."""


class ConfigError(MoonError):
    """A file or an option that somebody wrote means nothing.

    >>> str(ConfigError("night.toml", "rounds", "must be at least 1, got 0"))
    'night.toml: rounds: must be at least 1, got 0'

    Attributes:
        path: The file, or None when the value did not come from a file.
        key: The key or the option, or None when the whole file is meant.
    """

    exit_code = 2

    def __init__(self, path: str | PathLike[str] | None, key: str | None, problem: str) -> None:
        self.path = None if path is None else fspath(path)
        self.key = key
        super().__init__(": ".join([part for part in (self.path, key) if part] + [problem]))


class NotFoundError(MoonError):
    """A thing that was named (a bot, a run, a table, a file) does not exist."""

    exit_code = 3


class BotError(MoonError):
    """A bot could not be started, or does not do what it must."""

    exit_code = 4

    def __init__(self, problem: str, exit_code: int = exit_code) -> None:
        super().__init__(problem)
        self.exit_code = exit_code


class VerificationError(MoonError):
    """A record, a deal or a claim was checked and does not hold."""

    exit_code = 5


class StoreError(MoonError):
    """The store cannot be opened, read or written.

    Attributes:
        locked: Somebody else is using it, and the same command may work later.
    """

    exit_code = 3

    def __init__(self, problem: str, *, locked: bool = False) -> None:
        self.locked = locked
        if locked:
            self.exit_code = 75
        super().__init__(problem)


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Returns the known name that *name* was probably meant to be, if there is one."""
    return next(iter(get_close_matches(name, sorted(known), n=1)), None)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Returns the end of a message about a wrong name: the nearest known one, else all of them.

    >>> did_you_mean("move_timeot", ["seed", "move_timeout"])
    " (did you mean 'move_timeout'?)"
    >>> did_you_mean("colour", ["seed", "rules"])
    ' (known: rules, seed)'
    """
    names = sorted(known)
    near = nearest(name, names)
    if near is not None:
        return f" (did you mean {near!r}?)"
    return f" (known: {', '.join(names)})" if names else ""
