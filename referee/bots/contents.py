"""One hash over all that makes a bot play as it plays, to notice that it was changed."""

from __future__ import annotations

import ast
import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from referee.bots.modules import find_module, package_folder
from referee.bots.spec import BotKind, BotSpec, command_file, sample_places
from referee.errors import NotFoundError

IGNORED = frozenset({"__pycache__", ".git"})
"""Directories of a bot's folder that are not played."""


def content_hash(spec: BotSpec) -> str:
    """Returns the SHA-256 of what is played: the files, the command, the address, the parameters.

    The name, the place of the files on this machine and the Python that runs us do not count. What
    a build makes does: build first.

    Raises:
        NotFoundError: If a file cannot be read.
    """
    digest = hashlib.sha256(b"moon bot 1\n")
    for label, data in _parts(spec):
        name = os.fsencode(label)
        digest.update(b"%d %d\n%s%s" % (len(name), len(data), name, data))
    return digest.hexdigest()


def _parts(spec: BotSpec) -> Iterator[tuple[str, bytes]]:
    yield "kind", spec.kind.encode()
    for name, value in spec.params:
        yield f"param {name}", value.encode()
    yield from _code(spec)


def _code(spec: BotSpec) -> Iterator[tuple[str, bytes]]:
    match spec.kind:
        case BotKind.REMOTE:
            yield "address", spec.address.encode()
        case BotKind.INPROC:
            yield "code", spec.code.encode()
            for path in _module_files(spec):
                yield path.name, _contents(path)
        case BotKind.SAMPLE:
            for path in _sample_files(spec.command[-1].rpartition(".")[2]):
                yield path.name, _contents(path)
        case BotKind.FILE:
            yield "file", _contents(Path(spec.command[-1]))
        case BotKind.COMMAND:
            for word in spec.command:
                yield "word", os.fsencode(word)
            assert spec.cwd is not None
            script = command_file(spec.command, spec.cwd)
            if script is not None:
                yield "file", _contents(script)
        case BotKind.FOLDER:
            assert spec.cwd is not None
            for path in _folder_files(spec.cwd):
                yield path.relative_to(spec.cwd).as_posix(), _contents(path)


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


def _folder_files(folder: Path) -> list[Path]:
    found: list[Path] = []
    for directory, folders, files in os.walk(folder):
        linked = [name for name in folders if Path(directory, name).is_symlink()]
        folders[:] = [name for name in folders if name not in IGNORED]
        found.extend(Path(directory, name) for name in (*files, *linked))
    return sorted(found)


def _module_files(spec: BotSpec) -> list[Path]:
    """Returns the source of a bot inside this program: its module, or the whole package of it."""
    assert spec.cwd is not None
    module = spec.code.partition(":")[0]
    package = package_folder(module, spec.cwd)
    if package is not None:
        return _folder_files(package)
    found = find_module(module, spec.cwd)
    if found is None or found.origin is None:
        raise NotFoundError(f"there is no module {module} in {spec.cwd}, or installed")
    return [Path(found.origin)]


def _sample_files(name: str) -> list[Path]:
    """Returns the source of the built-in bot *name* and of what it imports from its neighbours."""
    found: dict[str, Path] = {}
    todo = [name]
    while todo:
        module = todo.pop()
        paths = [place / f"{module}.py" for place in sample_places()]
        path = next((path for path in paths if path.is_file()), None)
        if path is None or module in found:
            continue
        found[module] = path
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            else:
                continue
            ours = (name.split(".") for name in names if name.startswith("sample_bots."))
            todo.extend(parts[1] for parts in ours)
    return [path for _, path in sorted(found.items())]
