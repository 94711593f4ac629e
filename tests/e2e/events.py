"""A run that is read while it goes on, as a program reads it."""

from __future__ import annotations

import contextlib
import json
import subprocess
import time
from threading import Thread
from typing import IO, Any

from tests.e2e.league import League


class Run:
    """A run that is going on, and what it has announced."""

    def __init__(self, home: League, *words: object) -> None:
        """Starts the run of *words*."""
        self.process = home.start("tournament", "run", *words, "--events", "--heartbeat", "1h")
        self._home = home
        self.announced: list[dict[str, Any]] = []
        self.said = ""
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self._readers = (
            Thread(target=self._listen, args=(self.process.stdout,)),
            Thread(target=self._read, args=(self.process.stderr,)),
        )
        for reader in self._readers:
            reader.start()

    @property
    def has_ended(self) -> bool:
        """Whether its process has ended."""
        return self.process.poll() is not None

    def wait_for(self, tables: int) -> None:
        """Returns once it has announced so many tables, or has ended."""
        while len(self.announced) < tables and not self.has_ended:
            time.sleep(0.01)
        self._home.see(self.process)

    def wait(self, seconds: float) -> None:
        """Returns after so many seconds, or when it has ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)

    def end(self) -> int:
        """Returns its exit code, once it has ended and all that it said was read."""
        code = self.process.wait(600)
        for reader in self._readers:
            reader.join()
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()
        return code

    def _listen(self, stream: IO[str]) -> None:
        for line in stream:
            with contextlib.suppress(ValueError):  # the last line may be half
                self.announced.append(json.loads(line))

    def _read(self, stream: IO[str]) -> None:
        for line in stream:
            self.said += line
