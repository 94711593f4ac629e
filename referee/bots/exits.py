"""How programs end, and why they do not begin."""

from __future__ import annotations

import contextlib
import errno
import shlex
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from referee.errors import BotError, MoonError

_OUR_FAULT = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.ENOSPC}


class KeeperError(MoonError):
    """The keeper ended or could not do its work, which is never a bot's fault."""


class BotStartError(BotError):
    """The program of a bot cannot be run at all."""


@dataclass(frozen=True, slots=True)
class ExitReport:
    """How a program ended, and the end of what it wrote."""

    code: int | None
    signal: int | None
    killed: bool
    """We ended it."""
    stdout: bytes
    stderr: bytes
    over: str = ""
    """What it used too much, so that we ended it: `used 1.2 GiB of memory, 1 GiB allowed`."""
    cpu: float = 0.0
    """Seconds of CPU that it used, with all that it waited for."""
    peak: int = 0
    """The most memory that was seen in use, in bytes; 0 if nobody looked."""
    written: int = 0
    """Bytes that it wrote to both streams."""
    stderr_written: int = 0
    """Bytes that it wrote to standard error."""

    def __str__(self) -> str:
        if self.over:
            return self.over
        if self.signal is None:
            return f"exit code {self.code}"
        with contextlib.suppress(ValueError):
            return f"signal {signal.Signals(self.signal).name}"
        return f"signal {self.signal}"


class SpawnFailure(Exception):  # noqa: N818 - it becomes an error with a name of its own
    """What the system said when a program was to be started."""

    def __init__(self, code: int, problem: str) -> None:
        super().__init__(problem)
        self.code = code
        self.problem = problem

    def explain(self, argv: Sequence[str], cwd: Path) -> MoonError:
        """Returns the error to raise for the command *argv* in *cwd*."""
        problem = self.problem.lower()
        if self.code in _OUR_FAULT:
            return KeeperError(f"cannot start {shlex.join(argv)}: {problem}")
        if not cwd.is_dir():
            problem = f"the directory {cwd} does not exist"
        elif self.code == errno.ENOENT and "/" in argv[0] and (cwd / argv[0]).is_file():
            problem = "its first line names an interpreter that does not exist"
        elif self.code == errno.ENOEXEC:
            problem = "neither a binary of this machine nor a script with #! in its first line"
        return BotStartError(f"cannot run {argv[0]!r} in {cwd}: {problem}")
