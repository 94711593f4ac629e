"""What a bot may read besides its program: the system, what it is made of, and no more.

A bot's file usually lies in the folder of whoever runs it, next to other bots, to the store of the
run and to the tournament file with its seed. So a bot of one file gets that file and the modules
that it imports from beside it, and a folder bot gets its folder. Links are followed before anything
is granted, and lead nowhere outside; files that are to stay hidden are left out of everything, of
the directories of the system too: somebody may keep a league in `/opt`, or in the folder of a venv.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.machinery import all_suffixes
from pathlib import Path

from referee.bots.contents import played_files
from referee.bots.environment import libraries, own_packages
from referee.bots.sandbox.places import system
from referee.bots.spec import BotKind, BotSpec

BESIDE = ("-wal", "-shm", "-journal", ".lock", ".new", ".new-journal")
"""What is added to the name of a hidden file for those that belong to it."""


@dataclass(frozen=True, slots=True)
class Reach:
    """What a bot may read."""

    readable: tuple[Path, ...]
    """Files, and directories with all that is below them."""
    listable: tuple[Path, ...]
    """Directories of which it may learn the names, as a Python that imports from them must."""
    system: tuple[Path, ...]
    """Directories of the system and of Python, without what is hidden."""


def reach_of(spec: BotSpec, hidden: Sequence[Path] = ()) -> Reach:
    """Returns what *spec* may read.

    Args:
        spec: A bot that we start.
        hidden: Files and directories that no bot may read, wherever they lie.

    Raises:
        OSError: If what it is made of cannot be looked at.
    """
    secret = _Hidden(hidden)
    if spec.kind is BotKind.FOLDER:
        assert spec.cwd is not None
        folder = spec.cwd.resolve()
        own = list(_within(folder, secret))
        folders = [folder]
    else:
        own = [path for path in _own_files(spec) if not secret.holds(path.resolve())]
        folders = [path.parent for path in own]
    packages = own_packages()
    listable = [*folders, *(package.parent for package in packages), *_cut(libraries(), secret)]
    ours = _without(packages, secret)
    return Reach(_once([*own, *ours]), _once(listable), tuple(_without(system(), secret)))


def _without(trees: Iterable[Path], secret: _Hidden) -> Iterator[Path]:
    """Yields *trees*, in pieces where something hidden lies below one."""
    for tree in trees:
        real = tree.resolve()
        if secret.holds(real) or secret.is_below(real):
            yield from _within(real, secret)
        else:
            yield tree


def _cut(folders: Iterable[Path], secret: _Hidden) -> Iterator[Path]:
    """Yields the *folders* of which `_without` leaves pieces: Python still has to find them."""
    return (folder for folder in folders if secret.is_below(folder.resolve()))


class _Hidden:
    """What no bot may read: by place, whatever a path to it is spelt like."""

    def __init__(self, paths: Sequence[Path]) -> None:
        found = [path.resolve() for path in paths]
        self._paths = frozenset(
            path.with_name(path.name + end) for path in found for end in ("", *BESIDE)
        )

    def holds(self, path: Path) -> bool:
        """Returns whether the resolved *path* is hidden, or lies in a directory that is."""
        return not self._paths.isdisjoint((path, *path.parents))

    def is_below(self, folder: Path) -> bool:
        """Returns whether something hidden is, or may come to lie, below the resolved *folder*."""
        return any(path.is_relative_to(folder) for path in self._paths)


def _once(paths: Iterable[Path]) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(path.absolute() for path in paths))


def _within(folder: Path, secret: _Hidden) -> Iterator[Path]:
    """Yields the directories and files that together are *folder* without what is hidden.

    Links are not followed: where they lead to what is below the folder, that is granted there.
    """
    if secret.holds(folder):
        return
    if not secret.is_below(folder):
        yield folder
        return
    for entry in sorted(folder.iterdir()):
        try:
            kind = entry.lstat().st_mode
        except FileNotFoundError:  # files of stores and editors come and go
            continue
        if stat.S_ISDIR(kind):
            yield from _within(entry, secret)
        elif not stat.S_ISLNK(kind) and not secret.holds(entry):
            yield entry


def named_paths(spec: BotSpec) -> tuple[Path, ...]:
    """Returns the file or the folder that a text names as its bot; a command may name several."""
    match spec.kind:
        case BotKind.FOLDER:
            assert spec.cwd is not None
            return (spec.cwd.resolve(),)
        case BotKind.FILE:
            return (Path(spec.command[-1]),)
        case BotKind.COMMAND:
            assert spec.cwd is not None
            words = (word for word in spec.command[1:] if not word.startswith("-"))
            paths = [spec.cwd / word for word in words]
            # What lies behind a closed directory is no file to us; a `Path` raises there.
            return tuple(path for path in paths if os.path.isfile(path))  # noqa: PTH113
        case _:
            return ()


def others(spec: BotSpec, bots: Iterable[BotSpec]) -> tuple[Path, ...]:
    """Returns what the rivals of *spec* among *bots* are made of, which it may not read."""
    own = {path.resolve() for path in named_paths(spec)}
    named = {path.resolve() for bot in bots for path in named_paths(bot)}
    return tuple(sorted(p for p in named if not any(mine.is_relative_to(p) for mine in own)))


def _own_files(spec: BotSpec) -> Iterator[Path]:
    """Yields the files that a bot of one file, or a command, is made of.

    Of what a Python file imports only modules count, and packages that say that they are one: the
    name of any other folder can be written after an `import` too.
    """
    named = named_paths(spec)
    for path in named:
        yield path
        yield path.resolve()
    for label, path in played_files(spec) if named else ():
        if label != "file" and _is_module(path, label):
            yield path


def _is_module(path: Path, label: str) -> bool:
    """Returns whether *path*, at *label* beside the script, is a module or part of a package."""
    parts = Path(label).parts
    folder = path.parents[len(parts) - 1]
    if not path.resolve().is_relative_to(folder):
        return False
    if len(parts) == 1:
        return path.name.endswith(tuple(all_suffixes()))
    return any((folder / parts[0]).glob("__init__.*"))
