"""The bots that come with the program, found without loading any of them."""

from __future__ import annotations

import importlib.util
import pkgutil
from pathlib import Path


def sample_names() -> tuple[str, ...]:
    """Returns the names of the bots that come with the program, without loading any of them."""
    return tuple(sorted(sample_modules()))


def sample_modules() -> dict[str, str]:
    """Returns the module of each bot that comes with the program, by the name of the bot.

    Every module of `sample_bots` is one, unless its name begins with an underscore. The bot has
    the name of the module, without a ``_bot`` that keeps the module apart from another one.
    """
    modules = pkgutil.iter_modules([str(path) for path in sample_places()])
    names = [m.name for m in modules if not m.name.startswith("_") and not m.ispkg]
    return {name.removesuffix("_bot"): name for name in names}


def sample_places() -> tuple[Path, ...]:
    """Returns the directories in which the bots that come with the program lie."""
    found = importlib.util.find_spec("sample_bots")
    places = found.submodule_search_locations if found is not None else None
    return tuple(Path(place) for place in places or ())
