"""A run that is stopped, by hand or by a full disk, says what is kept, and goes on from there."""

from __future__ import annotations

import re
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from referee.errors import StoreError
from tests.e2e.league import LIMIT, League, league
from tests.e2e.processes import wait_until
from tournaments.store import Store

STUCK = ("./meek.py", "./tall.py", "./stuck.py")
FOREVER = {"move_time": 3600, "first_move": 3600}


@pytest.fixture
def home() -> Iterator[League]:
    with league() as made:
        yield made


def played(store: Path) -> int:
    """Returns how many tables are stored by now."""
    try:
        with Store.open(store) as opened:
            return opened.counts().played
    except StoreError:  # it is not there yet
        return 0


def begun(home: League, *words: object, tables: int = 1) -> subprocess.Popen[str]:
    """Returns the run of *words* once some tables are stored."""
    process = home.start("tournament", "run", *words)
    store = home.folder / "night.sqlite"
    home.wait(process, lambda: played(store) >= tables, f"{tables} tables are stored")
    return process


def ended(process: subprocess.Popen[str], code: int) -> tuple[str, str]:
    """Returns what *process* wrote, once it has ended with *code*."""
    out, err = process.communicate(timeout=LIMIT)
    assert process.returncode == code, f"exit code {process.returncode}\n{out}\n{err}"
    assert "Traceback" not in err
    return out, err


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_the_first_signal_lets_tables_in_play_end_and_stores_them(
    home: League, number: signal.Signals, code: int
) -> None:
    file = home.write("night.toml", rounds=50, deals=8)
    process = begun(home, file)
    process.send_signal(number)
    out, err = ended(process, code)
    in_play = re.search(r"finishing (\d+) tables in play; once more to end at once", err)
    stored = re.search(r"stopped; (\d+) tables were played, run the same again to continue", err)
    assert in_play
    assert stored
    assert int(stored[1]) == played(home.folder / "night.sqlite") < 300
    assert int(stored[1]) > int(in_play[1]) > 0
    assert f"night: {stored[1]} of 300 tables" in out, "what is there is shown"
    home.check_nothing_runs()


def test_the_second_signal_ends_at_once(home: League) -> None:
    file = home.write("night.toml", bots=STUCK, clock=FOREVER, sandbox="none")
    process = home.start("tournament", "run", file)
    assert process.stderr is not None
    home.wait(process, (home.folder / "asked").exists, "a bot is asked")
    process.send_signal(signal.SIGINT)
    while "once more" not in process.stderr.readline():
        pass
    process.send_signal(signal.SIGINT)
    ended(process, 130)
    home.check_nothing_runs()


def test_a_finished_run_is_shown_and_not_played_again(home: League) -> None:
    file = home.write("night.toml")
    first = home.moon("tournament", "run", file)
    again = home.moon("tournament", "run", file)
    assert again.stdout == first.stdout == home.out("tournament", "standings", file)
    assert "all 6 tables are played" in again.stderr
    assert "worker" not in again.stderr


def test_the_same_run_a_second_time_at_once_is_refused_and_says_who_has_it(home: League) -> None:
    file = home.write("night.toml", bots=STUCK, clock=FOREVER, sandbox="none")
    first = home.start("tournament", "run", file)
    home.wait(first, (home.folder / "asked").exists, "a bot is asked")
    second = home.moon("tournament", "run", file, code=75)
    assert f"process {first.pid} is writing to it" in second.stderr
    assert "night: 0 of 6 tables" in home.out("tournament", "standings", file), "reading goes on"
    first.send_signal(signal.SIGTERM)
    first.send_signal(signal.SIGINT)
    ended(first, 143)


def test_a_run_of_something_else_is_refused_by_difference_and_can_be_accepted(
    home: League,
) -> None:
    home.moon("tournament", "run", home.write("night.toml"))
    changed = home.write("night.toml", rounds=2)
    with (home.folder / "tall.py").open("a") as bot:
        bot.write("# I have learnt something\n")
    refused = home.moon("tournament", "run", changed, code=2)
    assert "\n  rounds: 1 -> 2\n" in refused.stderr
    assert re.search("\n  .*'tall'.* changed.*\n", refused.stderr)
    assert "--accept-changes" in refused.stderr
    assert refused.stdout == ""
    accepted = home.moon("tournament", "run", changed, "--accept-changes")
    assert "night: 12 of 12 tables" in accepted.stdout
    [noted] = re.findall(" changed: (.*)", home.out("tournament", "show", changed))
    assert "rounds: 1 -> 2" in noted
    assert "'tall'" in noted
    home.moon("tournament", "run", changed)


