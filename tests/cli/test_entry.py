"""`python -m tournaments.cli.entry` is `moon`: it runs, and does not end without a word."""

from __future__ import annotations

import runpy
import sys

import pytest


@pytest.mark.parametrize(("words", "code"), [(["rules", "list"], 0), (["no-such-command"], 2)])
def test_the_module_runs_a_command(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    code: int,
) -> None:
    monkeypatch.setattr(sys, "argv", ["moon", *words])
    monkeypatch.delitem(sys.modules, "tournaments.cli.entry", raising=False)
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("tournaments.cli.entry", run_name="__main__")
    assert ended.value.code == code
    written = capsys.readouterr()
    assert "tournament-3p" in written.out if code == 0 else "no-such-command" in written.err
