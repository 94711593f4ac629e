"""The program `moon` from outside, in a folder of its own that knows its processes."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.e2e.inprocess import FOLDER
from tests.e2e.processes import Process, belonging_to, below, running, wait_gone, wait_until

ROOT = Path(__file__).parents[2]
BOTS = ("./meek.py", "./tall.py", "./dice.py")
LIMIT = 300.0
"""Seconds after which a command hangs."""


class League:
    """A folder with bots, in which commands run. What they start works there, or names it.

    Attributes:
        folder: The folder.
        before: The words that come before those of every command, as to run it in a namespace.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.before: tuple[str, ...] = ()
        self._more: dict[str, str] = {}
        self._seen: set[Process] = set()
        for bot in FOLDER.glob("*.py"):
            shutil.copy(bot, folder)

    def write(self, file: str, **keys: object) -> Path:
        """Writes a tournament file over the bots of the folder; *keys* come on top, None goes."""
        lines = {"bots": list(BOTS), "seed": "s", "deals": 1, "workers": 1, **keys}
        path = self.folder / file
        text = "".join(
            f"{key} = {_toml(value)}\n" for key, value in lines.items() if value is not None
        )
        path.write_text(text)
        return path

    def environment(self) -> dict[str, str]:
        """Returns the environment of commands: bots live in the folder, sources are found."""
        return {
            **os.environ,
            "XDG_RUNTIME_DIR": str(self.folder),
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "proto")]),
            **self._more,
        }

    @contextmanager
    def setting(self, **variables: str) -> Iterator[None]:
        """Has commands see *variables* of the environment while the block runs."""
        self._more = variables
        try:
            yield
        finally:
            self._more = {}

    def start(self, *words: object) -> subprocess.Popen[str]:
        """Starts ``moon`` with *words*."""
        return subprocess.Popen(
            [*self.before, sys.executable, "-m", "tournaments.cli.main", *map(str, words)],
            cwd=self.folder,
            env=self.environment(),
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def moon(self, *words: object, code: int = 0) -> subprocess.CompletedProcess[str]:
        """Runs ``moon`` with *words* to its end; it has to exit with *code*."""
        process = self.start(*words)
        try:
            out, err = process.communicate(timeout=LIMIT)
        except BaseException:
            process.kill()
            process.communicate()
            raise
        assert process.returncode == code, f"exit code {process.returncode}\n{out}\n{err}"
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def out(self, *words: object) -> str:
        """Returns what ``moon`` with *words* writes to standard output."""
        return self.moon(*words).stdout

    def wait(
        self, process: subprocess.Popen[str], condition: Callable[[], object], what: str
    ) -> None:
        """Returns once *condition* holds while *process* runs."""
        self.see(process)
        wait_until(lambda: process.poll() is not None or condition(), what)
        assert process.poll() is None, f"it ended before this was so: {what}"

    def kill(self, process: subprocess.Popen[str], within: float) -> None:
        """Kills *process* as ``kill -9`` does; all that it started has to go *within* seconds."""
        self.see(process)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        wait_gone(self._mine(), within)

    def see(self, process: subprocess.Popen[str]) -> None:
        """Keeps in mind what *process* has started: some of it closes itself to us."""
        self._seen |= below(process.pid)

    def _mine(self) -> set[Process]:
        return belonging_to(self.folder) | (self._seen & running().keys())

    def check_nothing_runs(self) -> None:
        """Fails if a process that was started from here, or lives here, is left; and ends it."""
        try:
            wait_gone(self._mine(), 20)
        finally:
            for process in self._mine():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process.pid, signal.SIGKILL)


@contextmanager
def league() -> Iterator[League]:
    """A league in a new folder with a short path: the paths of sockets have a limit."""
    with tempfile.TemporaryDirectory(prefix="m") as name:
        made = League(Path(name))
        try:
            yield made
        finally:
            made.check_nothing_runs()


def _toml(value: object) -> str:
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key} = {_toml(item)}' for key, item in value.items())} }}"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, Sequence):
        return f"[{', '.join(map(_toml, value))}]"
    return str(value).lower()
