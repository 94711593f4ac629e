"""The environment of a bot, made from nothing, and the packages of ours that it may import."""

from __future__ import annotations

import importlib.util
import os
import sys
import sysconfig
from functools import cache
from pathlib import Path

from referee.bots.rundir import Place
from referee.bots.sandbox.places import library_path
from referee.bots.spec import BotSpec
from referee.wire import PROTOCOL


def bot_environment(spec: BotSpec, place: Place) -> dict[str, str]:
    """Returns the whole environment of *spec* when it lives at *place*: nothing is inherited."""
    path = os.environ.get("PATH", os.defpath)
    variables = {
        # A bot's `python3` is the one that runs us, so that it finds what is installed beside us.
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), path]),
        "LANG": "C.UTF-8",
        "HOME": str(place.home),
        "TMPDIR": str(place.temporary),
        "MOON_BOT_LISTEN": f"unix:{place.socket}",
        "MOON_PROTOCOL": PROTOCOL,
        # Servers of .NET watch their settings, which no bot may: so they look now and then.
        "DOTNET_USE_POLLING_FILE_WATCHER": "1",
        **{f"MOON_BOT_PARAM_{name.upper()}": value for name, value in spec.params},
    }
    if _is_python(spec.command):
        variables |= {"PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1", **library_path()}
        if roots := import_roots():
            variables["PYTHONPATH"] = os.pathsep.join(roots)
    return variables


def _is_python(command: tuple[str, ...]) -> bool:
    names = [Path(word).name for word in command]
    return command[0] == sys.executable or any(
        name.startswith("python") or name.endswith(".py") for name in names
    )


def import_roots() -> tuple[str, ...]:
    """Returns the directories that a bot's Python must be told of to import what a bot may import.

    None when we are installed as any package is; the checkout when we run from one.
    """
    return tuple(dict.fromkeys(str(package.parent) for package in own_packages()))


@cache
def own_packages() -> tuple[Path, ...]:
    """Returns the directories of our packages that a bot may import, unless they are installed."""
    packages: list[Path] = []
    for name, depth in (("referee", 0), ("sample_bots", 0), ("moon.v1", 1)):
        found = importlib.util.find_spec(name)
        places = found.submodule_search_locations if found is not None else None
        packages += [Path(place, *[".."] * depth).resolve() for place in places or ()]
    known = {folder.resolve() for folder in libraries()}
    return tuple(package for package in packages if package.parent not in known)


def libraries() -> tuple[Path, ...]:
    """Returns the directories from which a Python like ours imports, beside those it is told of."""
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    return tuple(dict.fromkeys(Path(sysconfig.get_path(name)) for name in names))
