"""What is shown of a night: while it is played, and how it stands afterwards."""

from __future__ import annotations

import json
import re
import shutil
from functools import partial, partialmethod
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.live import Live

from tests.league_night.leagues import new_league, play_night
from tests.league_night.offices import NamedRunner
from tournaments.cli import league_night
from tournaments.cli.league import league as command
from tournaments.league.folder import League
from tournaments.league.night import NightPlay
from tournaments.league.nights import seal_night, settle
from tournaments.sealing import finish


def test_the_live_table_has_the_rows_of_the_standings_and_its_bar_counts_tables_of_a_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    league = new_league(tmp_path / "league")
    play_night(league, 1)
    monkeypatch.setattr(league_night, "NightPlay", partial(NightPlay, runner=NamedRunner))
    monkeypatch.setenv("FORCE_COLOR", "1")  # as a terminal would
    monkeypatch.setattr(Live, "update", partialmethod(Live.update, refresh=True))  # at once
    words = ["night", "--rounds", "2", "--league", str(league.folder)]
    done = CliRunner().invoke(command, words, standalone_mode=False)
    assert done.exception is None
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", done.output).replace("\r", "\n")
    bars = re.findall(r"round (\d): tables \S+ +(\d)/3", plain)
    assert {("1", "3"), ("2", "1"), ("2", "3")} <= set(bars)
    assert bars == sorted(bars), "it never goes back but where a round begins"
    entry = r"\n *\d+ +(?:[\d-]+ +)?(\w+#\d) .+? +(\d) +(\d+) +(\d+)  -"
    live, final = plain.rsplit("nights, ", 1)
    assert sorted(re.findall(entry, live)[-3:]) == sorted(re.findall(entry, final))
    assert {(nights, tables) for _, nights, tables, _ in re.findall(entry, final)} == {("2", "9")}
    assert "going by what was played before, a round takes" not in plain, "nothing was measured"


def test_the_list_of_nights_says_how_each_stands(tmp_path: Path) -> None:
    """A store that was put back from a copy is open, though its seed has been published."""
    league = new_league(tmp_path / "league")

    def states() -> list[str]:
        words = ["nights", "--json", "--league", str(league.folder)]
        told = json.loads(CliRunner().invoke(command, words, standalone_mode=False).output)
        return [night["state"] for night in told["nights"]]

    night, _ = seal_night(league)
    assert states() == ["sealed, not begun"]
    play_night(league, 1, closes=False)
    assert states() == ["not over"]
    copy = shutil.copy(night.path, tmp_path / "copy.sqlite")
    finish(night.path)
    assert states() == ["closed, its seed not published yet"]
    settle(League.open(league.folder))
    assert states() == ["closed, its seed published"]
    shutil.copy(copy, night.path)
    assert states() == ["closed, but its store is another than then"]
    night.path.unlink()
    assert states() == ["its store is missing"]
