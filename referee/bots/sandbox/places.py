"""What of this machine a bot may see, in whichever way it is held."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt",
    "/nix/store",
    "/gnu/store",
    "/home/linuxbrew/.linuxbrew",
)
"""Where programs and libraries are on the systems we know."""

ETC = (
    "alternatives",
    "ca-certificates",
    "crypto-policies",
    "fonts",
    "gai.conf",
    "group",
    "host.conf",
    "hosts",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "mime.types",
    "nsswitch.conf",
    "os-release",
    "passwd",
    "pki",
    "protocols",
    "resolv.conf",
    "services",
    "ssl",
    "timezone",
)
"""What ordinary programs look for in `/etc` and stumble without."""

SYS = ("devices/system/cpu", "devices/system/node", "fs/cgroup", "kernel/mm")
"""Where runtimes look how many cores and how much memory there is."""

DEVICES = ("null", "full", "random", "urandom")
"""Not `zero`: who maps it has memory that nobody counts."""


def system() -> list[Path]:
    """Returns the directories of the system and of Python, each once."""
    prefixes = (sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix)
    return existing([*map(Path, SYSTEM), *map(Path, prefixes)])


def settings() -> list[Path]:
    """Returns what may be read in `/etc`."""
    etc = Path("/etc")
    return existing([*(etc / name for name in ETC), *sorted(etc.glob("java*"))])


def program(command: Sequence[str], cwd: Path, env: Mapping[str, str]) -> list[Path]:
    """Returns the file of the program of *command*, as it is found and where it really is."""
    word = command[0]
    found = cwd / word if "/" in word else shutil.which(word, path=env.get("PATH"))
    return [] if found is None else existing([Path(found), Path(found).resolve()])


def existing(paths: Iterable[Path]) -> list[Path]:
    """Returns those of *paths* that exist, each once.

    What lies behind a directory that is closed to us does not exist for us; a `Path` raises there.
    """
    return [path for path in dict.fromkeys(paths) if os.path.exists(path)]  # noqa: PTH110 - see above


def is_within(path: Path, trees: Iterable[Path]) -> bool:
    """Returns whether *path* is one of *trees* or lies below one."""
    return any(path.is_relative_to(tree) for tree in trees)


def outermost(paths: Iterable[Path]) -> list[Path]:
    """Returns *paths* without those that lie below another one."""
    kept: list[Path] = []
    for path in sorted(set(paths), key=lambda path: len(path.parts)):
        if not is_within(path, kept):
            kept.append(path)
    return kept


def spellings(paths: Iterable[Path]) -> Iterator[Path]:
    """Yields every path as it was written, and where it really is if that is elsewhere."""
    for path in paths:
        written = Path(os.path.abspath(path))  # noqa: PTH100 - must not follow links
        yield written
        real = path.resolve()
        if real != written:
            yield real


def library_path() -> dict[str, str]:
    """Returns the variables without which some builds of Python cannot start."""
    names = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
    return {name: os.environ[name] for name in names if name in os.environ}
