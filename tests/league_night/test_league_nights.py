"""Nights of a league in its folder: what they leave, and that all of it can be checked."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from referee.crashes import PlannedError
from referee.errors import ConfigError, NotFoundError, VerificationError
from tests.league_night.leagues import enter, new_league, play_night, played_league
from tests.league_night.offices import Blaming, HereRunner, NamedRunner
from tournaments.cli import league_challenge, league_night, league_standings
from tournaments.cli.league import league as command
from tournaments.cli.show import show
from tournaments.cli.verify import verify
from tournaments.league.entries import Event
from tournaments.league.folder import League
from tournaments.league.ladder import NightResults, history, ladder, read_nights
from tournaments.league.night import NightPlay
from tournaments.league.nights import night_files, open_night, rescind, seal_night, settle
from tournaments.league.office import LeagueOffice
from tournaments.rating import rate
from tournaments.reports.league_verifying import verify_league
from tournaments.results import FaultRow, TableResult
from tournaments.runner.jobs import TableJob
from tournaments.runner.report import RunnerError, RunReport
from tournaments.schedule import EntrantId
from tournaments.sealing import close_run, commitment
from tournaments.store import Store


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played_league(tmp_path_factory.mktemp("played") / "league")


@pytest.fixture
def league(played: Path, tmp_path: Path) -> League:
    shutil.copytree(played, tmp_path / "league")
    return League.open(tmp_path / "league")


def moon(league: League, *words: str) -> tuple[object, str]:
    """Returns the exit code of ``moon league`` with *words*, and what it writes."""
    done = CliRunner().invoke(
        command, [*words, "--league", str(league.folder)], standalone_mode=False
    )
    if done.exception is not None:
        raise done.exception
    return done.return_value, done.output


def events(league: League) -> list[str]:
    return [line.event for line in League.open(league.folder).audit.lines]


def test_a_night_is_sealed_before_it_and_opened_after_it(league: League) -> None:
    assert events(league)[4:] == ["terms", "night-sealed", "night-closed"]
    before, after = league.audit.lines[5].details, league.audit.lines[6].details
    assert before == {"night": 1, "commitment": commitment(str(after["seed"]))}
    assert verify_league(league.folder).holds
    number, first = seal_night(league)
    assert (number.number, seal_night(league)[1]) == (2, first)
    assert "seed" not in league.audit.lines[-1].details, "the next one stays secret"


def test_a_sealed_night_waits_for_entries_that_come_after_the_seal(league: League) -> None:
    _, seal = seal_night(league)
    enter(league, "dice2", "Dan")
    play_night(league, 1)
    assert [n.number for n in night_files(league)] == [1, 2]
    with Store.open(night_files(league)[1].path) as store:
        assert "dice2#1" in store.run.stages[0].field
        assert commitment(store.run.seed) == seal
    assert verify_league(league.folder).holds


def test_a_closing_that_was_killed_is_ended_by_the_next_command(league: League) -> None:
    play_night(league, 1, closes=False)
    night = night_files(league)[1]
    with Store.open(night.path, readonly=False) as store:
        claims = close_run(store)
    assert events(league)[-1] == "night-sealed", "it was killed before it was published"
    settle(League.open(league.folder))
    told = League.open(league.folder).audit.lines[-1]
    assert (told.event, told.details["fingerprint"]) == ("night-closed", claims.fingerprint)
    assert verify_league(league.folder).holds
    settle(League.open(league.folder))
    assert events(league).count("night-closed") == 2, "and it is published once"


def test_ratings_are_over_all_nights_at_once_and_house_bots_are_not_listed(
    league: League,
) -> None:
    enter(league, "dice2", "Cyd")  # of the author of dice, whom it does not meet: a house bot does
    play_night(league, 1)
    nights = read_nights(league)
    table = ladder(nights)
    games = [game for night in nights for games in night.blocks.values() for game in games]
    rated = {row.entrant: row.mu for row in rate(games)}
    assert "house-1" in rated
    assert {row.entrant: row.mu for row in table.rows} == {
        who: mu for who, mu in rated.items() if who != "house-1"
    }
    assert ladder(reversed(nights)).rows == table.rows, "the order of nights means nothing"
    by_name = {row.entrant: row for row in table.rows}
    assert (by_name["dice2#1"].nights, by_name["tall#1"].nights) == (1, 2)
    assert [row.place for row in table.rows] == [1, 2, 3, 4]
    [first, second] = history(nights, league.entry("tall"))
    assert (first.night, second.night) == (1, 2)
    assert first.played.tables + second.played.tables == by_name["tall#1"].played.tables
    assert second.mu == by_name["tall#1"].mu
    met = [{*game.teams} for game in games]
    assert not any({("dice#1",), ("dice2#1",)} <= teams for teams in met)
    shown = json.loads(moon(league, "standings", "--json")[1])
    assert [row["rating"] for row in shown["rows"]] == [row.mu for row in table.rows]


def test_who_retires_keeps_its_results_and_plays_no_more(league: League) -> None:
    enter(league, "dice2", "Dan")
    league.change(Event.RETIRED, "meek", "holiday")
    play_night(League.open(league.folder), 1)
    first, second = read_nights(League.open(league.folder))
    assert "meek#1" in first.figures
    assert set(second.figures) == {"tall#1", "dice#1", "dice2#1"}
    assert "meek#1 (out)" in moon(league, "standings")[1]


def test_a_rescinded_table_changes_the_ratings_and_leaves_a_line(league: League) -> None:
    before = ladder(read_nights(league))
    _, said = moon(league, "rescind", "1/0.1", "--why", "the table of somebody's cousin")
    assert said == "table 0.1 of night 1 counts no more: the table of somebody's cousin\n"
    league = League.open(league.folder)
    after = ladder(read_nights(league))
    assert (after.tables, after.rescinded) == (before.tables - 1, 1)
    assert [row.mu for row in after.rows] != [row.mu for row in before.rows]
    assert league.audit.lines[-1].details == {
        "night": 1, "table": "0.1", "why": "the table of somebody's cousin",
    }  # fmt: skip
    assert "rescinded, and not counted: 1 of" in moon(league, "standings")[1]
    assert verify_league(league.folder).holds
    for word, error, told in (
        ("1/00.1", ConfigError, "1/0.1 was rescinded already"),
        ("1/0.1", ConfigError, "was rescinded already"),
        (f"1/{'9' * 26}.0", NotFoundError, f"table '{'9' * 26}.0' is not stored"),
        (f"{'9' * 5000}/0.1", ConfigError, "expected night and table"),
        ("0.1", ConfigError, "expected night and table"),
        ("2/0.1", NotFoundError, "there is no night 2; there are 1 to 1"),
        ("1/9.0", NotFoundError, "table '9.0' is not stored"),
    ):
        with pytest.raises(error, match=told):
            rescind(league, word, "why")


def test_a_table_is_rescinded_by_any_way_of_writing_its_number(league: League) -> None:
    assert rescind(league, "1/00.1", "a reason") == (1, "0.1")
    table = ladder(read_nights(League.open(league.folder)))
    assert (table.tables, table.rescinded) == (5, 1)


def test_a_void_table_cannot_be_taken_out_as_it_counts_for_nothing(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    void = TableResult(0, 0, 1, tuple(map(EntrantId, ("tall#1", "meek#1", "dice#1"))))
    monkeypatch.setattr(Store, "result", lambda _, table: void)
    told = r"NIGHT/TABLE: 1/0\.1 is void, so it counts for nothing: there is nothing to take out"
    with pytest.raises(ConfigError, match=told):
        rescind(league, "1/0.1", "why")


def test_what_is_published_can_be_read_by_programs(league: League) -> None:
    document = json.loads(moon(league, "seal", "--json")[1])
    assert document == {
        "schema": "moon.league.seal/1", "league": "Tuesday", "night": 2,
        "commitment": seal_night(league)[1],
    }  # fmt: skip
    document = json.loads(moon(league, "night", "--dry-run", "--json")[1])
    assert (document["schema"], document["entries"], document["tables"], document["blocks"]) == (
        "moon.league.night.plan/1", ["tall#1", "meek#1", "dice#1"], 3, 1,
    )  # fmt: skip
    document = json.loads(moon(league, "rescind", "1/0.1", "--why", "a reason", "--json")[1])
    assert (document["schema"], document["table"]) == ("moon.league.rescind/1", "0.1")
    document = json.loads(moon(league, "history", "tall", "--json")[1])
    assert document["entry"] == "tall#1"
    play_night(league, 1, closes=False)
    said = moon(league, "night", "--rounds", "1", "--json")[1]
    document = json.loads(said[said.index("{") :])
    assert (document["schema"], document["night"], document["rounds"], document["closed"]) == (
        "moon.league.night/1", 2, 1, True,
    )  # fmt: skip
    assert commitment(document["seed"]) == document["commitment"]


def test_a_challenge_takes_the_options_of_a_night_and_leaves_the_league_as_it_was(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def runner(*given: Any, **settings: Any) -> NamedRunner:
        asked.append(settings["workers"])
        return NamedRunner(*given, more=lambda: (), **settings)

    monkeypatch.setattr(league_challenge, "Runner", runner)
    words = ("challenge", "tall", "meek", "dice#1", "--workers", "7", "--heartbeat", "1h", "--json")
    said = moon(league, *words)[1]
    rows = json.loads(said[said.index("{") :])["rows"]
    assert {row["entrant"] for row in rows} == {"tall#1", "meek#1", "dice#1"}
    assert asked == [7]
    assert events(league)[-1] == "night-closed"


def test_an_entry_whose_copy_was_changed_does_not_play(league: League) -> None:
    entry = league.entry("tall")
    copy = next((league.folder / "entries" / entry.content).glob("*.py"))
    copy.write_text(copy.read_text() + "# better\n")
    with pytest.raises(VerificationError, match=r"tall#1: .* is not what was entered"):
        play_night(league, 1)


def test_a_copy_that_was_changed_during_a_round_does_not_pass_without_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    league = new_league(tmp_path / "club")
    file = league.copies / league.entry("tall").content / "tall.py"
    kept, add = file.read_bytes(), Store.add_results

    def change(self: Store, results: Sequence[TableResult]) -> None:
        add(self, results)
        file.write_text("other code")

    with monkeypatch.context() as patch:
        patch.setattr(Store, "add_results", change)
        with pytest.raises(VerificationError, match=r"tall#1: .*its tables of round 1 .*rescind"):
            play_night(league, 1)
    night = open_night(league)
    assert night is not None, "it is not closed"
    with pytest.raises(VerificationError, match=r"tall#1: .*is not what was entered"):
        play_night(league, 1)
    file.write_bytes(kept)
    play_night(league, 1)
    assert open_night(league) is None
    with Store.open(night.path) as store:
        told = [note.text for note in store.notes() if note.kind == "changed"]
    assert "tall#1: its files were changed by the end of round 1" in told
    assert verify_league(league.folder).holds


@pytest.mark.parametrize(
    ("file", "change", "told"),
    [
        ("league.toml", lambda data: data.replace(b"Tuesday", b"Thursday"), "league.toml: is not"),
        ("audit.jsonl", lambda data: data[:-9] + b"x" + data[-8:], "audit.jsonl: line 7 does not"),
        ("nights/night-1.sqlite.digest", lambda data: b"", "digest: is not what was written"),
        ("nights/night-2.sqlite.old", lambda data: b"", "is no file of a night"),
        ("nights/night-1.sqlite", None, "night 1 was closed, by the log, and is not there"),
    ],
)
def test_what_was_changed_in_a_league_is_named(
    league: League, file: str, change: object, told: str
) -> None:
    path = league.folder / file
    if change is None:
        path.unlink()
    elif callable(change):
        path.write_bytes(change(path.read_bytes() if path.exists() else b""))
    done = CliRunner().invoke(verify, [str(league.folder)], standalone_mode=False)
    assert done.return_value == 5
    assert told in done.output


def test_what_can_be_verified_is_said_where_there_is_nothing(tmp_path: Path) -> None:
    told = "nowhere: there is neither a store nor a league; name the file of a run, or the folder"
    with pytest.raises(NotFoundError, match=told):
        CliRunner().invoke(
            verify, [str(tmp_path / "nowhere")], standalone_mode=False, catch_exceptions=False
        )


def test_terms_that_the_organiser_has_changed_are_written_down(league: League) -> None:
    file = league.folder / "league.toml"
    file.write_text(file.read_text().replace("rounds = 1 ", "rounds = 3 "))
    assert not verify_league(league.folder).holds
    assert moon(league, "seal")[1].startswith("night-2: ")
    assert events(league)[-2:] == ["terms", "night-sealed"]
    assert verify_league(league.folder).holds


def test_a_night_goes_on_with_the_terms_that_it_was_begun_with(tmp_path: Path) -> None:
    league = new_league(tmp_path / "league")
    file = league.folder / "league.toml"
    first = file.read_text()
    play_night(league, 2, aborts=True)
    for old, new in (
        ("deals = 1 ", "deals = 3 "), ('move_time = "2s"', 'move_time = "9s"'),
        ("suspend_after = 0", "suspend_after = 1"), ('sandbox = "basic"', 'sandbox = "none"'),
    ):  # fmt: skip
        assert old in file.read_text()
        file.write_text(file.read_text().replace(old, new))
    enter(league, "meek2", "Bob")  # of the author of meek, whom it may not meet
    file.write_text(file.read_text().replace("may_meet = false", "may_meet = true"))
    league = League.open(league.folder)
    said = moon(league, "night", "--dry-run")[1]
    assert "1 pairs of entries of one author do not meet" in said
    play_night(league, 3)
    [night] = night_files(league)
    with Store.open(night.path) as store:
        assert {result.record.count('"type":"deal"') for result in store.results()} == {1}
        identity, stages = store.run.identity, store.run.stages
        [terms] = [note.text for note in store.notes() if note.kind == "terms"]
    assert (identity["clock"]["move_time"], identity["sandbox"]) == (2.0, "basic")
    assert [len(stage.apart) for stage in stages] == [0, 1]
    assert terms == first
    shown = CliRunner().invoke(show, [str(night.path)], standalone_mode=False).output
    assert f"terms: {len(first.splitlines())} lines of text" in shown
    assert verify_league(league.folder).holds
    play_night(League.open(league.folder), 1)
    with Store.open(night_files(league)[1].path) as store:
        assert (store.run.identity["deals"], store.run.stages[0].apart) == (3, frozenset())
    assert verify_league(league.folder).holds, "the next night has the new terms"


def test_terms_may_change_between_the_seal_and_the_first_round(league: League) -> None:
    seal_night(league)
    file = league.folder / "league.toml"
    file.write_text(file.read_text().replace("deals = 1 ", "deals = 2 "))
    play_night(League.open(league.folder), 1)
    with Store.open(night_files(league)[1].path) as store:
        assert store.run.identity["deals"] == 2
    assert events(league)[-3:] == ["night-sealed", "terms", "night-closed"]
    assert verify_league(league.folder).holds


def test_a_kill_right_after_a_suspension_does_not_make_its_faults_count_twice(
    league: League,
) -> None:
    """Guards against a log that says who is suspended while nothing says for which faults."""
    file = league.folder / "league.toml"
    file.write_text(file.read_text().replace("suspend_after = 0", "suspend_after = 3"))
    enter(league, "dice2", "Dan")

    def die(_: str) -> None:
        raise PlannedError

    with pytest.raises(PlannedError):
        play_night(League.open(league.folder), 3, closes=False, runner=Blaming, say=die)
    League.open(league.folder).change(Event.RESTORED, "dice2")
    play_night(League.open(league.folder), 3, runner=Blaming)
    lines = [x.details for x in League.open(league.folder).audit.lines if x.event == "suspended"]
    assert [line["faults"] for line in lines] == [9, 18], "nine in each of its two rounds"
    assert lines[1]["reason"] == "18 faults in night-2, and 3 suspend"


def test_who_retires_while_it_is_to_be_suspended_was_not_suspended(league: League) -> None:
    night, _ = seal_night(league)
    with Store.open(night.path, readonly=False) as store:
        office = LeagueOffice(league, store, 1, lambda _: None)
    league.change(Event.RETIRED, "meek")
    office.suspend(league.entry("meek").id, "night-2", 30)
    assert events(league)[-1] == "retired"
    assert office.suspensions("night-2") == {}


class Failing(HereRunner):
    """Breaks its first table, and can go on no more."""

    async def run(self) -> RunReport:
        broken = self._todo[0]
        assert isinstance(broken, TableJob)
        seats = tuple(map(EntrantId, broken.seats))
        self.report.void.append(TableResult(broken.number, broken.block, broken.lane, seats))
        self.report.complain("the host has no memory left")
        raise RunnerError("workers fail again and again")


def test_a_night_that_an_error_ends_tells_and_keeps_what_became_of_its_last_part(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(league_night, "NightPlay", partial(NightPlay, runner=Failing))
    words = ["night", "--rounds", "1", "--league", str(league.folder)]
    done = CliRunner().invoke(command, words, standalone_mode=False)
    assert isinstance(done.exception, RunnerError)
    assert "a fault of moon's own: the host has no memory left" in done.output
    with Store.open(night_files(league)[-1].path) as store:
        assert store.void_attempts() == {0: 1}
        assert [note.kind for note in store.notes()].count("measured") == 1


def test_a_dry_run_says_what_a_round_is_and_plays_nothing(league: League) -> None:
    before = league.audit.head
    said = moon(league, "night", "--dry-run", "--rounds", "4")[1]
    assert "Tuesday: 3 entries play: tall#1, meek#1, dice#1" in said
    assert "a round is 3 tables in 1 block (kirkman)" in said
    assert League.open(league.folder).audit.head == before
    for words, told in (
        (("--until", "25:00"), "expected a time like 21:30"),
        (("--until", "21:30", "--minutes", "5"), "not both"),
    ):
        with pytest.raises(ConfigError, match=told):
            moon(league, "night", "--dry-run", *words)


def test_a_dry_run_of_a_new_league_writes_nothing(tmp_path: Path) -> None:
    league = new_league(tmp_path / "league")
    files = {path: path.read_bytes() for path in league.folder.rglob("*") if path.is_file()}
    moon(league, "night", "--dry-run")
    assert files == {path: path.read_bytes() for path in league.folder.rglob("*") if path.is_file()}


def test_the_table_says_what_it_would_be_without_forfeits() -> None:
    """Bob wins nothing but what Ann forfeits, and would be behind her without it."""
    night = NightResults(1)
    names = tuple(map(EntrantId, ("ann#1", "bob#1", "cyd#1")))
    for number in range(12):
        is_forfeit = number >= 4
        places = (3, 1, 2) if is_forfeit else (1, 2, 3)
        fault = FaultRow(0, names[0], "crashed", 0, 1)
        night.take(
            TableResult(
                number, number // 3, number % 3, names, "forfeit" if is_forfeit else "target",
                (0, 0, 0), places, faults=(fault,) * is_forfeit,
            ),
            3,
        )  # fmt: skip
    table = ladder([night])
    assert [(row.entrant, row.clean_place) for row in table.rows] == [
        ("bob#1", 2), ("cyd#1", 3), ("ann#1", 1),
    ]  # fmt: skip
    assert (table.forfeited, table.rows[2].played.forfeits) == (8, 8)


def test_who_has_only_tables_that_were_forfeited_has_no_clean_rank(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards against a rank that comes from what is thought of everybody beforehand."""
    night = NightResults(1)
    for number, (seats, places) in enumerate(
        [(("ann#1", "bob#1", "house-1"), (1, 2, 3))] * 4
        + [(("bob#1", "cyd#1", "house-1"), (1, 3, 2))] * 2
    ):
        ending = "forfeit" if "cyd#1" in seats else "target"
        names = tuple(map(EntrantId, seats))
        night.take(TableResult(number, number, 0, names, ending, (0, 0, 0), places), 3)
    table = ladder([night])
    clean = {row.entrant: row.clean_place for row in table.rows}
    assert clean == {"ann#1": 1, "bob#1": 2, "cyd#1": None}
    monkeypatch.setattr(league_standings, "read_nights", lambda _: [night])
    shown = moon(league, "standings")[1]
    assert re.search(r"cyd#1 \(out\) +\S+ +\S+ +- ", shown)
    assert "the ranks would be other: cyd#1 -" in shown


