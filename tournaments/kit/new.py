"""The beginning of a bot: a folder made from a template."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from referee.bots.names import NAME_LIMIT
from referee.bots.samples import sample_names
from referee.errors import ConfigError

LANGUAGES = ("python", "node")
"""The languages that there are templates for."""
PROTOS = ("bot_service.proto", "table.proto")
"""The files of the protocol that a bot outside of Python needs."""

_NAME = re.compile(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*")
"""Of the names that a bot may have, those that are also a folder and a package everywhere."""
_END = ".in"


def new_bot(name: str, language: str, base: Path) -> list[Path]:
    """Makes the folder *name* in *base* with a bot in *language*, and returns its files.

    Raises:
        ConfigError: if the name is no name for a bot, or there is a bot or a file of that name.
    """
    if not _NAME.fullmatch(name) or len(name) > NAME_LIMIT:
        raise ConfigError(
            None,
            "NAME",
            f"must be small letters and digits, in words joined by - or _, beginning with a letter,"
            f" at most {NAME_LIMIT} characters; got {name!r}",
        )
    if name in sample_names():
        problem = f"{name!r} comes with the program, and two bots at a table need two names"
        raise ConfigError(None, "NAME", f"{problem}; take another")
    folder = base / name
    made: list[Path] = []
    try:
        folder.mkdir()
        for path, text in _contents(language, name):
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            made.append(file)
    except FileExistsError:
        problem = "is there already; take another name, or remove it"
        raise ConfigError(folder, None, problem) from None
    except OSError as error:
        raise ConfigError(
            folder, None, f"cannot be written: {(error.strerror or '').lower()}"
        ) from None
    return made


def _contents(language: str, name: str) -> Iterator[tuple[str, str]]:
    """Yields the path of each file of a bot, and what stands in it."""
    templates: Traversable = files("tournaments.kit") / "templates" / language
    for template in sorted(templates.iterdir(), key=lambda each: each.name):
        text = template.read_text(encoding="utf-8").replace("{{name}}", name)
        yield template.name.removesuffix(_END), text
    if language != "python":
        for file in PROTOS:
            yield f"proto/moon/v1/{file}", (_protocol() / file).read_text(encoding="utf-8")


def _protocol() -> Path:
    """Returns the folder of the protocol, which is installed beside its generated code."""
    found = importlib.util.find_spec("moon.v1")
    assert found is not None
    [place, *_] = found.submodule_search_locations or [""]
    return Path(place)
