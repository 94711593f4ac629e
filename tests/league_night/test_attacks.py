"""Organisers who cheat: what each of them leaves does not hold, and a line says where."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import update

from referee.errors import ConfigError, VerificationError
from tests.league.leagues import make
from tests.league_night.leagues import enter, new_league, play_night, played_league
from tournaments.cli.close import close
from tournaments.cli.league import league as command
from tournaments.cli.verify import verify
from tournaments.config import TournamentConfig
from tournaments.league.audit import Audit, append
from tournaments.league.entries import Event
from tournaments.league.folder import League
from tournaments.league.ladder import read_nights
from tournaments.league.nights import close_night, night_files, seal_night, settle
from tournaments.reports.league_verifying import verify_league
from tournaments.sealing import commitment
from tournaments.store import Store, schema
from tournaments.store.digest import digest_path
from tournaments.store.runs import run_row


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league with two nights that are closed."""
    folder = played_league(tmp_path_factory.mktemp("played") / "league")
    play_night(League.open(folder), 1)
    return folder


@pytest.fixture
def league(played: Path, tmp_path: Path) -> League:
    shutil.copytree(played, tmp_path / "league")
    return League.open(tmp_path / "league")


Change = Callable[[str, dict[str, object]], dict[str, object]]


def rewrite(league: League, change: Change) -> None:
    """Writes the log anew with other details, every line bound to the one before it."""
    lines = league.audit.lines
    league.audit.path.unlink()
    audit = Audit(league.audit.path, (), 0)
    for line in lines:
        audit = append(audit, line.event, change(line.event, dict(line.details)))


def said(league: League, *words: str) -> str:
    """Returns what ``moon verify`` says of a league that does not hold."""
    done = CliRunner().invoke(verify, [str(league.folder), *words], standalone_mode=False)
    assert done.return_value == 5, done.output
    return done.output


def test_a_sealed_night_that_was_deleted_is_missed_and_gives_its_place_to_nobody(
    tmp_path: Path,
) -> None:
    league = make(tmp_path / "league")
    first, seal = seal_night(league)
    first.path.unlink()
    second, other = seal_night(League.open(league.folder))
    assert (second.number, other == seal) == (2, False)
    assert "night 1 was sealed, by the log, and is not there" in said(league)


def test_a_night_with_another_seed_in_the_place_of_the_sealed_one_is_neither_played_nor_held(
    tmp_path: Path,
) -> None:
    league = make(tmp_path / "league")
    _, seal = seal_night(league)
    drawn, _ = seal_night(make(tmp_path / "other"))
    night = night_files(league)[0]
    shutil.copy(drawn.path, night.path)
    for refused in (lambda: seal_night(league), lambda: close_night(league, night)):
        with pytest.raises(VerificationError, match=f"does not open the seal {seal} of the log"):
            refused()
    assert f"its seed does not open the seal {seal} of the log" in said(league)


def test_an_older_copy_of_a_closed_night_is_not_played_on(tmp_path: Path) -> None:
    league = new_league(tmp_path / "league")
    night, _ = seal_night(league)
    shutil.copy(night.path, tmp_path / "before.sqlite")
    play_night(league, 1)
    shutil.copy(tmp_path / "before.sqlite", night.path)
    with pytest.raises(VerificationError, match="the log has closed it and published its seed"):
        seal_night(League.open(league.folder))
    digest_path(night.path).unlink()
    assert "was closed, by the log, and is open" in said(league)


def test_two_nights_that_were_swapped_are_found(league: League) -> None:
    one, two = night_files(league)
    for path in (lambda night: night.path, lambda night: digest_path(night.path)):
        path(one).rename(league.folder / "aside")
        path(two).rename(path(one))
        (league.folder / "aside").rename(path(two))
    found = said(league)
    for night in (one, two):
        assert f"{night.path}: its seed does not open the seal" in found
        assert f"{night.path}: the log has the digest" in found


