"""Reads the keys of a TOML table one by one, and refuses what it does not know."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from referee.errors import ConfigError, NotFoundError, did_you_mean
from tournaments.durations import parse_duration

MOST = 100_000
"""The largest number that any key takes: far beyond sense, and small enough to be tried."""


def read_toml(path: Path) -> dict[str, object]:
    """Returns the keys and values of the TOML file at *path*.

    Raises:
        NotFoundError: if it is not there.
        ConfigError: if it cannot be read, or is no TOML.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise NotFoundError(f"{path}: there is no such file") from None
    except OSError as error:
        raise ConfigError(path, None, f"cannot be read: {(error.strerror or '').lower()}") from None
    return parse_toml(data, path)


def parse_toml(data: bytes, path: Path) -> dict[str, object]:
    """Returns the keys and values of *data*, which was the TOML file at *path*.

    Raises:
        ConfigError: if it is no TOML.
    """
    try:
        return tomllib.loads(data.decode())
    except UnicodeDecodeError as error:
        raise ConfigError(path, None, f"is not UTF-8 text (byte {error.start})") from None
    except (ValueError, RecursionError) as error:  # of numbers and nesting beyond all measure too
        problem = str(error)
        raise ConfigError(path, None, f"is not TOML: {problem[:1].lower()}{problem[1:]}") from None


class Reader:
    """The keys of one table, read with a type each.

    Every complaint is a `ConfigError` with the file, the whole key and what was expected.
    """

    def __init__(
        self,
        data: Mapping[str, object],
        known: Sequence[str],
        *,
        path: Path | None,
        table: str = "",
        elsewhere: Sequence[str] = (),
    ) -> None:
        """Opens *data*.

        Args:
            data: The table.
            known: The keys it may have.
            path: The file it came from, for messages.
            table: Its own name, empty for the whole file.
            elsewhere: Whole keys of other tables, of which somebody may have taken this one for.

        Raises:
            ConfigError: if there is a key that is not known; the message names the nearest.
        """
        self.path = path
        self._data = data
        self._prefix = f"{table}." if table else ""
        for key in data:
            if key not in known:
                raise self.error(key, f"there is no such key{_hint(key, known, elsewhere)}")

    def error(self, key: str, problem: str) -> ConfigError:
        """Returns the complaint about *key*."""
        return ConfigError(self.path, self._prefix + key, problem)

    def get(self, key: str) -> object | None:
        """Returns the value of *key*, or ``None`` if it is not there (TOML has no null)."""
        return self._data.get(key)

    def text(self, key: str, *, default: str) -> str:
        """Returns a text that is not empty."""
        value = self.get(key)
        if value is None:
            return default
        if not isinstance(value, str) or not value.strip():
            raise self.error(key, f"expected a text, got {shown(value)}")
        return value

    def text_or_number(self, key: str) -> str | None:
        """Returns a text or a whole number as text, or ``None``."""
        value = self.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
            raise self.error(key, f"expected a text or a whole number, got {shown(value)}")
        return str(value)

    def number(self, key: str, *, default: int, least: int) -> int:
        """Returns a whole number from *least* to `MOST`."""
        value = self.number_or_none(key, least=least)
        return default if value is None else value

    def number_or_none(self, key: str, *, least: int) -> int | None:
        """Returns a whole number from *least* to `MOST`, or ``None``."""
        value = self.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.error(key, f"expected a whole number, got {shown(value)}")
        if value < least:
            raise self.error(key, f"must be at least {least}, got {value}")
        if value > MOST:
            raise self.error(key, f"must be at most {MOST}, got {value}")
        return value

    def flag(self, key: str, *, default: bool) -> bool:
        """Returns true or false."""
        value = self.get(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self.error(key, f"expected true or false, got {shown(value)}")
        return value

    def one_of(self, key: str, allowed: Sequence[str], *, default: str) -> str:
        """Returns one of the *allowed* texts."""
        value = self.get(key)
        if value is None:
            return default
        if not isinstance(value, str) or value not in allowed:
            hint = did_you_mean(value, map(str, allowed)) if isinstance(value, str) else ""
            names = ", ".join(f'"{name}"' for name in allowed)
            raise self.error(key, f"expected one of {names}, got {shown(value)}{hint}")
        return value

    def duration(self, key: str, *, default: float, positive: bool = True) -> float:
        """Returns a time in seconds: ``"500ms"``, ``"2s"``, ``"1m"``, or a number of seconds."""
        value = self.get(key)
        if value is None:
            return default
        try:
            return parse_duration(value, positive=positive)
        except ValueError as error:
            raise self.error(key, f"{error}, got {shown(value)}") from None

    def table(self, key: str) -> Mapping[str, object]:
        """Returns the table at *key*; an empty one if it is missing."""
        value = self.get(key)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise self.error(key, f"expected a table [{self._prefix}{key}], got {shown(value)}")
        return value


def _hint(key: str, known: Sequence[str], elsewhere: Sequence[str]) -> str:
    for other in elsewhere:
        table, _, name = other.rpartition(".")
        if name == key:
            return f" ({key} belongs {f'in the table [{table}]' if table else 'above the tables'})"
    return did_you_mean(key, known)


def shown(value: object) -> str:
    """Returns *value* as a person who wrote TOML would name it, cut short."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f"the text {value if len(value) <= 40 else value[:39] + '…'!r}" if value else '""'
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "a table"
    return f"the date or time {value}"
