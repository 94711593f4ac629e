"""Reads bot.toml, the file that makes a folder a bot."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from pathlib import Path

from referee.bots.names import NameRefusedError, check_name
from referee.errors import ConfigError, did_you_mean
from referee.wire import PROTOCOL

BOT_FILE = "bot.toml"


@dataclass(frozen=True, slots=True)
class BotFile:
    """What a bot.toml says."""

    name: str
    version: str
    run: tuple[str, ...]
    """The program and its arguments, run in the folder."""
    build: tuple[str, ...] = ()
    """The command that makes it ready to run; may be empty."""
    protocol: str = PROTOCOL


def read_bot_file(path: Path) -> BotFile:
    """Returns what the bot.toml at *path* says.

    Raises:
        ConfigError: If it says something else than it may; names the key.
    """
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(path, None, f"cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:  # not TOML, not UTF-8, or beyond all measure
        raise ConfigError(path, None, f"is not TOML: {error}") from None
    known = [field.name for field in fields(BotFile)]
    for key in values:
        if key not in known:
            raise ConfigError(path, key, f"unknown key{did_you_mean(key, known)}")
    for key in ("name", "version", "run"):
        if key not in values:
            raise ConfigError(path, key, "missing; a bot has a name, a version and a run command")
    for key, value in values.items():
        if problem := _problem(key, value):
            raise ConfigError(path, key, problem)
    words = {key: tuple(value) for key, value in values.items() if isinstance(value, list)}
    return BotFile(**(values | words))


def _problem(key: str, value: object) -> str:
    """Returns what is wrong with *value* as the value of *key*, empty if nothing is."""
    if key in {"run", "build"}:
        words = isinstance(value, list) and all(
            isinstance(word, str) and word and "\0" not in word for word in value
        )
        if not words or (key == "run" and not value):
            return f'must be a program and its arguments, ["python3", "bot.py"], got {value!r}'
    elif not isinstance(value, str):
        return f"must be text in quotes, got {value!r}"
    elif key == "protocol" and value != PROTOCOL:
        return f"must be {PROTOCOL!r}, got {value!r}"
    elif key != "protocol":
        try:
            check_name(value)
        except NameRefusedError as error:
            return str(error)
    return ""
