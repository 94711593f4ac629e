"""How bots are held, as people say it: the tier of the sandbox, and what a bot may use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path

from referee.bots.keeper.watch import size
from referee.bots.sandbox import Limits, Probe, Sandbox, Tier, promise_titles
from referee.errors import ConfigError, did_you_mean
from tournaments.durations import parse_duration
from tournaments.sizes import parse_size
from tournaments.toml_reader import Reader, shown

MOST = 1_000_000
"""The largest count of processes, threads or files that may be allowed."""

LEAST_MEMORY = 8 << 20
"""Bytes; what starts a bot takes nearly as much."""

LEAST_FILES = 12
"""Open files; with fewer the sandbox cannot be put up, or the bot not be reached."""

LIMIT_NAMES = tuple(field.name for field in fields(Limits))
_SIZES = ("memory", "file_size", "disk")


def _count(value: object) -> int:
    number = int(value) if isinstance(value, str) and value.strip().isdigit() else value
    if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= MOST:
        raise ValueError(f"expected a whole number from 1 to {MOST}")
    return number


def read_limit(name: str, value: object) -> int | float:
    """Returns *value* as the limit *name* has it: bytes, seconds, or a number.

    Raises:
        ValueError: if it is none; says what was expected.
    """
    parse: Callable[[object], int | float]
    parse = parse_size if name in _SIZES else parse_duration if name == "cpu_time" else _count
    limit = parse(value)
    if name == "open_files" and limit < LEAST_FILES:
        raise ValueError(f"no bot starts with fewer than {LEAST_FILES}")
    if name == "memory" and limit < LEAST_MEMORY:
        raise ValueError(f"no program runs in less than {size(LEAST_MEMORY)}")
    return limit


def limits_in(top: Reader, elsewhere: Sequence[str] = ()) -> dict[str, int | float]:
    """Returns what the table ``limits`` of a file means.

    Args:
        top: The file.
        elsewhere: Whole keys of other tables, of which somebody may have taken one for.

    Raises:
        ConfigError: if it names a limit that there is not, or a value means nothing.
    """
    given = top.table("limits")
    reader = Reader(given, LIMIT_NAMES, path=top.path, table="limits", elsewhere=elsewhere)
    limits: dict[str, int | float] = {}
    for name, value in given.items():
        try:
            limits[name] = read_limit(name, value)
        except ValueError as error:
            raise reader.error(name, f"{error}, got {shown(value)}") from None
    return limits


def parse_limits(words: tuple[str, ...]) -> dict[str, int | float]:
    """Returns what *words*, each ``NAME=VALUE`` from a command line, mean.

    Raises:
        ConfigError: if one of them means nothing.
    """
    limits: dict[str, int | float] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or name not in LIMIT_NAMES:
            hint = did_you_mean(name, LIMIT_NAMES)
            raise ConfigError(None, "--limit", f"{word!r}: expected NAME=VALUE{hint}")
        try:
            limits[name] = read_limit(name, value)
        except ValueError as error:
            raise ConfigError(None, f"--limit {name}", f"{error}, got {value!r}") from None
    return limits


def sandbox_of(tier: str, limits: Mapping[str, int | float]) -> Sandbox:
    """Returns how bots are held by *tier* with the usual limits but for *limits*."""
    return Sandbox(Tier(tier), replace(Limits(), **limits))  # type: ignore[arg-type]


def limits_text(limits: Limits) -> str:
    """Returns *limits* as people write them, one after another.

    >>> limits_text(Limits())[:36]
    'memory=1GiB processes=64 threads=128'
    """
    words = []
    for name in LIMIT_NAMES:
        value = getattr(limits, name)
        text = size(value).replace(" ", "") if name in _SIZES else f"{value:g}"
        words.append(f"{name}={text}{'s' if name == 'cpu_time' else ''}")
    return " ".join(words)


def held_text(sandbox: Sandbox, *, freezes: bool, remote: Sequence[str] = ()) -> str:
    """Returns in one line how bots are held, and whether they are stopped between decisions.

    Args:
        sandbox: What holds them.
        freezes: Whether they are stopped.
        remote: Who runs somewhere else, where nothing holds it.
    """
    if sandbox.tier is Tier.NONE:
        text = "sandbox none: bots run with your rights, and without limits"
    else:
        text = f"sandbox {sandbox.tier}; each bot at most {limits_text(sandbox.limits)}"
    text = f"{text}; stopped while not to move" if freezes else text
    return f"{text}; not held, as remote: {', '.join(remote)}" if remote else text


USUAL = ("processes", "cpu")
"""The promises that only some machines keep, and nobody counts on."""


def unkept_lines(probe: Probe) -> list[str]:
    """Returns a line for each promise of the tier that this host does not keep, but the usual."""
    titles = promise_titles()
    return [
        f"not kept on this machine: that a bot {titles[promise.key]} ({promise.reason})"
        for promise in probe.promises
        if not promise.kept and promise.key not in USUAL
    ]


def hidden_from_bots(*paths: Path | None) -> tuple[Path, ...]:
    """Returns those of *paths* that are there, as bots must not read them."""
    return tuple(path.absolute() for path in paths if path is not None)
