"""Records from wherever they are: standard input, a file of JSON lines or chat lines, a store."""

from __future__ import annotations

import stat
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, TypeAlias

from referee.errors import ConfigError, NotFoundError
from referee.match import DealLine, MatchRecord, RecordError, load_matches, read_line
from referee.match.fields import decode
from referee.match.notation import FORMAT

if TYPE_CHECKING:
    from tournaments.results import TableResult
    from tournaments.store import Store

STDIN = "-"
LONGEST_LINE = 1 << 24
"""A line of more bytes is no line of a record, and is not read any further."""
_STORE = b"SQLite format 3\0"


class ChatDeal(NamedTuple):
    """A deal that was written as a chat line."""

    where: str
    """What it is called in an error: the file and the line."""
    number: int
    """Its line, from 1."""
    line: DealLine


Entry: TypeAlias = MatchRecord | ChatDeal


def located(where: str) -> str:
    """Returns where the records are: *where* itself, or the store of the tournament file it names.

    Raises:
        NotFoundError: if there is no such tournament file.
        ConfigError: if it means nothing.
    """
    if not where.endswith(".toml"):
        return where
    from tournaments.config import store_path  # noqa: PLC0415 - slow, and seldom needed

    return str(store_path(where))


def is_store(where: str) -> bool:
    """Returns whether *where* names a store and no file of lines.

    Raises:
        NotFoundError: if there is no such file.
        ConfigError: if it cannot be read.
    """
    # What is read from a pipe to look at it would be gone.
    if where == STDIN or _is_pipe(where):
        return False
    with _open(where) as file:
        return file.read(len(_STORE)) == _STORE


def open_store(where: str) -> Store:
    """Returns the store at *where*, for reading."""
    from tournaments.store import Store  # noqa: PLC0415 - slow, and most records are files

    return Store.open(where)


def entries(where: str, table: str | None = None) -> Iterator[Entry]:
    """Yields the records at *where*, one after the other, as they are read.

    Args:
        where: A file, a store, or ``-`` for standard input.
        table: Only the match with this id.

    Raises:
        RecordError: at what cannot be read; the message names the line.
        NotFoundError: if there is no such file, or no such table in it.
        ConfigError: if it cannot be read.
        StoreError: if a store is damaged.
    """
    if is_store(where):
        with open_store(where) as store:
            for result in results(store, table):
                yield record_of(store, result)
    else:
        found = False
        for entry in _text_entries(where):
            if table is None or (isinstance(entry, MatchRecord) and entry.table == table):
                found = True
                yield entry
        if table is not None and not found:
            raise NotFoundError(f"{_name(where)}: has no table {table!r}")


def results(store: Store, table: str | None = None) -> Iterator[TableResult]:
    """Yields the played tables of a store, or the one with this id.

    Raises:
        NotFoundError: if there is no such table, or it is void and has no record.
    """
    from tournaments.schedule import TableId  # noqa: PLC0415 - as above

    if table is None:
        yield from store.results()
        return
    result = store.result(TableId(table))
    if result.is_void:
        raise NotFoundError(f"{store.path}: table {table} is void and has no record")
    yield result


def record_of(store: Store, result: TableResult) -> MatchRecord:
    """Returns the record in *result*.

    Raises:
        RecordError: if there is not exactly one, or it cannot be read.
    """
    source = f"{store.path}, table {result.id}"
    matches = list(load_matches(result.record.split("\n"), source))
    if len(matches) != 1:
        raise RecordError(source, f"holds {len(matches)} matches; expected one")
    return matches[0]


def _name(where: str) -> str:
    return "standard input" if where == STDIN else where


def _is_pipe(where: str) -> bool:
    try:
        mode = Path(where).stat().st_mode
    except (OSError, ValueError):
        return False  # opening it will say what is wrong
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)


def _open(where: str) -> BinaryIO:
    try:
        return Path(where).open("rb")
    except FileNotFoundError:
        raise NotFoundError(f"{where}: there is no such file") from None
    except OSError as error:
        problem = f"cannot be read: {(error.strerror or '').lower()}"
        raise ConfigError(where, None, problem) from None
    except ValueError as error:  # a name with a zero byte in it
        raise ConfigError(repr(where), None, f"cannot be read: {error}") from None


def _text_entries(where: str) -> Iterator[Entry]:
    if where == STDIN:
        yield from read_entries(sys.stdin.buffer, _name(where))
        return
    with _open(where) as file:
        yield from read_entries(file, where)


def read_entries(file: BinaryIO, name: str) -> Iterator[Entry]:
    """Yields the matches of JSON lines, or the deals of chat lines, whichever *file* begins with.

    Args:
        file: What to read.
        name: What it is called in an error.

    Raises:
        RecordError: at what cannot be read.
    """
    lines = _lines(file, name)
    passed: list[bytes] = []
    for line in lines:
        passed.append(line)
        if text := decode(f"{name}, line {len(passed)}", line).strip():
            break
    else:
        raise RecordError(name, "is empty")
    if not text.startswith(("{", FORMAT.rstrip("0123456789"))):
        raise RecordError(
            f"{name}, line {len(passed)}",
            f"is neither a deal (it would begin with {FORMAT}) nor a match as JSON lines",
        )
    numbered = enumerate(chain(passed, lines), 1)
    if text.startswith("{"):
        yield from load_matches((line for _, line in numbered), name)
        return
    for number, line in numbered:
        where = f"{name}, line {number}"
        if chat := decode(where, line).strip():
            yield ChatDeal(where, number, read_line(chat, where))


def _lines(file: BinaryIO, name: str) -> Iterator[bytes]:
    number = 0
    while line := file.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE:
            raise RecordError(f"{name}, line {number}", f"has more than {LONGEST_LINE} bytes")
        yield line
