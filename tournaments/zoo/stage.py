"""What the zoo lays out for its programs to find, and what it looks for afterwards.

Everything that a bot must not see is planted with a text that was made for this run, so that a
single look at what the bot wrote tells whether it saw it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import socket
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Self

from referee.bots.keeper.processes import all_processes, mark_of
from referee.bots.rundir import temporary_folder

PREFIX = "zoo-canary:"
"""What every planted text begins with; a program may know it, as it would know a file's format."""


class Stage:
    """The planted secrets. Use it as a context manager; nothing of it is left afterwards.

    Attributes:
        secrets: By what they are: the texts that no bot may ever write.
        facts: What programs are told, for those who would find it out by themselves: paths and
            numbers, never what they hold.
    """

    def __init__(self, key: str) -> None:
        """Makes a stage for tables that are dealt from *key*, in hexadecimal."""
        self._stack = contextlib.ExitStack()
        self._files: dict[str, Path] = {}
        self.secrets: dict[str, str] = {"the key of the match": key}
        self.facts: dict[str, str] = {"referee": str(os.getpid()), "prefix": PREFIX}

    def __enter__(self) -> Self:
        _sweep(_home())
        folder = self._stack.enter_context(temporary_folder())
        # As a store of results would lie there: whoever may see the directory may read it.
        folder.chmod(0o755)
        try:
            self._plant("canary_file", folder / "results.db", "a file of the referee")
            self._plant(
                "home_file", _home() / f".zoo-{folder.name}", "a file in the referee's home"
            )
        except BaseException:
            self._stack.close()
            raise
        self._serve()
        # Lies in the memory of this process for as long as the stage stands.
        self.secrets["the memory of the referee"] = PREFIX + secrets.token_hex(16)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def plant_in(self, directory: Path) -> None:
        """Plants a file in the run *directory* of an arena, which goes with it."""
        what = "the directory of the run"
        text = self.secrets.setdefault(what, PREFIX + secrets.token_hex(16))
        (directory / "canary").write_text(text)

    def leaked(self, output: bytes) -> tuple[str, ...]:
        """Returns which of the secrets stand in what a bot wrote."""
        return tuple(what for what, text in self.secrets.items() if text.encode() in output)

    def mend(self) -> tuple[str, ...]:
        """Returns which of the planted files were changed or are gone, and makes them whole."""
        harmed = [what for what, path in self._files.items() if not self._is_whole(what, path)]
        for what in harmed:
            # Not through the old name: it may be a link by now.
            self._files[what].unlink(missing_ok=True)
            self._files[what].write_text(self.secrets[what])
        return tuple(harmed)

    def _is_whole(self, what: str, path: Path) -> bool:
        with contextlib.suppress(OSError):
            return path.read_text() == self.secrets[what]
        return False

    def _serve(self) -> None:
        """Opens a port of this host that a bot may look for; whoever connects hears nothing."""
        server = self._stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=64))
        self.facts["port"] = str(server.getsockname()[1])

    def _plant(self, fact: str, path: Path, what: str) -> None:
        self.secrets[what] = PREFIX + secrets.token_hex(16)
        file = self._stack.enter_context(path.open("w"))
        fcntl.flock(file, fcntl.LOCK_EX)
        self._stack.callback(path.unlink, missing_ok=True)
        file.write(self.secrets[what])
        file.flush()
        self._files[what] = path
        # Not as a path: what the command of a bot names, it may read.
        self.facts[fact] = f"at:{path}"


def _home() -> Path:
    """Returns the home of who runs the zoo; a temporary directory if that is closed."""
    home = Path.home()
    return home if os.access(home, os.W_OK) else Path(tempfile.gettempdir())


def _sweep(home: Path) -> None:
    """Removes what runs that were killed have planted in *home*: files that nobody holds."""
    for path in home.glob(".zoo-*"):
        with contextlib.suppress(OSError), path.open() as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if file.read(len(PREFIX)) == PREFIX:
                path.unlink()


def open_descriptors() -> int:
    """Returns how many files this process has open."""
    return len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").is_dir() else 0  # noqa: PTH208


def processes_of(token: str, commands: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[int, str]]:
    """Yields the living processes of a run with whose they are: a key of *commands*, or nothing.

    Args:
        token: What the marks of the run begin with.
        commands: The end of the command line of each program; a fork has that of its parent, even
            if it hides its mark.
    """
    ends = {name: b"\0".join(map(os.fsencode, words)) for name, words in commands.items()}
    for entry in all_processes():
        if not entry.living or entry.pid == os.getpid():
            continue
        try:
            line = Path(f"/proc/{entry.pid}/cmdline").read_bytes().rstrip(b"\0")
        except OSError:
            continue
        owner = next((name for name, end in ends.items() if line.endswith(end)), "")
        if owner or mark_of(entry.pid).startswith(token):
            yield entry.pid, owner


def directories_in(run: Path) -> set[str]:
    """Returns the names of the directories in the directory of a run."""
    with contextlib.suppress(OSError):
        return {path.name for path in run.iterdir() if path.is_dir()}
    return set()
