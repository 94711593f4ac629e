"""Where the module of a bot inside this program lies, found without running any of it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path


def find_module(name: str, folder: Path) -> ModuleSpec | None:
    """Returns where the module *name* is, or ``None`` if there is none with a file.

    Args:
        name: The module, with dots.
        folder: Where it may lie besides the places of what is installed, which come first.
    """
    places: Sequence[str] | None = [*sys.path, str(folder)]
    found = None
    parts = name.split(".")
    for end in range(1, len(parts) + 1):
        found = PathFinder.find_spec(".".join(parts[:end]), places) if places else None
        if found is None:
            return None
        places = found.submodule_search_locations
    return found if found is not None and found.has_location else None


def package_folder(name: str, folder: Path) -> Path | None:
    """Returns the folder of the package that the module *name* is part of, if it is of one."""
    found = find_module(name.partition(".")[0], folder)
    places = found.submodule_search_locations if found is not None else None
    return Path(places[0]) if places else None
