"""How a bot with a user of its own reaches what it needs, where root has shut the way."""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeAlias

from referee.bots.sandbox.places import outermost, spellings
from referee.bots.sandbox.tiers import Tier, TierUnavailableError

Screens: TypeAlias = list[dict[str, object]]


def give_place(place: Path, uid: int) -> None:
    """Makes the user *uid* the owner of the private directory of its bot.

    The directory of the run stays closed for reading; it can be passed through.
    """
    for path in (place, place / "home", place / "tmp"):
        os.chown(path, uid, uid, follow_symlinks=False)
    status = place.parent.lstat()
    if status.st_uid == os.geteuid() and not status.st_mode & 0o001:
        place.parent.chmod(stat.S_IMODE(status.st_mode) | 0o011)


def screens(readable: Iterable[Path], writable: Path, uid: int) -> Screens:
    """Returns the closed directories on the way, and what has to be shown of each.

    The launcher covers each of them for the bot alone, so that nothing has to be opened to all.
    """
    shown: dict[Path, dict[Path, bool]] = {}
    ways = [*((path, False) for path in outermost(spellings(readable))), (writable, True)]
    for path, is_writable in ways:
        if (top := _closed(path, uid)) is not None:
            shown.setdefault(top, {})[path] = is_writable
    return [
        {"top": str(top), "show": [[str(p), w] for p, w in sorted(inside.items())]}
        for top, inside in shown.items()
    ]


def apart(readable: Iterable[Path], place: Path, covered: Iterable[dict[str, object]]) -> Screens:
    """Returns the screen that hides the places of other bots, which lie beside *place*.

    None if one of the screens that *covered* closed directories hides them already.
    """
    beside = place.parent
    if any(place.is_relative_to(str(screen["top"])) for screen in covered):
        return []
    shown = [path for path in outermost(spellings(readable)) if path.is_relative_to(beside)]
    show: list[list[object]] = [[str(path), False] for path in shown]
    return [{"top": str(beside), "show": [*show, [str(place), True]]}]


def check_readable(paths: Sequence[Path], uid: int, tier: Tier) -> None:
    """Checks that the user *uid* may read each of *paths*, whatever lies above.

    Raises:
        TierUnavailableError: If not; the message says what to do.
    """
    for path in paths:
        try:
            status = path.stat()
        except OSError:
            continue
        needed = 0o5 if stat.S_ISDIR(status.st_mode) else 0o4
        if not _may(status, uid, needed):
            raise TierUnavailableError(
                tier,
                f"{path} may not be read by others, and a bot runs as a user of its own when the"
                f" referee is root: {shlex.join(['chmod', '-R', 'o+rX', str(path)])}",
            )


def _closed(path: Path, uid: int) -> Path | None:
    """Returns the first directory above *path* that *uid* may not go through."""
    for parent in reversed(path.parents):
        try:
            status = parent.lstat()
        except OSError:
            return None
        if stat.S_ISDIR(status.st_mode) and not _may(status, uid, 0o1):
            return parent
    return None


def _may(status: os.stat_result, uid: int, needed: int) -> bool:
    bits = status.st_mode >> 6 if status.st_uid == uid else status.st_mode
    return bits & needed == needed
