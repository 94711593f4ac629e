"""Commands run inside the test: quick, and with what they write kept apart."""

from __future__ import annotations

import pytest

from tournaments.cli.main import main


class Screen:
    """What a reader of ``moon`` sees."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.error = ""

    def moon(self, *words: object, code: int = 0) -> str:
        """Returns what ``moon`` with *words* writes to standard output; it exits with *code*."""
        got = main([*map(str, words)])
        written = self._capsys.readouterr()
        self.error = written.err
        assert got == code, f"exit code {got}\n{written.out}\n{written.err}"
        assert "Traceback (most recent call last)" not in written.out
        return written.out