def test_the_evidence_is_as_sure_over_twelve_nights_as_it_is_in_one() -> None:
    """Guards against blocks of one meeting being told apart by the night that they are of."""
    meetings = (("ann#1", "bob#1", "cyd#1"), ("ann#1", "bob#1", "dan#1"))
    single, nights = NightResults(1), [NightResults(number) for number in range(12)]
    for number in range(24):
        seats = tuple(map(EntrantId, meetings[number % 2]))
        places = (1, 2, 3) if number % 2 else ((2, 1, 3), (2, 3, 1), (1, 3, 2))[number % 3]
        result = TableResult(number, number, 0, seats, "target", (0, 0, 0), places)
        single.take(result, 3)
        nights[number // 2].take(replace(result, block=number % 2), 3)
    assert ladder(nights).ranks == ladder([single]).ranks


def test_at_tables_of_four_entries_play_as_pairs_of_themselves(tmp_path: Path) -> None:
    league = new_league(tmp_path / "league", rules="tournament-4p")
    play_night(league, 2)
    [night] = read_nights(league)
    assert (night.rounds, night.tables) == (2, 12), "three meetings with the sides swapped"
    assert {row.tables for row in night.figures.values()} == {8}
    assert [row.place for row in ladder([night]).rows] == [1, 2, 3]
    assert verify_league(league.folder).holds
    with Store.open(night_files(league)[0].path) as store:
        seats = {result.seats for result in store.results()}
    assert all(table[:2] == table[2:] and len({*table}) == 2 for table in seats)