def test_a_log_that_was_written_anew_is_found_by_a_seal_and_by_a_hash_that_somebody_kept(
    league: League,
) -> None:
    seal, kept = str(league.audit.lines[5].details["commitment"]), league.audit.head
    assert verify_league(league.folder, seal).holds
    other = "f" * 64
    rewrite(league, lambda event, told: told | {"commitment": other} if "night" in event else told)
    assert f"the seed of night 1 does not open the seal {other}" in said(league)
    whole = League.open(league.folder)
    assert whole.audit.head != kept
    shutil.rmtree(league.folder)
    played_league(league.folder)
    assert verify_league(league.folder).holds, "another league altogether holds by itself"
    assert f"no night has a seed that opens the seal {seal}" in said(league, "--seal", seal)


@pytest.mark.parametrize(
    ("event", "details", "told"),
    [
        ("night-sealed", {"commitment": "a" * 64}, "closes night 1 with the seal"),
        ("night-closed", {"fingerprint": "b" * 64}, "the log has the fingerprint bbbb"),
        ("night-closed", {"standings": "c" * 64}, "the log has the standings cccc"),
        ("night-closed", {"digest": "d" * 64}, "the log has the digest dddd"),
        ("night-closed", {"seed": "e" * 64}, "the seed of night 1 does not open the seal"),
        ("night-closed", {"night": 7}, "night 7 was closed, by the log, and is not there"),
    ],
)
def test_what_a_log_that_was_written_anew_says_of_a_night_has_to_fit(
    league: League, event: str, details: dict[str, object], told: str
) -> None:
    rewrite(league, lambda name, old: {**old, **details} if name == event else old)
    assert told in said(league)


def test_a_second_seal_of_a_night_is_found(league: League) -> None:
    league.note("night-sealed", {"night": 2, "commitment": commitment("another")})
    assert "line 10: night 2 was sealed before" in said(league)


def test_a_log_without_its_last_lines_is_found(league: League) -> None:
    lines = league.audit.path.read_bytes().splitlines(keepends=True)
    league.audit.path.write_bytes(b"".join(lines[:-1]))
    assert "night-2.sqlite: is closed, and the log does not say so" in said(league)
    league.audit.path.write_bytes(b"".join(lines[:-2]))
    shortened = League.open(league.folder)
    with pytest.raises(VerificationError, match=r"says nothing of .*night-2.sqlite.*older one"):
        settle(shortened)
    append(shortened.audit, "night-closed", league.audit.lines[-1].details)
    found = said(league)
    assert "night-2.sqlite: the log does not say that this night was sealed" in found
    assert "; the log had no seal" in found


def test_a_night_is_not_closed_behind_the_back_of_its_league(entered: Path, tmp_path: Path) -> None:
    shutil.copytree(entered, tmp_path / "league")
    play_night(League.open(tmp_path / "league"), 1, closes=False)
    path = tmp_path / "league" / "nights" / "night-1.sqlite"
    for words in ((), ("--unfinished",)):
        done = CliRunner().invoke(close, [str(path), *words], standalone_mode=False)
        assert isinstance(done.exception, ConfigError)
        assert "is a night of a league" in str(done.exception)
    with Store.open(path) as store:
        assert not store.is_closed


# Who played


def rewritten_run(league: League, change: Callable[[dict[str, Any]], object]) -> None:
    """Plays a night of *league* whose store says of itself something else all along."""
    begun = Store.extend

    def extend(self: Store, terms: TournamentConfig, note: str = "") -> None:
        begun(self, terms, note)
        identity = json.loads(json.dumps(self.run.identity))
        change(identity)
        info = replace(self.run, identity=identity)
        with self._writing() as connection:
            connection.execute(update(schema.run).values(run_row(info)))
        self.run = info

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Store, "extend", extend)
        play_night(league, 1)


