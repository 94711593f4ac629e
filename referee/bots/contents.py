"""One hash over all that makes a bot play as it plays, to notice that it was changed.

What counts, by the way in which a bot is named:

- built in: its module, and those of its neighbours that it imports;
- a folder: every file in it, except ``__pycache__`` and ``.git``;
- a Python file, and a command with a file among its words: that file, and what it imports from
  its own folder, directly or not, if it is Python (see `imports`); a package counts whole;
- inside this program: the module or its whole package, and what they import from the folder that
  the text is relative to, likewise;
- a command: its words, too;
- a remote bot: its address;
- an entrant of two halves: what counts for each.

Parameters count for all of them. Not covered: what is installed, other programs, other files that
a program reads (put them into the folder of a bot), and imports of a computed name.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

from referee.bots.halves import Half
from referee.bots.imports import imported_files
from referee.bots.modules import find_module, package_folder
from referee.bots.samples import sample_places
from referee.bots.spec import BotKind, BotSpec, command_file
from referee.errors import NotFoundError

IGNORED = frozenset({"__pycache__", ".git"})
"""Directories of a bot's folder that are not played."""


Ours: TypeAlias = Callable[[Path], bool]
"""Tells whether a file is one that this program itself has put into the folder of a bot."""


def content_hash(spec: BotSpec, ours: Ours = lambda _: False) -> str:
    """Returns the SHA-256 of what is played: the files, the command, the address, the parameters.

    The name, the place of the files on this machine and the Python that runs us do not count. What
    a build makes does: build first.

    Args:
        spec: The bot.
        ours: Tells which files are passed over.

    Raises:
        NotFoundError: If a file cannot be read.
    """
    digest = hashlib.sha256(b"moon bot 1\n")
    for label, data in _parts(spec, ours):
        name = os.fsencode(label)
        digest.update(b"%d %d\n%s%s" % (len(name), len(data), name, data))
    return digest.hexdigest()


def _parts(spec: BotSpec, ours: Ours) -> Iterator[tuple[str, bytes]]:
    yield "kind", spec.kind.encode()
    for name, value in spec.params:
        yield f"param {name}", value.encode()
    for word in spec.command if spec.kind is BotKind.COMMAND else ():
        yield "word", os.fsencode(word)
    yield "address", spec.address.encode()
    yield "code", spec.code.encode()
    for half, bot in zip(Half, spec.halves, strict=False):
        yield half.words, content_hash(bot, ours).encode()
    for label, path in played_files(spec, ours):
        yield label, _contents(path)


def played_files(spec: BotSpec, ours: Ours = lambda _: False) -> Iterator[tuple[str, Path]]:
    """Yields every file that counts, each with the name under which it counts."""
    match spec.kind:
        case BotKind.SAMPLE:
            yield from _sample_files(spec)
        case BotKind.FOLDER:
            assert spec.cwd is not None
            for path in _folder_files(spec.cwd, ours):
                yield path.relative_to(spec.cwd).as_posix(), path
        case BotKind.FILE:
            yield from _script_files(Path(spec.command[-1]), ours)
        case BotKind.COMMAND:
            assert spec.cwd is not None
            script = command_file(spec.command, spec.cwd)
            if script is not None:
                yield from _script_files(script, ours)
        case BotKind.INPROC:
            yield from _module_files(spec, ours)


def passed_over(folder: Path) -> Iterator[Path]:
    """Yields the directories in *folder* that do not count: those of `IGNORED`.

    Python runs what it finds in a ``__pycache__``, so where others can write, a folder is what its
    hash says only if it has none.
    """
    for directory, folders, _ in os.walk(folder):
        ignored = [name for name in sorted(folders) if name in IGNORED]
        folders[:] = [name for name in folders if name not in IGNORED]
        yield from (path for name in ignored if not (path := Path(directory, name)).is_symlink())


def _sample_files(spec: BotSpec) -> Iterator[tuple[str, Path]]:
    package, _, module = spec.command[-1].rpartition(".")
    for folder in sample_places():
        script = folder / f"{module}.py"
        if script.is_file():
            yield "file", script
            for path in imported_files([script], folder, lambda _: (), f"{package}."):
                yield path.name, path
            return


def _script_files(script: Path, ours: Ours) -> Iterator[tuple[str, Path]]:
    yield "file", script
    folder = script.resolve().parent  # where Python looks for what a script imports
    yield from _imported([script], folder, ours)


def _module_files(spec: BotSpec, ours: Ours) -> Iterator[tuple[str, Path]]:
    assert spec.cwd is not None
    module = spec.code.partition(":")[0]
    package = package_folder(module, spec.cwd)
    if package is not None:
        files = _folder_files(package, ours)
        yield from ((f"package {path.relative_to(package).as_posix()}", path) for path in files)
    else:
        found = find_module(module, spec.cwd)
        if found is None or found.origin is None:
            raise NotFoundError(f"there is no module {module} in {spec.cwd}, or installed")
        files = [Path(found.origin)]
        yield "file", files[0]
    yield from _imported(files, spec.cwd, ours)


def _imported(files: list[Path], folder: Path, ours: Ours) -> Iterator[tuple[str, Path]]:
    for path in imported_files(files, folder, lambda package: _folder_files(package, ours)):
        yield path.relative_to(folder).as_posix(), path


def _contents(path: Path) -> bytes:
    try:
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode) and not path.is_file():
            return os.fsencode(path.readlink())
        if path.is_file():
            with path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").digest()
    except OSError as error:
        raise NotFoundError(f"{path}: cannot be read: {error.strerror}") from None
    return str(stat.S_IFMT(mode)).encode()


def _folder_files(folder: Path, ours: Ours) -> list[Path]:
    found: list[Path] = []
    try:
        for directory, folders, files in os.walk(folder):
            linked = [name for name in folders if Path(directory, name).is_symlink()]
            folders[:] = [name for name in folders if name not in IGNORED]
            found.extend(Path(directory, name) for name in (*files, *linked))
    except OSError as error:
        raise NotFoundError(f"{folder}: cannot be read whole: {error.strerror}") from None
    return sorted(path for path in found if not ours(path))
