"""`moon tournament run` from outside: what it takes, what it shows meanwhile, what it refuses."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator

import pexpect
import pytest

from referee import __version__
from referee.bots.contents import content_hash
from tests.e2e.inprocess import FOLDER
from tests.e2e.league import BOTS, LIMIT, League, league
from tournaments.config import default_workers, load_config
from tournaments.measured import Measured
from tournaments.results import TableResult
from tournaments.store import Store

FAULTY = FOLDER.parents[1] / "faulty_bots"


@pytest.fixture
def home() -> Iterator[League]:
    with league() as made:
        yield made


def on_a_terminal(home: League, *words: str) -> tuple[str, int | None]:
    """Returns what a terminal of 80 columns gets to see of ``moon`` with *words*."""
    child = pexpect.spawn(
        sys.executable,
        ["-m", "tournaments.cli.main", *words],
        cwd=home.folder,
        env=home.environment(),
        timeout=LIMIT,
        encoding="utf-8",
        dimensions=(24, 80),
    )
    child.expect(pexpect.EOF)
    child.close()
    return str(child.before), child.exitstatus


def test_a_terminal_sees_a_live_table_and_is_left_clean(home: League) -> None:
    file = home.write("night.toml", rounds=10, deals=4)
    seen, code = on_a_terminal(home, "tournament", "run", str(file))
    assert code == 0
    assert "live rating" in seen
    plain = re.sub(r"\x1b\[[0-9;]*m", "", seen)
    assert re.search(r"\d+/60 +[\d.]+/(?:s|min), \d+s left", plain), (
        "the progress, with the time left"
    )
    live, last = seen.rsplit("live rating", 1)
    assert live.count("\x1b[?25l") == 1, "the cursor is hidden while the table moves"
    assert "\x1b[?25h" in last, "and comes back"
    assert "\x1b[2K" in last, "the table goes away"
    assert last.rindex("\x1b[?25h") > last.rfind("\x1b[?25l")
    assert re.search("night: 60 of 60 tables.*rank +95% +entrant", plain, re.DOTALL)


def test_a_colourless_terminal_sees_no_colour(
    home: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    seen, _ = on_a_terminal(home, "tournament", "run", *BOTS, "--deals", "1")
    assert "live rating" in seen
    assert not re.search(r"\x1b\[[0-9;]*m", seen.replace("\x1b[0m", ""))


def test_where_there_is_no_terminal_lines_say_how_far_it_is(home: League) -> None:
    file = home.write("night.toml", rounds=20, deals=4)
    done = home.moon("tournament", "run", file, "--heartbeat", "200ms")
    beats = re.findall(
        r"^moon: (\d+)/120 tables \([\d.]+ %\)(?:, [\d.]+/(?:s|min)(?:, \d+s left)?)?, 0 faults$",
        done.stderr,
        re.MULTILINE,
    )
    assert len(beats) >= 2
    assert sorted(map(int, beats)) == list(map(int, beats))
    assert "\x1b" not in done.stdout + done.stderr
    assert "rank" not in done.stderr, "results go to standard output, and nothing else does"
    assert done.stdout.startswith("night: 120 of 120 tables")


def test_bots_on_the_command_line_are_a_tournament_too(home: League) -> None:
    words = (*BOTS, "--seed", "s", "--deals", "1", "--rule", "min_bid=5", "--rounds", "1")
    document = json.loads(home.out("tournament", "run", *words, "--store", "n.sqlite", "--json"))
    assert document["schema"] == "moon.tournament.standings/1"
    assert {row["entrant"] for row in document["rows"]} == {"meek", "tall", "dice"}
    assert document["rules"] == "tournament-3p min_bid=5"
    assert document["played"] == 6
    by_file = home.write("night.toml", rules="tournament-3p", rule={"min_bid": 5})
    home.moon("tournament", "run", by_file)
    records = [home.out("tournament", "export", store) for store in ("n.sqlite", "night.sqlite")]
    assert records[0] == records[1]


def test_a_seed_that_nobody_gave_is_drawn_kept_and_never_shown(home: League) -> None:
    file = home.write("night.toml", seed=None)
    done = home.moon("tournament", "run", file)
    with Store.open(home.folder / "night.sqlite") as store:
        seed = store.run.seed
    assert len(seed) >= 32
    assert seed not in done.stdout + done.stderr
    assert home.moon("tournament", "run", file).stdout == done.stdout


def test_a_table_that_was_void_is_played_again_and_its_attempts_go_on_counting(
    home: League,
) -> None:
    file = home.write("night.toml")
    config = load_config(file).described(content_hash)
    void = config.schedule().tables[4]
    with Store.create(config.store, config, code_version=__version__) as store:
        store.add_results([TableResult(void.number, void.block, void.lane, void.seats, attempt=3)])
    assert "6 of 6" in home.moon("tournament", "run", file).stdout
    with Store.open(config.store) as store:
        assert [result.attempt for result in store.results()] == [1, 1, 1, 1, 4, 1]


def test_pairs_are_ranked_as_pairs(home: League) -> None:
    bots = [["./tall.py", "./dice.py"], "./meek.py", "./dice.py"]
    file = home.write("night.toml", bots=bots, rules="tournament-4p")
    done = home.moon("tournament", "run", file)
    assert "1st/2nd " in done.stdout
    for name in ("tall+dice", "meek", "dice"):
        assert re.search(rf"^ +\d .* {re.escape(name)} ", done.stdout, re.MULTILINE), name


def test_faults_are_in_the_standings_and_the_others_play_on(home: League) -> None:
    bots = [*BOTS[:2], str(FAULTY / "exits.py")]
    file = home.write("night.toml", bots=bots, rule={"all_pass": "force_last"})
    text = home.moon("tournament", "run", file).stdout
    assert re.search(r" exits .* \d+ crashed", text)
    document = json.loads(home.out("tournament", "standings", file, "--json"))
    faults = {row["entrant"]: row["faults"] for row in document["rows"]}
    assert faults["meek"] == faults["tall"] == {}
    assert set(faults["exits"]) == {"crashed"}


def test_a_bot_that_does_not_start_ends_the_run_and_the_next_try_goes_on(home: League) -> None:
    file = home.write("night.toml", bots=["./meek.py", "./tall.py", "./late.py"], workers=2)
    (home.folder / "late.py").write_text("raise SystemExit('no model file')\n")
    failed = home.moon("tournament", "run", file, code=4)
    assert "bot 'late' did not start" in failed.stderr
    assert "no model file" in failed.stderr
    assert failed.stdout == ""
    (home.folder / "late.py").write_text((home.folder / "dice.py").read_text())
    changed = home.moon("tournament", "run", file, code=2)
    assert "'late'" in changed.stderr, "it is another bot now"
    assert "6 of 6" in home.moon("tournament", "run", file, "--accept-changes").stdout


@pytest.mark.parametrize(
    ("keys", "code", "said"),
    [
        ({"roundz": 2}, 2, ["night.toml", "roundz", "did you mean 'rounds'?"]),
        ({"rounds": 0}, 2, ["night.toml: rounds", "0"]),
        ({"bots": ["greedyy", *BOTS]}, 2, ["night.toml", "bots[0]", "did you mean 'greedy'?"]),
        ({"bots": ["./meek.py"]}, 2, ["night.toml: bots"]),
        ({"clock": {"move_tim": 1}}, 2, ["clock", "did you mean 'move_time'?"]),
        ({"rules": "tournament-5p"}, 2, ["night.toml: rules"]),
        ({"rule": {"min_bid": 9}}, 2, ["rule.min_bid", "3, 4, 5"]),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_file_that_makes_no_sense_is_refused_by_key_and_makes_no_store(
    home: League, keys: dict[str, object], code: int, said: list[str]
) -> None:
    file = home.write("night.toml", **keys)
    failed = home.moon("tournament", "run", file, code=code)
    for part in said:
        assert part in failed.stderr
    assert failed.stdout == ""
    assert not list(home.folder.glob("*.sqlite*"))


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["missing.toml"], 3, "missing.toml: there is no such file"),
        (["night.toml", "./meek.py"], 2, "not both"),
        ([*BOTS, "--rule", "min_bid"], 2, "write name=value, like min_bid=3"),
        ([*BOTS, "--rule", "min_bid=3", "--rule", "min_bid=4"], 2, "min_bid: is set twice"),
        ([*BOTS, "--move-time", "0s"], 2, "'--move-time': must be between 1ms and 24h, got '0s'"),
        ([*BOTS, "--move-time", "25h"], 2, "must be between 1ms and 24h, got '25h'"),
        ([*BOTS, "--workers", "0"], 2, "--workers"),
        (["greedyy", *BOTS], 2, "did you mean 'greedy'?"),
        ([], 2, "FILE.toml | BOT..."),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_command_that_makes_no_sense_is_refused(
    home: League, words: list[str], code: int, said: str
) -> None:
    assert said in home.moon("tournament", "run", *words, code=code).stderr


def test_more_rounds_are_played_without_being_asked_twice(home: League) -> None:
    home.moon("tournament", "run", home.write("night.toml", rounds=1, deals=1))
    longer = home.write("night.toml", rounds=2, deals=1)
    assert "12 of 12 tables" in home.moon("tournament", "run", longer).stdout
    shorter = home.write("night.toml", rounds=1, deals=1)
    refused = home.moon("tournament", "run", shorter, code=2)
    assert "rounds: 2 -> 1" in refused.stderr
    assert "night-2.sqlite for a new run" in refused.stderr


def test_more_workers_than_fit_are_warned_of_once_and_noted(home: League) -> None:
    crowd = default_workers() + 1
    file = home.write("night.toml", deals=1)
    done = home.moon("tournament", "run", file, "--workers", str(crowd))
    warnings = [line for line in done.stderr.splitlines() if "warning:" in line]
    assert len(warnings) == 1
    assert f"{crowd} workers on" in warnings[0]
    assert f"use --workers {default_workers()}" in warnings[0]
    home.moon("tournament", "run", file, "--workers", str(crowd))
    with Store.open(file.with_suffix(".sqlite")) as store:
        notes = store.notes()
    assert [note.kind for note in notes].count("warning") == 1
    [measured] = [note.text for note in notes if note.kind == "measured"]
    found = Measured.of_notes([measured])
    assert found is not None
    assert found.echo is not None
    assert 0.0 < found.echo[0] <= found.echo[1] <= found.grace
    assert all(0.0 <= use.out_of_turn <= use.total for use in found.cpu.values())
    shown = home.moon("tournament", "show", file).stdout
    assert re.search(r"measured: grace \d+ ms, bare echo [\d.]+/[\d.]+ ms, \d+ stalls", shown)
    details = home.moon("tournament", "standings", file, "--details").stdout
    assert "moon's own time a decision" in details
