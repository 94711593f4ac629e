"""What a bot may take and how tightly it is held: tiers, limits, and what the keeper starts."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from referee.errors import MoonError

MEBIBYTE = 2**20


class Tier(StrEnum):
    """How tightly a bot is held."""

    NONE = "none"
    """An ordinary program of the user: for bots that are trusted like one's own hand."""
    BASIC = "basic"
    """Limits, Landlock and a filter of system calls; needs nothing installed and no privilege."""
    HARDENED = "hardened"
    """Namespaces of its own (bubblewrap) besides: for bots of strangers."""


class TierUnavailableError(MoonError):
    """This host cannot hold a bot in the way that was asked for."""

    exit_code = 2

    def __init__(self, tier: Tier, problem: str) -> None:
        self.tier = tier
        super().__init__(f"sandbox {tier}: {problem}")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one bot may use. None of them has a value that means no limit."""

    memory: int = 1024 * MEBIBYTE
    """Bytes, resident and swapped out, of all its processes together."""
    processes: int = 64
    threads: int = 128
    """Threads of all its processes together."""
    open_files: int = 256
    """Of one process."""
    file_size: int = 64 * MEBIBYTE
    """Bytes of one file."""
    disk: int = 256 * MEBIBYTE
    """Bytes of all that it writes."""
    files: int = 10_000
    """How many files it may have."""
    cpu_time: float = 3600.0
    """Seconds of one process."""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """How a bot is held."""

    tier: Tier = Tier.BASIC
    limits: Limits = Limits()


@dataclass(frozen=True, slots=True)
class Launch:
    """What the keeper must start so that a bot runs as it should."""

    argv: tuple[str, ...]
    """The program and its arguments. The word ``@0``, ``@1``.. stands for the number of the
    descriptor from which ``inputs[0]``, ``inputs[1]``.. can be read, and ``@info`` for the one to
    which bubblewrap writes its child pid. Neither may reach any other program."""
    env: dict[str, str]
    """The whole environment of that first program."""
    cwd: Path
    inputs: tuple[bytes, ...] = ()
    socket_inside: Path | None = None
    """Where the bot's socket is for the bot itself, when that is not where it is for us."""
    token: str = field(default="", repr=False)
    """What the launcher signs its own last words with; the bot never learns it."""
    cannot_close: bool = False
    """Whether the bot cannot change the modes of its own place: if they change, another did it."""


@dataclass(frozen=True, slots=True)
class LaunchFailure:
    """Why a bot was never started, as the launcher has said."""

    problem: str
    ours: bool
    """Whether the bot is not to blame: what was to hold it could not be set up."""