CHEATS: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "other files": (
        lambda run: run["entrants"][0]["bots"][0].update(content="f" * 64),
        "tall#1 has played with the content ffffffffffff, but what was entered is",
    ),
    "other parameters": (
        lambda run: run["entrants"][0]["bots"][0].update(text="./entries/x?risk=1"),
        "tall#1 was started by './entries/x?risk=1', but what was entered is './entries/",
    ),
    "a house bot of one's own": (
        lambda run: run["entrants"][4]["bots"][0].update(text="./stronger"),
        "house-1 is a house bot, but it is not greedy",
    ),
    "another clock than in the terms": (
        lambda run: run["clock"].update(move_time=9.0),
        "is not what its terms say: clock.move_time: 9s -> 2s",
    ),
    "two of one author who meet": (
        lambda run: run["night"][0].update(apart=[]),
        "stage 1: its design, its house bots or who may not meet in it are not",
    ),
}


@pytest.fixture(scope="module")
def entered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league in which nothing is played; two of its four entries are of one author."""
    league = new_league(tmp_path_factory.mktemp("entered") / "league")
    enter(league, "dice2", "Cyd")
    return league.folder


@pytest.mark.parametrize("cheat", CHEATS)
def test_a_night_that_is_not_what_the_log_makes_is_found(
    entered: Path, tmp_path: Path, cheat: str
) -> None:
    shutil.copytree(entered, tmp_path / "league")
    league = League.open(tmp_path / "league")
    change, told = CHEATS[cheat]
    rewritten_run(league, change)
    assert told in said(league)


def test_a_field_that_was_not_who_played_at_the_time_is_found(
    entered: Path, tmp_path: Path
) -> None:
    shutil.copytree(entered, tmp_path / "league")
    league = League.open(tmp_path / "league")
    league.change(Event.RETIRED, "meek", "holiday")
    play_night(League.open(league.folder), 1)
    assert verify_league(league.folder).holds
    whole = League.open(league.folder)
    lines = [line for line in whole.audit.lines if line.event != "retired"]
    whole.audit.path.unlink()
    audit = Audit(whole.audit.path, (), 0)
    for line in lines:
        audit = append(audit, line.event, line.details)
    found = said(league)
    assert "stage 1 has the field tall#1, dice#1, dice2#1, and by the log those were not" in found


def test_terms_that_the_log_does_not_have_are_found(entered: Path, tmp_path: Path) -> None:
    shutil.copytree(entered, tmp_path / "league")
    league = League.open(tmp_path / "league")
    play_night(league, 1, closes=False)
    [night] = night_files(league)
    with Store.open(night.path, readonly=False) as store:
        store.note("terms", (league.folder / "league.toml").read_text() + "# mine\n")
    assert "was played on terms that the log does not have" in said(league)


def test_a_store_that_was_never_sealed_is_no_night_and_a_challenge_cannot_make_one(
    league: League,
) -> None:
    before = [(night.number, night.tables) for night in read_nights(league)]
    shutil.copy(night_files(league)[0].path, league.nights / "night-7.sqlite")
    assert [(night.number, night.tables) for night in read_nights(league)] == before
    assert "the log does not say that this night was sealed" in said(league)
    words = ["challenge", "tall", "meek", "dice", "--store", str(league.nights / "night-8.sqlite")]
    done = CliRunner().invoke(command, [*words, "--league", str(league.folder)])
    assert isinstance(done.exception, ConfigError)
    assert "lies in the league" in str(done.exception)


def test_a_night_that_is_played_meanwhile_is_nothing_that_does_not_hold(league: League) -> None:
    night, _ = seal_night(league)
    with Store.open(night.path, readonly=False) as store:
        store.note("measured", "{}")
        beside = [path for path in league.nights.iterdir() if path.name.startswith(night.path.name)]
        assert len(beside) > 1, "a lock, and a log"
        assert verify_league(league.folder).differences == []
