"""What lies in the folder of a league without a line of its log: left by a kill, or told no more.

A copy is placed before the line that enters it. While that is so a mark stands beside it, so a copy
without a line is the rest of a submission that was killed if it has a mark, and else an entry whose
line was lost. The latter is never removed: it may be all that is left of the entry.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Set
from pathlib import Path

from referee.bots.rundir import remove_tree
from referee.errors import StoreError, VerificationError
from tournaments.files import paths_in
from tournaments.league.audit import Audit
from tournaments.store import Store
from tournaments.store.digest import digest_path

_COPY = re.compile(r"[0-9a-f]{64}")
_LEFT = re.compile(r"\.([0-9a-f]{64})\.(new|entering)")
_NIGHT = re.compile(r"night-([1-9]\d*)\.sqlite")


def draft_of(place: Path) -> Path:
    """Returns where a copy is written before it is renamed to *place*."""
    return place.with_name(f".{place.name}.new")


def mark_of(place: Path) -> Path:
    """Returns the file that stands beside the copy at *place* until the log knows it."""
    return place.with_name(f".{place.name}.entering")


def unknown_copies(folder: Path, known: Set[str]) -> Iterator[Path]:
    """Yields what is in *folder*, that of the copies, and neither known nor left by a kill.

    Args:
        folder: Where the copies are.
        known: The contents that the log has entered.
    """
    for path in paths_in(folder):
        is_left = _LEFT.fullmatch(path.name) or mark_of(path).exists()
        if path.name not in known and not is_left:
            yield path


def sweep(folder: Path, known: Set[str]) -> None:
    """Removes from *folder* what submissions that were killed have left there."""
    for path in paths_in(folder):
        left = _LEFT.fullmatch(path.name)
        is_draft = left is not None and left[2] == "new"
        is_copy = _COPY.fullmatch(path.name) and path.name not in known
        if is_draft or (is_copy and mark_of(path).exists()):
            remove_tree(path)
    # The marks go last: a sweep that is killed leaves no copy without one.
    for path in paths_in(folder):
        left = _LEFT.fullmatch(path.name)
        if left is not None and left[2] == "entering" and not _is_unswept(folder, left[1], known):
            path.unlink()


def _is_unswept(folder: Path, content: str, known: Set[str]) -> bool:
    return content not in known and (folder / content).exists()


def unknown_nights(folder: Path, audit: Audit) -> Iterator[Path]:
    """Yields the nights in *folder* in which was played or that were closed, unknown to *audit*.

    A night is sealed in the log before its first table, so no kill leaves one like that.
    """
    known = {line.details.get("night") for line in audit.lines}
    for path in paths_in(folder):
        match = _NIGHT.fullmatch(path.name)
        if match is None or int(match[1]) in known:
            continue
        is_played = digest_path(path).exists()
        # One that was being made when it was killed cannot be read, and nobody has played in it.
        with contextlib.suppress(StoreError), Store.open(path) as store:
            is_played = is_played or store.is_closed or store.first_table_at() is not None
        if is_played:
            yield path


def check_known(copies: Path, nights: Path, known: Set[str], audit: Audit) -> None:
    """Checks that the log of a league knows all that lies in its folder.

    Args:
        copies: The folder of the frozen copies.
        nights: That of the nights.
        known: The contents that the log has entered.
        audit: The log.

    Raises:
        VerificationError: if not: it is an older one, or its last lines are gone.
    """
    copy = (path for path in unknown_copies(copies, known) if _COPY.fullmatch(path.name))
    path = next(copy, None) or next(unknown_nights(nights, audit), None)
    if path is not None:
        raise VerificationError(
            f"{audit.path}: says nothing of {path}: the log is an older one, or its last lines are "
            "gone; put it back from a copy of the league, or move what it does not know out of the "
            "league; nothing was changed"
        )
