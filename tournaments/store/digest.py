"""The digest of a finished store: every byte of the file, also those that hold nothing.

The checksums in a store cover what is stored. A file of SQLite has more bytes than that: counters
in its header, free pages, and what earlier rows have left in the middle of a page. They mean
nothing to whoever reads the tables, but nobody else can tell that they were not touched. So when a
run is closed, and the file is not to change any more, a text file beside it takes the hash of each
page and of all of them.

The digest is lines of text: a title with the number of pages and their size, for each page the
first 16 digits of its SHA-256, and at the end the SHA-256 of all lines before.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Iterator
from pathlib import Path

from referee.errors import StoreError
from tournaments.files import write_whole
from tournaments.store.database import check_file, check_ordinary, end_log
from tournaments.store.readers import readers

TRIES, PAUSE = 20, 0.1
"""How often what is left in a log is tried to be brought into the store, and seconds between."""
CHANGING = ("-wal", "-journal")
"""What files beside a store are called whose contents hold instead of those in it."""
SUFFIX = ".digest"
"""What the name of a digest has behind that of its store."""
_FAMILY = "moon-digest/"
_TITLE = f"{_FAMILY}1"
_DIGITS = 16
_SHOWN = 8
"""How many pages are named one by one."""
_NUMBER = re.compile(r"[1-9][0-9]{0,14}")


def digest_path(store: Path) -> Path:
    """Returns where the digest of *store* is."""
    return store.with_name(store.name + SUFFIX)


def write_digest(store: Path) -> str:
    """Writes the digest of *store*, which nobody has open for writing, and returns its hash.

    Raises:
        StoreError: if the store cannot be read, part of it is still in a log, or the digest cannot
            be written.
    """
    size = int.from_bytes(check_file(store)[16:18], "big")
    size = 65536 if size == 1 else size
    if not _is_one_file(store):
        raise StoreError(
            f"{store}: is still read by {readers(store) or 'a process that cannot be seen'}, so it "
            "cannot be brought into one file; let that end, and do the same again"
        )
    path = digest_path(store)
    try:
        pages = list(_pages(store, size))
        body = "".join(f"{line}\n" for line in (f"{_TITLE} {len(pages)} {size}", *pages))
        whole = hashlib.sha256(body.encode()).hexdigest()
        write_whole(path, f"{body}{whole}\n")
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {(error.strerror or '').lower()}") from None
    return whole


def _is_one_file(store: Path) -> bool:
    """Brings what is left in a log into *store*; whether that could be done.

    Whoever read it when it was closed may have been in the way, and be gone by now, or soon.
    """
    log = store.with_name(f"{store.name}-wal")
    for _ in range(TRIES):
        if not log.exists():
            return True
        end_log(store)
        if log.exists():
            time.sleep(PAUSE)
    return not log.exists()


def read_hash(store: Path) -> str:
    """Returns the hash that ends the digest of *store*; empty if there is none.

    Raises:
        StoreError: if something else than a file has its name.
    """
    check_ordinary(digest_path(store))
    try:
        lines = digest_path(store).read_text(encoding="ascii", errors="replace").split("\n")
    except OSError:
        return ""
    return lines[-2] if len(lines) > 1 else ""


def digest_differences(store: Path) -> list[str]:
    """Returns where *store* is not what its digest says, a line each; nothing without a digest.

    Raises:
        StoreError: if one of the two cannot be read.
    """
    path = digest_path(store)
    check_ordinary(path)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {(error.strerror or '').lower()}") from None
    for log in (store.with_name(store.name + end) for end in CHANGING):
        if log.exists():
            return [f"{log}: changes what is read of the store, which was closed without it"]
    end = data[:-1].rfind(b"\n") + 1
    body, whole = data[:end], data[end:]
    if whole != hashlib.sha256(body).hexdigest().encode() + b"\n":
        return [f"{path}: is not what was written: its last line is not the hash of the others"]
    # Who changes a digest can also put the right hash below it.
    title, *rest = body.decode("ascii", "replace").split() or [""]
    if not title.startswith(_FAMILY):
        return [f"{path}: is no digest: its first line does not begin with {_FAMILY}"]
    if title != _TITLE:
        raise StoreError(f"{path}: is a digest of a kind that this program does not know: {title}")
    if len(rest) < 2 or not all(map(_NUMBER.fullmatch, rest[:2])):
        return [f"{path}: is no digest: its first line has not the number of pages and their size"]
    count, size, hashes = int(rest[0]), int(rest[1]), rest[2:]
    if len(hashes) != count:
        return [f"{path}: is no digest: it has {len(hashes)} hashes of {count} pages"]
    return list(_compared(store, count, size, hashes))


def _compared(store: Path, count: int, size: int, told: list[str]) -> Iterator[str]:
    try:
        found = list(_pages(store, size))
    except OSError as error:
        raise StoreError(f"{store}: cannot be read: {(error.strerror or '').lower()}") from None
    if len(found) != count:
        yield f"{store}: has {len(found)} pages of {size} bytes; it was closed with {count}"
    wrong = [n for n, pair in enumerate(zip(told, found, strict=False)) if pair[0] != pair[1]]
    for number in wrong[:_SHOWN]:
        first = number * size
        yield (
            f"{store}: page {number + 1} (bytes {first} to {first + size - 1}) is not what it was "
            "when the run was closed"
        )
    if len(wrong) > _SHOWN:
        yield f"{store}: and so are {len(wrong) - _SHOWN} more pages"


def _pages(store: Path, size: int) -> Iterator[str]:
    """Yields the hash of each page; what is left at the end of the file counts as one too."""
    check_ordinary(store)
    with store.open("rb") as file:
        while page := file.read(size):
            yield hashlib.sha256(page).hexdigest()[:_DIGITS]
