"""The report of a night of a league, found by the folder of the league."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.league.leagues import entered, write_bot
from tests.league_night.leagues import enter, new_league, play_night
from tests.pages.reading import check_is_closed
from tournaments.cli.main import main
from tournaments.league.folder import League
from tournaments.league.nights import night_files, rescind
from tournaments.pages.night import read_night
from tournaments.schedule import TableId
from tournaments.store import Store


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league with one night, in which house bots sit where two of Cyd may not meet."""
    folder = tmp_path_factory.mktemp("played") / "league"
    league = new_league(folder)
    enter(league, "dice2", "Cyd")
    play_night(League.open(folder), 1)
    return folder


@pytest.fixture
def folder(played: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(played, tmp_path / "league"))


def test_the_report_of_a_league_is_that_of_a_night_without_what_was_rescinded(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    league = League.open(folder)
    rescind(league, "1/0.1", "a reason")
    (folder / "reports").rmdir()
    assert main(["report", str(folder)]) == 0
    assert capsys.readouterr().out.startswith(f"{folder}/reports/night-1.html: ")
    text = (folder / "reports" / "night-1.html").read_text()
    page = check_is_closed(text)
    with Store.open(night_files(league)[0].path) as store:
        tables = store.counts().played
        night = read_night(store, out={TableId("0.1")})
        whole = read_night(store)
    [header] = page.all("header")
    assert "Tuesday, night 1" in header.text
    assert f"{tables - 1} of {tables} tables" in header.text
    assert "1 more rescinded, and not counted" in header.text
    assert (night.standings.played, night.rescinded) == (tables - 1, 1)
    assert sum(row.tables for row in night.standings.figures.values()) == 3 * (tables - 1)
    assert night.fingerprint == whole.fingerprint
    rows = [row.text for row in page.all("tr")]
    assert any(row.startswith("--house-1 house bot") for row in rows), "it has no rank"
    ranked = [match for row in rows if (match := re.match(r"(\d)[1-4\u2013]+(\w+#1)\s", row))]
    assert [match[1] for match in ranked] == ["1", "2", "3", "4"]
    assert {match[2] for match in ranked} == {"tall#1", "meek#1", "dice#1", "dice2#1"}
    store_page = folder.parent / "store.html"
    store_file = folder / "nights" / "night-1.sqlite"
    assert main(["report", str(store_file), "-o", str(store_page)]) == 0
    assert store_page.read_text() == text, "the store of a night finds its league"
    stray = shutil.copy(store_file, folder.parent / "stray.sqlite")
    assert main(["report", str(stray), "-o", str(store_page)]) == 0
    [header] = check_is_closed(store_page.read_text()).all("header")
    assert "without the league: tables that were rescinded there are counted" in header.text


def test_a_night_is_chosen_by_its_number_and_the_page_goes_where_one_wants(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(folder / "league.toml"), "--night", "1", "-o", "-"]) == 0
    assert "<h1>" in capsys.readouterr().out
    assert not list((folder / "reports").iterdir())
    for words, code, told in (
        ((str(folder), "--night", "2"), 3, "there is no night 2; there are 1 to 1"),
        ((str(folder / "nights" / "night-1.sqlite"), "--night", "1"), 2, "the folder of a league"),
        ((str(tmp_path),), 3, "is a directory"),
        ((str(new_league(tmp_path / "new").folder),), 3, "no night yet; `moon league night`"),
    ):
        assert main(["report", *words]) == code
        assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [("tournament", "standings"), ("tournament", "h2h"), ("lab", "report"), ("lab", "luck")],
    ids=" ".join,
)
def test_a_command_that_wants_a_store_names_that_of_the_last_night_of_a_league(
    words: tuple[str, ...], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for place in (folder, folder / "league.toml"):
        assert main([*words, str(place)]) == 2
        store = folder / "nights" / "night-1.sqlite"
        told = capsys.readouterr().err
        assert f"{place}: is a league; name the store of a night, as {store}" in told


def test_the_history_of_a_name_has_all_its_versions(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    entered(League.open(folder), write_bot(folder.parent, "taller"), "tall")
    words = ["league", "history", "--league", str(folder)]
    assert main([*words, "tall"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "tall#1 by Ann: retired"
    assert lines[-2:] == ["tall#2 by Ann: active", "has played in no night"]
    assert main([*words, "tall", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["entry"], told["versions"]) == ("tall#2", ["tall#1", "tall#2"])
    assert [(row["entry"], row["night"]) for row in told["nights"]] == [("tall#1", 1)]
    assert main([*words, "tall#2"]) == 0
    assert "tall#1" not in capsys.readouterr().out