def test_changes_under_which_stored_tables_mean_nothing_are_refused_and_leave_the_run_whole(
    home: League,
) -> None:
    file = home.write("night.toml")
    before = home.moon("tournament", "run", file).stdout
    other = home.write("night.toml", bots=("./meek.py", "./dice.py", "./stuck.py"))
    refused = home.moon("tournament", "run", other, "--accept-changes", code=3)
    assert "the schedule has no such table" in refused.stderr
    for key, value, said in [
        ("rule", {"min_bid": 3}, "rule.min_bid: 4 -> 3"),
        ("deals", 2, "deals: 1 -> 2"),
        ("clock", {"strikes": 0}, "clock.strikes: 2 -> 0"),
    ]:
        other = home.write("night.toml", **{key: value})
        refused = home.moon("tournament", "run", other, code=2)
        new = home.folder / "night-2.sqlite"
        assert f"\n  {said}\nuse --store {new} for a new run\n" in refused.stderr
        refused = home.moon("tournament", "run", other, "--accept-changes", code=3)
        assert f"what is stored would mean nothing:\n  {said}\n" in refused.stderr
        assert sorted(file.name for file in home.folder.glob("*.sqlite*")) == ["night.sqlite"]
    file = home.write("night.toml")
    assert home.moon("tournament", "run", file).stdout == before


@pytest.mark.parametrize(
    ("store", "code", "problem"),
    [
        ("./other.sqlite", 0, None),
        ("new/folder/night.sqlite", 3, "there is no folder"),
        ("tall.py/night.sqlite", 3, "there is no folder"),
        ("/proc/night.sqlite", 3, "cannot be"),
        ("tall.py", 3, "is not a store of this program"),
        ("empty", 3, "is not a store of this program"),
        (".", 2, "is a directory"),
    ],
)
def test_where_a_store_can_be_and_what_is_said_where_it_cannot(
    home: League, store: str, code: int, problem: str | None
) -> None:
    (home.folder / "empty").touch()
    before = (home.folder / "tall.py").read_bytes()
    file = home.write("night.toml")
    done = home.moon("tournament", "run", file, "--store", store, code=code)
    assert (home.folder / "tall.py").read_bytes() == before
    if problem is None:
        assert "6 of 6" in home.out("tournament", "standings", "--store", store)
        return
    assert problem in done.stderr
    assert store.rpartition("/")[0] in done.stderr
    assert "Traceback" not in done.stderr
    assert "6 tables, 0 played" not in done.stderr, "it is refused before anything is played"


def test_a_damaged_store_is_named_as_such_by_every_command(home: League) -> None:
    file = home.write("night.toml", rounds=10)
    home.moon("tournament", "run", file)
    store = home.folder / "night.sqlite"
    content = bytearray(store.read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)
    store.write_bytes(content)
    for command in ("run", "standings", "h2h", "show", "export"):
        failed = home.moon("tournament", command, file, code=3)
        assert str(store) in failed.stderr, command
        assert "is damaged" in failed.stderr, command
        assert "Traceback" not in failed.stderr, command


def test_a_disk_that_is_full_ends_the_run_clearly_and_keeps_what_was_stored(
    home: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What measures the tests would want to write from inside the process too, and could not.
    monkeypatch.delenv("COVERAGE_PROCESS_CONFIG", raising=False)
    file = home.write("night.toml", rounds=6, deals=3, tables_in_flight=2)
    process = begun(home, file, tables=2)
    written = (home.folder / "night.sqlite-wal").stat().st_size
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (written, written))
    out, err = ended(process, 3)
    assert "the disk does not read or write" in err
    assert "every table announced as finished is kept" in err
    assert out == ""
    home.check_nothing_runs()
    kept = played(home.folder / "night.sqlite")
    assert 2 <= kept < 36
    done = home.moon("tournament", "run", file)
    assert f"36 tables, {kept} played" in done.stderr
    home.moon("tournament", "run", file, "--store", "through.sqlite")
    through = home.folder / "through.sqlite"
    assert home.out("tournament", "export", file) == home.out("tournament", "export", through)


def test_ctrl_c_on_a_terminal_drains_without_a_word_from_any_worker(home: League) -> None:
    file = home.write("night.toml", rounds=50, deals=8)
    words = ["-m", "tournaments.cli.main", "tournament", "run", str(file)]
    child = pexpect.spawn(
        sys.executable,
        words,
        cwd=home.folder,
        env=home.environment(),
        timeout=LIMIT,
        encoding="utf-8",
    )
    child.expect("0 played")
    wait_until(lambda: played(home.folder / "night.sqlite"), "a table is stored")
    child.sendintr()
    child.expect(pexpect.EOF)
    child.close()
    rest = str(child.before)
    assert child.exitstatus == 130
    assert "Traceback" not in rest
    assert "a fault of moon's own" not in rest
    assert "run the same again to continue" in rest
