"""What a Python bot imports from its own folder, read from its source without running it."""

from __future__ import annotations

import ast
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from importlib.machinery import all_suffixes
from pathlib import Path

MOST_PARSED = 128 << 10
"""Bytes of a source that is parsed whole. Python takes up to 700 bytes of memory for each of them,
and a stranger may write what is worst; a longer source is looked through line by line."""

_STATEMENT = re.compile(rb"^[ \t]*(?:from[ \t]+([\w.]+)|import[ \t]+([^\n;#]+))", re.MULTILINE)


def imported_files(
    begin: Iterable[Path],
    folder: Path,
    package_files: Callable[[Path], Iterable[Path]],
    prefix: str = "",
) -> list[Path]:
    """Returns the files that *begin* imports from *folder*, directly or not, in a fixed order.

    What ``import`` and ``from`` statements name anywhere in the source is followed, in whatever
    function or branch they stand; in a source of more than `MOST_PARSED` bytes, those that begin a
    line. What is imported by a name that is put together while the bot runs is not found.

    Args:
        begin: Python files. They are not part of the answer, unless they are imported.
        folder: Where modules are looked for.
        package_files: Returns all files of a package; it counts whole.
        prefix: What the names of the modules in *folder* begin with, ``package.``, if anything.
    """
    found: set[Path] = set()
    todo = list(begin)
    seen: set[str] = set()
    while todo:
        path = todo.pop()
        names = _names(path) if path.suffix == ".py" else ()
        modules = {n.removeprefix(prefix).split(".")[0] for n in names if n.startswith(prefix)}
        for module in modules - seen:
            seen.add(module)
            fresh = set(_module_files(module, folder, package_files)) - found
            found |= fresh
            todo.extend(fresh)
    return sorted(found)


def _module_files(
    module: str, folder: Path, package_files: Callable[[Path], Iterable[Path]]
) -> Iterator[Path]:
    """Yields every file that an import of *module* may load."""
    for suffix in all_suffixes():
        path = folder / f"{module}{suffix}"
        if path.is_file():
            yield path
    package = folder / module
    # A folder without an `__init__` gives way to whatever else has its name.
    if any(package.glob("__init__.*")) or (
        package.is_dir() and module not in sys.stdlib_module_names
    ):
        yield from package_files(package)


def _names(path: Path) -> tuple[str, ...]:
    """Returns the absolute names that a file imports; none if it is no Python that we can read."""
    try:
        source = path.read_bytes()
    except OSError:
        return ()
    if len(source) > MOST_PARSED:
        found = (match[1] or match[2] for match in _STATEMENT.finditer(source))
        lists = (each.decode(errors="replace").split(",") for each in found)
        return tuple({word[0] for each in lists for name in each if (word := name.split())})
    return _parsed(source)


@lru_cache(maxsize=256)
def _parsed(source: bytes) -> tuple[str, ...]:
    """Returns the absolute names that *source* imports; it is read at each start of a bot."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # whatever is doubtful in it, its author will be told
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    return tuple(_named_in(tree))


def _named_in(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
