"""When a night has to be over: a time that was missed does not come to mean a whole day."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click
import pytest

from referee.errors import ConfigError
from tests.league_night.leagues import new_league
from tournaments.cli.main import main
from tournaments.cli.night_times import MinutesType, seconds_until, until_text

NOW = datetime(2026, 12, 1, 21, 31, 0)


@pytest.mark.parametrize(
    ("text", "minutes"),
    [("21:32", 1), ("23:00", 89), ("1:00", 209), ("9:31", 720), ("2026-12-02T21:30", 1439)],
)
def test_a_time_of_day_is_the_next_one_and_a_date_says_which(text: str, minutes: int) -> None:
    assert seconds_until(text, NOW) == 60 * minutes


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("21:30", "21:30 is 23 h 59 min away, tomorrow; .* --until 2026-12-02T21:30"),
        ("21:31", "24 h 0 min away, tomorrow"),
        ("9:32", "12 h 1 min away, tomorrow; .* --until 2026-12-02T09:32"),
        ("2026-12-01T21:31", "2026-12-01 21:31 has passed"),
        ("2027-12-01T21:31", "is more than 7 days away"),
        ("2026-02-30T21:31", "expected a time like 21:30, or with its date"),
        ("24:00", "expected a time like 21:30"),
        ("soon", "expected a time like 21:30"),
    ],
)
def test_a_time_that_was_missed_or_is_none_is_refused_with_what_to_do(
    text: str, problem: str
) -> None:
    with pytest.raises(ConfigError, match=f"^--until: .*{problem}"):
        seconds_until(text, NOW)


def test_the_end_of_a_night_is_told_if_it_is_not_today() -> None:
    assert until_text(2 * 3600, NOW) == ""
    assert until_text(9 * 3600, NOW) == "until tomorrow 06:31"
    assert until_text(50 * 3600, NOW) == "until 2026-12-03 23:31"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 5400.0), ("5m", 300.0), ("0.5", 30.0), ("1440", 86400.0), ("2h", 7200)],
)
def test_minutes_are_a_number_of_them_or_any_duration(text: str, seconds: float) -> None:
    assert MinutesType().convert(text, None, None) == seconds


@pytest.mark.parametrize("text", ["nan", "inf", "1e308", "-5", "0", "1441", "25h", "", "9" * 400])
def test_minutes_that_are_none_or_more_than_a_day_are_refused(text: str) -> None:
    with pytest.raises(click.BadParameter, match="expected minutes like 90, or a time like 90m"):
        MinutesType().convert(text, None, None)


def test_the_plan_of_a_night_says_until_when(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = new_league(tmp_path / "league").folder
    words = ["league", "night", "--dry-run", "--league", str(folder)]
    assert main([*words, "--minutes", "24h"]) == 0
    assert "after the first one; until tomorrow " in capsys.readouterr().out
    assert main([*words, "--minutes", "nan"]) == 2
    assert "expected minutes like 90" in capsys.readouterr().err
