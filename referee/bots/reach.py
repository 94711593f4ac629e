"""What a bot may read besides the system and its program: what it is made of, and no more.

A bot's file usually lies in the folder of whoever runs it, next to other bots, to the store of the
run and to the tournament file with its seed. So a bot of one file gets that file and what it
imports, a folder bot gets its folder; files that are to stay hidden are left out of both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from referee.bots.contents import played_files
from referee.bots.environment import own_packages
from referee.bots.spec import BotKind, BotSpec


@dataclass(frozen=True, slots=True)
class Reach:
    """What a bot may read."""

    readable: tuple[Path, ...]
    """Files, and directories with all that is below them."""
    listable: tuple[Path, ...]
    """Directories of which it may learn the names, as a Python that imports from them must."""


def reach_of(spec: BotSpec, hidden: Sequence[Path] = ()) -> Reach:
    """Returns what *spec* may read.

    Args:
        spec: A bot that we start.
        hidden: What no bot may read, wherever it lies.
    """
    if spec.kind is BotKind.FOLDER:
        assert spec.cwd is not None
        own, folders = list(_without(spec.cwd, hidden)), [spec.cwd]
    else:
        own = [path for _, path in played_files(spec)]
        folders = [path.parent for path in own]
        own += [path.resolve() for path in own]  # what a link leads to
    if spec.kind is BotKind.COMMAND:
        own += _words(spec)
    readable = [*own, *own_packages()]
    listable = [*folders, *(package.parent for package in own_packages())]
    return Reach(_once(path for path in readable if not _is_hidden(path, hidden)), _once(listable))


def _once(paths: Iterable[Path]) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(path.absolute() for path in paths))


def _without(folder: Path, hidden: Sequence[Path]) -> Iterator[Path]:
    """Yields the directories and files that together are *folder* without what is *hidden*."""
    if not any(path.is_relative_to(folder) for path in hidden):
        yield folder
        return
    for entry in sorted(folder.iterdir()):
        if _is_hidden(entry, hidden):
            continue
        if entry.is_dir() and not entry.is_symlink():
            yield from _without(entry, hidden)
        else:
            yield entry


def _is_hidden(path: Path, hidden: Sequence[Path]) -> bool:
    """Returns whether *path* is hidden, or stands beside what is: a log or a lock of it."""
    return any(path.parent == h.parent and path.name.startswith(h.name) for h in hidden)


def _words(spec: BotSpec) -> Iterator[Path]:
    """Yields the files that a command names; of a script in a folder of its own, that folder.

    The folder that the command runs in is that of the run, with all that lies there.
    """
    assert spec.cwd is not None
    for word in spec.command[1:]:
        path = spec.cwd / word
        if not word.startswith("-") and path.is_file():
            of_its_own = path.suffix != ".py" and path.parent not in {spec.cwd, *spec.cwd.parents}
            yield path.parent if of_its_own else path
