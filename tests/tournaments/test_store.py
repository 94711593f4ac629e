"""The store from outside: what is acknowledged stays, and what is wrong is named."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import itertools
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, replace
from pathlib import Path

import pytest
from sqlalchemy import Engine, Pool, event

from referee.bots.contents import content_hash
from referee.bots.spec import parse_bot
from referee.errors import NotFoundError, StoreError
from tournaments.config import TournamentConfig, parse_config
from tournaments.lock import WriterLock
from tournaments.results import FaultRow, TableResult
from tournaments.schedule import EntrantId, Table, TableId
from tournaments.store import Store, database
from tournaments.store.files import is_ours
from tournaments.store.rows import COLUMNS, row_checksum, table_row

ROUNDS = 5


def bots(*names: str) -> list[str]:
    """Returns bots of these names, for a tournament file."""
    return [f"{name}=random" for name in names]


def config(**more: object) -> TournamentConfig:
    data = {"name": "night", "bots": bots("ann", "bob", "cyd"), "seed": "s", "rounds": ROUNDS}
    return parse_config(data | more).described(lambda bot: f"content of {bot.name}")


TABLES = config().schedule().tables


def played(table: Table, **more: object) -> TableResult:
    """A result with everything in it that a result can have."""
    fault = FaultRow(
        seat=1,
        entrant=table.seats[1],
        kind="timeout",
        deal=2,
        decision=33,
        question="play; legal: 6-4, 6-6",
        detail="no answer within 1 s",
        exit_status="signal SIGSEGV",
        stderr_tail="Traceback…\n\x1b[31mboom\x00",
        substitute="6-4",
    )
    result = TableResult(
        table.number,
        table.block,
        table.lane,
        table.seats,
        "target",
        (21, -3, 7),
        (1, 3, 2),
        record="\n".join(f'{{"deal":{n},"table":"{table.id}"}}' for n in range(40)),
        timings='{"micros":[1,2,3]}',
        faults=(fault, replace(fault, decision=40, kind="illegal"))[: 1 + table.number % 2],
    )
    return replace(result, **more)  # type: ignore[arg-type]


def voided(table: Table, attempt: int = 1) -> TableResult:
    return TableResult(table.number, table.block, table.lane, table.seats, attempt=attempt)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "night.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store.create(path, config(), code_version="1.0", host={"cores": 2}) as made:
        yield made


def groups(tables: Sequence[Table], size: int) -> Iterator[Sequence[Table]]:
    yield from (tables[i : i + size] for i in range(0, len(tables), size))


def files(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def python(code: str, *arguments: object, **more: object) -> subprocess.Popen[str]:
    """Starts Python on *code*, with the helpers of this file imported as ``t``."""
    here = Path(__file__)
    head = f"""
        import os, sys, signal
        sys.path[:0] = {[str(here.parents[2]), str(here.parents[2] / "proto"), str(here.parent)]!r}
        import test_store as t
        from pathlib import Path
        path = Path(sys.argv[1])
    """
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(head) + textwrap.dedent(code), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **more,  # type: ignore[call-overload]
    )


def forked(function: Callable[[], None]) -> int:
    """Returns the exit code of *function* in a process of its own: 0, or minus the signal."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            function()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def output(process: subprocess.Popen[str]) -> str:
    out, errors = process.communicate()
    assert process.returncode == 0, errors
    return out.strip()


# What goes in comes out


def test_a_result_comes_out_as_it_went_in(store: Store, path: Path) -> None:
    results = [played(table) for table in TABLES[:5]]
    assert store.add_results(results) == (0, 1, 2, 3, 4)
    assert list(store.results()) == results
    store.close()
    with Store.open(path) as again:
        assert list(again.results()) == results
        assert again.result(TableId("1.1")) == results[4]
        assert all(r.finished_at.endswith("Z") for r in again.results())


def test_the_run_comes_out_as_it_went_in(store: Store, path: Path) -> None:
    store.close()
    with Store.open(path) as again:
        assert again.run.identity == config().identity()
        assert (again.run.name, again.run.seed, again.run.code_version) == ("night", "s", "1.0")
        assert again.run.host == {"cores": 2}
        assert again.run.entrants == ("ann", "bob", "cyd")
        assert again.run.schedule() == config().schedule()


def test_results_come_in_schedule_order_and_the_fingerprint_too(tmp_path: Path) -> None:
    shuffled = list(TABLES)
    random.Random(7).shuffle(shuffled)
    prints = set()
    for name, order in (("a", TABLES), ("b", shuffled)):
        with Store.create(tmp_path / name, config(), code_version="1") as store:
            for group in groups(order, 4):
                store.add_results([played(table) for table in group])
            assert [r.number for r in store.results()] == list(range(len(TABLES)))
            prints.add(store.fingerprint())
    assert len(prints) == 1


@pytest.mark.parametrize(
    "other",
    [
        {"record": "another"},
        {"scores": (22, -3, 7)},
        {"places": (1, 2, 3)},
        {"ending": "cap"},
        {"seats": (EntrantId("cyd"), EntrantId("ann"), EntrantId("bob"))},
    ],
    ids=lambda other: next(iter(other)),
)
def test_the_fingerprint_tells_every_difference_but_not_what_was_measured(
    tmp_path: Path, other: dict[str, object]
) -> None:
    def fingerprint(result: TableResult) -> str:
        with Store.create(tmp_path / "x", config(), code_version="1") as store:
            store.add_results([result])
            found = store.fingerprint()
        (tmp_path / "x").unlink()
        return found

    plain = fingerprint(played(TABLES[0]))
    assert fingerprint(played(TABLES[0], timings="9", faults=(), attempt=3)) == plain
    assert fingerprint(played(TABLES[0], **other)) != plain


def test_another_identity_is_another_fingerprint(tmp_path: Path) -> None:
    prints = set()
    for name, changed in (("a", {}), ("b", {"seed": "t"}), ("c", {"workers": 9})):
        with Store.create(tmp_path / name, config(**changed), code_version=name) as store:
            prints.add((store.fingerprint(), name == "b"))
    assert len(prints) == 2


def test_planned_is_played_and_void_and_pending(store: Store) -> None:
    store.add_results([played(table) for table in TABLES[3:10]] + [voided(TABLES[1])])
    pending = store.pending(config().schedule())
    assert [t.number for t in pending] == [0, 1, 2, *range(10, len(TABLES))]
    counts = store.counts()
    assert counts.played + len(pending) == len(TABLES)
    assert (counts.void, store.void_attempts()) == (1, {1: 1})


def test_a_longer_run_goes_on_where_the_shorter_ended(store: Store) -> None:
    store.add_results([played(table) for table in TABLES])
    assert store.pending(config().schedule()) == ()
    longer = config(rounds=ROUNDS + 1).schedule()
    assert store.pending(longer) == longer.tables[len(TABLES) :]


@pytest.mark.parametrize("changed", [{"bots": bots("bob", "ann", "cyd")}, {"rounds": 1}], ids=str)
def test_results_of_another_schedule_are_not_taken_for_this_one(
    store: Store, changed: dict[str, object]
) -> None:
    store.add_results([played(TABLES[8])])
    with pytest.raises(StoreError, match=r"night\.sqlite: table 2\.2 is stored, but the schedule"):
        store.pending(config(**changed).schedule())


# Delivered twice, void, replaced


def test_a_result_delivered_twice_is_counted_once(store: Store) -> None:
    results = [played(table) for table in TABLES[:3]]
    assert store.add_results(results) == (0, 1, 2)
    again = [*results[1:], played(TABLES[3])]
    # Measured times differ whenever a table is played; they do not make another result.
    assert store.add_results([replace(r, timings="{}") for r in again]) == (3,)
    assert store.add_results(results) == ()
    assert [r.timings for r in store.results()] == [results[0].timings] * 3 + ["{}"]
    assert store.counts().played == 4


def test_another_result_of_a_stored_table_is_refused_with_all_that_came_with_it(
    store: Store,
) -> None:
    store.add_results([played(TABLES[0])])
    with pytest.raises(StoreError, match=r"table 0\.0 is stored with another result"):
        store.add_results([played(TABLES[1]), played(TABLES[0], scores=(0, 0, 0))])
    assert list(store.results()) == [played(TABLES[0])]


def test_a_void_table_is_replaced_by_its_replay_and_never_the_other_way(store: Store) -> None:
    store.add_results([voided(TABLES[0]), voided(TABLES[1], attempt=2)])
    assert store.add_results([voided(TABLES[0], attempt=2), voided(TABLES[1])]) == (0,)
    assert store.void_attempts() == {0: 2, 1: 2}
    assert list(store.results()) == []
    assert store.add_results([played(TABLES[0], attempt=3)]) == (0,)
    assert store.add_results([voided(TABLES[0], attempt=4)]) == ()
    assert store.result(TableId("0.0")) == played(TABLES[0], attempt=3)
    assert store.result(TableId("0.1")).is_void
    assert [n.text for n in store.notes() if n.kind == "void"] == [
        "table 0.0, attempt 1",
        "table 0.1, attempt 2",
        "table 0.0, attempt 2",
    ]


def test_the_same_table_twice_in_one_delivery_is_a_bug_of_the_caller(store: Store) -> None:
    with pytest.raises(ValueError, match="two results of one table"):
        store.add_results([played(TABLES[0]), played(TABLES[0])])


def test_no_results_are_no_transaction_and_no_error(store: Store) -> None:
    assert store.add_results([]) == ()


@pytest.mark.parametrize("name", ["9.0", "0.7", "x", "1", "", "1.-1", "¹.0"])
def test_a_table_that_is_not_stored_is_not_found(store: Store, name: str) -> None:
    store.add_results([played(TABLES[0])])
    with pytest.raises(NotFoundError, match="is not stored"):
        store.result(TableId(name))


# Changes, notes


def test_a_changed_file_or_program_is_told_and_written_down_when_accepted(
    store: Store, path: Path
) -> None:
    assert store.changes(config(workers=7), "1.0") == ()
    changed = config(rounds=9, seed="s")
    lines = store.changes(changed, "1.1")
    assert lines == (f"rounds: {ROUNDS} -> 9", "version of moon: 1.0 -> 1.1")
    store.accept(changed, "1.1")
    store.accept(changed, "1.1")
    assert store.changes(changed, "1.1") == ()
    store.close()
    with Store.open(path) as again:
        assert (again.run.identity["rounds"], again.run.code_version) == (9, "1.1")
        assert [(n.kind, n.text) for n in again.notes()] == [
            ("created", "1.0"),
            ("changed", "; ".join(lines)),
        ]


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({"rules": "kelley-3p"}, "rule."),
        ({"rule": {"min_bid": 3}}, "rule.min_bid: 4 -> 3"),
        ({"seed": "t"}, "seed: another one"),
        ({"deals": 3}, "deals: none -> 3"),
        ({"max_deals": 3}, "max_deals: 100 -> 3"),
        ({"ask_forced": True}, "ask_forced: false -> true"),
        ({"clock": {"strikes": 3}}, "clock.strikes: 2 -> 3"),
        ({"bots": bots("bob", "ann", "cyd")}, "the schedule has no such table"),
        ({"bots": bots("ann", "bob", "dan")}, "the schedule has no such table"),
        ({"rounds": 1}, "the schedule has no such table"),
    ],
    ids=str,
)
def test_no_change_is_accepted_under_which_stored_tables_would_mean_nothing(
    store: Store, path: Path, changed: dict[str, object], line: str
) -> None:
    other = config(**changed)
    assert store.obstacles(other) == ()
    store.add_results([played(TABLES[8])])
    assert line in "\n".join(store.obstacles(other))
    with pytest.raises(StoreError, match="what is stored would mean nothing:\n  ") as refusal:
        store.accept(other, "1.1")
    assert line in str(refusal.value)
    store.close()
    with Store.open(path) as again:
        assert again.run.identity == config().identity()
        assert again.run.code_version == "1.0"
        assert [note.kind for note in again.notes()] == ["created"]


@pytest.mark.parametrize(
    "changed",
    [
        {"rounds": 9},
        {"call": "unary"},
        {"clock": {"move_time": 9, "bank": 9, "startup": 9, "first_move": 9}},
    ],
    ids=str,
)
def test_changes_that_do_not_touch_what_was_played_are_accepted(
    store: Store, changed: dict[str, object]
) -> None:
    store.add_results([played(TABLES[8])])
    other = replace(config(**changed).described(lambda _: "rebuilt"))
    assert store.obstacles(other) == ()
    store.accept(other, "1.1")
    assert store.run.identity == other.identity()


def test_anything_is_accepted_while_nothing_is_stored(store: Store) -> None:
    other = config(seed="t", deals=2, bots=bots("x", "y", "z"), clock={"strikes": 0})
    store.accept(other, "1.0")
    assert store.run.identity == {**other.identity(), "seed": "t"}


def test_a_file_without_a_seed_continues_with_the_one_that_was_drawn(store: Store) -> None:
    fresh = replace(config(), seed=None)
    assert store.changes(fresh, "1.0") == ()
    store.accept(replace(fresh, rounds=2), "1.0")
    assert store.run.seed == "s"


# One writer, many readers


def test_a_second_writer_is_refused_and_told_who_is_the_first(store: Store, path: Path) -> None:
    code = """
        from referee.errors import StoreError
        try:
            t.Store.open(path, readonly=False)
        except StoreError as error:
            print(error.exit_code, error)
    """
    store.add_results([played(TABLES[0])])
    said = output(python(code, path))
    assert said.startswith(f"75 {path}: process {os.getpid()} is writing to it")
    with pytest.raises(StoreError, match="is writing to it"):
        Store.create(path, config(), code_version="1")
    store.close()
    assert output(python(code, path)) == ""


def test_two_writers_through_two_names_of_the_file_are_two_writers(
    store: Store, path: Path, tmp_path: Path
) -> None:
    link = tmp_path / "link.sqlite"
    link.symlink_to(path)
    with pytest.raises(StoreError, match="is writing to it") as caught:
        Store.open(link, readonly=False)
    assert caught.value.exit_code == 75


def test_a_killed_writer_does_not_keep_the_next_one_out(path: Path) -> None:
    code = """
        store = t.Store.create(path, t.config(), code_version="1")
        store.add_results([t.played(t.TABLES[0])])
        os.kill(os.getpid(), signal.SIGKILL)
    """
    process = python(code, path)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    with Store.open(path, readonly=False) as store:
        assert list(store.results()) == [played(TABLES[0])]
        store.add_results([played(TABLES[1])])
    assert files(path.parent) == ["night.sqlite"]


def test_a_lock_file_that_its_holder_removed_meanwhile_is_no_lock(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, take = WriterLock(path), fcntl.flock

    def take_late(file: int, how: int) -> None:
        first.release()  # the file is open already, and only now its holder removes it
        take(file, how)

    monkeypatch.setattr(fcntl, "flock", take_late)
    second = WriterLock(path)
    monkeypatch.undo()
    with pytest.raises(StoreError, match="is writing to it"):
        WriterLock(path)
    second.release()
    assert files(path.parent) == []


def test_what_is_stored_is_on_the_disk_and_writing_waits_for_its_turn_at_once(
    store: Store, path: Path
) -> None:
    statements: list[str] = []

    def listen(_: object, __: object, statement: str, *___: object) -> None:
        statements.append(statement)

    event.listen(Engine, "before_cursor_execute", listen)
    try:
        store.add_results([played(TABLES[0])])
        assert statements[0] == "BEGIN IMMEDIATE"
        statements.clear()
        store.counts()
        assert statements[0] == "BEGIN"
    finally:
        event.remove(Engine, "before_cursor_execute", listen)
    engine = database.writing_engine(path)
    with engine.connect() as connection:
        pragmas = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        found = [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in pragmas]
    engine.dispose()
    assert found == ["wal", 2, 1, 30_000]


def test_readers_see_what_is_finished_while_a_run_writes(store: Store, path: Path) -> None:
    with Store.open(path) as reader:
        for count, table in enumerate(TABLES[:6], start=1):
            store.add_results([played(table)])
            assert reader.counts().played == count
            with Store.open(path) as second:
                assert len(list(second.results())) == count


def test_a_reader_in_the_middle_sees_one_moment_and_holds_nobody_up(
    store: Store, path: Path
) -> None:
    store.add_results([played(table) for table in TABLES[:3]])
    with Store.open(path) as reader:
        reading = reader.results()
        next(reading)
        store.add_results([played(table) for table in TABLES[3:]])
        assert len(list(reading)) == 2
        assert reader.counts().played == len(TABLES)


def test_a_writer_can_end_while_somebody_reads_and_all_is_there(store: Store, path: Path) -> None:
    store.add_results([played(TABLES[0])])
    with Store.open(path) as reader:
        assert reader.counts().played == 1
        store.add_results([played(TABLES[1])])
        store.close()
        assert reader.counts().played == 2
    with Store.open(path) as reader:
        assert reader.counts().played == 2
    with Store.open(path, readonly=False) as again:
        assert again.counts().played == 2
    assert files(path.parent) == [path.name]


@pytest.mark.parametrize("asleep", [False, True], ids=["closed", "left in WAL mode"])
def test_reading_creates_no_file_and_changes_none(store: Store, path: Path, asleep: bool) -> None:
    store.add_results([played(TABLES[0])])
    store.close()
    assert path.read_bytes()[18] == 1  # no log is needed to read it, here or on a copy
    if asleep:
        with contextlib.closing(sqlite3.connect(path)) as raw:
            raw.execute("PRAGMA journal_mode = WAL")
    before = (files(path.parent), path.read_bytes(), path.stat().st_mtime_ns)
    with Store.open(path) as reader:
        assert reader.counts().played == 1
        assert reader.fingerprint()
        assert reader.damages() == ()
        assert files(path.parent) == before[0]
        with pytest.raises(StoreError, match="is open for reading only"):
            reader.note("x", "y")
    assert (files(path.parent), path.read_bytes(), path.stat().st_mtime_ns) == before


@pytest.mark.parametrize("killed", [False, True], ids=["closed", "killed"])
def test_a_store_can_be_read_where_nothing_can_be_written(killed: bool) -> None:
    def run(path: Path) -> None:
        store = Store.create(path, config(), code_version="1")
        store.add_results([played(TABLES[0])])
        if killed:
            os.kill(os.getpid(), signal.SIGKILL)
        store.close()

    def read(path: Path) -> None:
        if os.geteuid() == 0:  # who may write everywhere, so nobody reads
            os.setuid(65534)
        with Store.open(path) as store:
            assert list(store.results()) == [played(TABLES[0])]

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "night.sqlite"
        assert forked(lambda: run(path)) == (-signal.SIGKILL if killed else 0)
        path.with_name("night.sqlite.lock").unlink(missing_ok=True)
        for file in folder.iterdir():
            file.chmod(0o444)
        folder.chmod(0o555)
        before = files(folder)
        assert forked(lambda: read(path)) == 0
        assert files(folder) == before
        folder.chmod(0o755)


# Kill, disk full, locked


def test_kill_9_loses_nothing_that_was_acknowledged_and_leaves_no_part_of_a_table(
    path: Path,
) -> None:
    code = """
        how = t.Store.open if path.exists() else t.Store.create
        rest = {"readonly": False} if path.exists() else {"config": t.config(), "code_version": "1"}
        with how(path, **rest) as store:
            pending = store.pending(t.config().schedule())
            for group in t.groups(pending, 3):
                numbers = store.add_results([t.played(table) for table in group])
                print(*numbers, flush=True)
    """
    expected = {table.number: played(table) for table in TABLES}
    chance = random.Random(1)
    acknowledged: set[int] = set()
    for _ in range(30):
        process = python(code, path)
        assert process.stdout is not None
        for _ in range(chance.randrange(1, 4)):
            acknowledged.update(map(int, process.stdout.readline().split()))
        os.kill(process.pid, signal.SIGKILL)
        # What was said but not read yet was acknowledged all the same.
        acknowledged.update(map(int, process.stdout.read().split()))
        process.communicate()
        if not path.exists():
            continue
        with Store.open(path) as store:
            found = {result.number: result for result in store.results()}
            assert store.damages() == ()
        assert acknowledged <= found.keys()
        assert all(expected[number] == result for number, result in found.items())
        # Groups are whole: three tables are there, or none of them.
        assert all({n, n + 1, n + 2} <= found.keys() for n in found if n % 3 == 0)
        if len(found) == len(TABLES):
            break
    assert len(found) == len(TABLES)


def kill_after(statements: int) -> None:
    """Kills this process when it has done so many statements and begins one more."""
    left = itertools.count(statements, -1)

    @event.listens_for(Engine, "before_cursor_execute")
    def count(*_: object) -> None:
        if next(left) == 0:
            os.kill(os.getpid(), signal.SIGKILL)


def test_a_run_that_is_killed_while_it_is_made_is_there_whole_or_not_at_all(path: Path) -> None:
    def create(statements: int) -> None:
        kill_after(statements)
        Store.create(path, config(), code_version="1").close()

    codes = []
    for statements in range(60):
        codes.append(forked(lambda: create(statements)))  # noqa: B023 - it runs now
        if path.exists():
            with Store.open(path) as store:
                assert store.run.identity == config().identity()
            path.unlink()
        if codes[-1] == 0:
            break
    assert set(codes[:-1]) == {-signal.SIGKILL}
    assert codes[-1] == 0
    assert len(codes) > 10
    assert files(path.parent) == []


def test_a_migration_that_is_killed_leaves_the_old_tables_or_the_new(tmp_path: Path) -> None:
    path = tmp_path / "old.sqlite"

    def migrate(statements: int) -> None:
        kill_after(statements)
        with database.writing(database.writing_engine(path)) as connection:
            database.upgrade(connection)

    codes = []
    for statements in range(60):
        path.unlink(missing_ok=True)
        with contextlib.closing(sqlite3.connect(path)) as raw:
            raw.execute("CREATE TABLE was_here (x)")
        codes.append(forked(lambda: migrate(statements)))  # noqa: B023 - it runs now
        with contextlib.closing(sqlite3.connect(path)) as raw:
            names = {row[0] for row in raw.execute("SELECT name FROM sqlite_master")}
        if codes[-1] == 0:
            break
        assert names == {"was_here"}
    assert codes[-1] == 0
    assert len(codes) > 7
    assert {"run", "tables", "faults", "notes", "alembic_version"} <= names


def test_a_full_disk_is_said_and_nothing_stored_is_lost(store: Store, path: Path) -> None:
    store.add_results([played(TABLES[0])])
    store.close()

    def small(connection: sqlite3.Connection, _: object) -> None:
        connection.execute("PRAGMA max_page_count = 1")  # the smallest it can be: as it is now

    event.listen(Pool, "connect", small)
    try:
        with Store.open(path, readonly=False) as full:
            with pytest.raises(StoreError, match="the disk is full; free some space") as caught:
                full.add_results([played(TABLES[n], record=os.urandom(9999).hex()) for n in (1, 2)])
            assert list(full.results()) == [played(TABLES[0])]
            assert not caught.value.locked
    finally:
        event.remove(Pool, "connect", small)
    with Store.open(path, readonly=False) as again:
        assert again.add_results([played(TABLES[1])]) == (1,)


def test_a_disk_without_a_byte_left_is_said_and_no_lock_stays_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(file: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(StoreError) as caught:
        WriterLock(tmp_path / "night.sqlite")
    monkeypatch.undo()
    assert str(caught.value) == (
        f"{tmp_path}/night.sqlite: cannot be written: night.sqlite.lock: no space left on device; "
        "free some space"
    )
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_fails_is_said_and_nothing_stored_is_lost(path: Path) -> None:
    code = """
        import resource
        from referee.errors import StoreError
        with t.Store.create(path, t.config(), code_version="1") as store:
            store.add_results([t.played(t.TABLES[0])])
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
            try:
                store.add_results([t.played(t.TABLES[1], record=os.urandom(99999).hex())])
            except StoreError as error:
                print(error)
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
            print(store.add_results([t.played(t.TABLES[2])]))
    """
    said = output(python(code, path)).splitlines()
    assert said[0].startswith(f"{path}: the disk ")
    assert said[1:] == ["(2,)"]
    with Store.open(path) as store:
        assert [r.number for r in store.results()] == [0, 2]


def test_a_file_that_a_stranger_has_locked_is_said_to_be_locked(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.close()
    monkeypatch.setattr(database, "BUSY_MS", 1)
    with Store.open(path, readonly=False) as again:
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as raw:
            raw.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreError, match="another program has it locked") as caught:
                again.add_results([played(TABLES[0])])
        assert (caught.value.locked, caught.value.exit_code) == (True, 75)
        assert again.add_results([played(TABLES[0])]) == (0,)


def test_what_a_run_keeps_in_the_folder_of_a_bot_does_not_make_it_another_bot(
    tmp_path: Path,
) -> None:
    (tmp_path / "bot.toml").write_text('name = "b"\nversion = "1"\nrun = ["./b"]\n')
    bot = parse_bot(".", tmp_path)
    first = content_hash(bot, is_ours)
    for name in ("night.sqlite", "friday.db"):
        with Store.create(tmp_path / name, config(), code_version="1") as store:
            store.add_results([played(table) for table in TABLES])
            assert {f"{name}-wal", f"{name}.lock"} <= set(files(tmp_path))
            assert content_hash(bot, is_ours) == first
        assert content_hash(bot, is_ours) == first
    # What a killed run leaves, before and after its store is there.
    for name in ("a.sqlite.lock", "a.sqlite.new", "a.sqlite.new-journal", "friday.db.lock",
                 "friday.db.new", "friday.db-journal"):  # fmt: skip
        (tmp_path / name).write_text("left")
        assert content_hash(bot, is_ours) == first, name


@pytest.mark.parametrize(
    "name", ["book.sqlite", "book.sqlite-wal", "Cargo.lock", "x.new", ".lock", "-wal", "night.toml"]
)
def test_what_only_looks_like_ours_in_the_folder_of_a_bot_is_the_bot(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / "bot.toml").write_text('name = "b"\nversion = "1"\nrun = ["./b"]\n')
    with contextlib.closing(sqlite3.connect(tmp_path / "book.sqlite")) as raw, raw:
        raw.execute("CREATE TABLE openings (hand)")
    bot = parse_bot(".", tmp_path)
    first = content_hash(bot, is_ours)
    with (tmp_path / name).open("ab") as file:
        file.write(b"more")
    assert content_hash(bot, is_ours) != first


# Damage, and files that are not ours


def flip(path: Path, needle: bytes) -> None:
    data = bytearray(path.read_bytes())
    at = data.index(needle)
    data[at + len(needle) // 2] ^= 0x04
    path.write_bytes(data)


def compressed_record(path: Path, number: int) -> bytes:
    with contextlib.closing(sqlite3.connect(path)) as raw:
        return bytes(
            raw.execute("SELECT record FROM tables WHERE number = ?", [number]).fetchone()[0]
        )


def test_a_flipped_bit_in_a_record_is_found_and_the_table_named(store: Store, path: Path) -> None:
    store.add_results([played(table) for table in TABLES[:6]])
    store.close()
    flip(path, compressed_record(path, 4))
    with Store.open(path) as again:
        reading = again.results()
        assert [next(reading).number for _ in range(4)] == [0, 1, 2, 3]
        with pytest.raises(StoreError, match=r"table 1\.1 \(number 4\) is damaged"):
            next(reading)
        with pytest.raises(StoreError, match=r"table 1\.1"):
            again.fingerprint()
        with pytest.raises(StoreError, match=r"table 1\.1"):
            again.result(TableId("1.1"))
        assert again.damages() == ("table 1.1 (number 4) is damaged: it is not what was written",)
        assert again.result(TableId("1.2")) == played(TABLES[5])


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE tables SET scores = '[21,-3,8]' WHERE number = 1",
        "UPDATE tables SET places = '[3,1,2]' WHERE number = 1",
        "UPDATE tables SET ending = 'cap' WHERE number = 1",
        "UPDATE tables SET attempt = 2 WHERE number = 1",
        "UPDATE tables SET timings = x'00' WHERE number = 1",
        "UPDATE tables SET record = 'text' WHERE number = 1",
        "UPDATE tables SET seats = '[' WHERE number = 1",
        "UPDATE tables SET checksum = '' WHERE number = 1",
        "UPDATE tables SET figures = '[9,3,[]]' WHERE number = 1",
        "UPDATE faults SET kind = 'crashed' WHERE table_number = 1 AND seq = 0",
        "DELETE FROM faults WHERE table_number = 1 AND seq = 1",
        "INSERT INTO faults VALUES (1, 2, 0, 'ann', 'timeout', 1, 1, '', '', '', '', '')",
    ],
)
def test_a_change_of_anything_told_about_a_table_is_found(
    store: Store, path: Path, change: str
) -> None:
    store.add_results([played(table) for table in TABLES[:3]])
    store.close()
    with contextlib.closing(sqlite3.connect(path)) as raw, raw:
        assert raw.execute(change).rowcount == 1
    with Store.open(path) as again:
        with pytest.raises(StoreError, match=r"table 0\.1 \(number 1\) is damaged"):
            list(again.results())
        assert len(again.damages()) == 1


def test_a_changed_identity_is_found_before_anything_is_read(store: Store, path: Path) -> None:
    store.close()
    with contextlib.closing(sqlite3.connect(path)) as raw, raw:
        raw.execute("UPDATE run SET identity = replace(identity, 'tournament', 'turnament')")
    with pytest.raises(StoreError, match="is damaged"):
        Store.open(path)


def test_no_flipped_byte_anywhere_gives_a_wrong_result_in_silence(store: Store, path: Path) -> None:
    results = [played(table) for table in TABLES[:9]]
    store.add_results(results)
    store.close()
    whole = path.read_bytes()
    chance = random.Random(3)
    noticed = 0
    for _ in range(300):
        data = bytearray(whole)
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        path.write_bytes(data)
        try:
            with Store.open(path) as again:
                found = list(again.results())
                identity = again.run.identity
        except StoreError as error:
            assert str(error).startswith(str(path))  # noqa: PT017 - most flips are not noticed
            noticed += 1
            continue
        # What is read is right; but a lost row may look like a table not yet played.
        assert identity == config().identity()
        assert all(results[result.number] == result for result in found)
    assert noticed > 10


def test_no_block_of_zeros_and_no_flip_in_the_log_gives_a_wrong_result_in_silence(
    store: Store, path: Path, tmp_path: Path
) -> None:
    results = [played(table) for table in TABLES[:9]]
    store.add_results(results)
    copy = tmp_path / "copy" / path.name
    copy.parent.mkdir()
    whole = {end: path.with_name(path.name + end).read_bytes() for end in ("", "-wal")}
    assert len(whole["-wal"]) > 4096, "what was stored is in the log still"
    chance = random.Random(5)
    for end, size in [("-wal", 1)] * 60 + [("-wal", 4096), ("", 4096)] * 10:
        data = dict(whole)
        place = chance.randrange(len(data[end]))
        damage = bytes(size) if size > 1 else bytes([data[end][place] ^ 1 << chance.randrange(8)])
        data[end] = (data[end][:place] + damage + data[end][place + size :])[: len(data[end])]
        for name, content in data.items():
            copy.with_name(path.name + name).write_bytes(content)
        try:
            with Store.open(copy) as again:
                found = list(again.results())
        except StoreError as error:
            assert str(error).startswith(str(copy))  # noqa: PT017 - most damage is not noticed
            continue
        # The log is believed up to its first damage: the group is there whole, or not at all.
        assert found in ([], results)


def test_damage_that_sqlite_itself_quotes_in_its_complaint_is_said(
    store: Store, path: Path
) -> None:
    store.close()
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE notes", b"CREATE T\xf3BLE notes"))
    with pytest.raises(StoreError, match=r"night\.sqlite: is damaged"):
        Store.open(path)


def test_no_cut_file_gives_a_traceback(store: Store, path: Path) -> None:
    store.add_results([played(table) for table in TABLES])
    store.close()
    whole = path.read_bytes()
    for size in [0, 1, 15, 16, 99, 100, 512, *range(1024, len(whole), 4096)]:
        path.write_bytes(whole[:size])
        with pytest.raises(StoreError, match=r"night\.sqlite: "), Store.open(path) as again:
            list(again.results())


@pytest.mark.parametrize("readonly", [True, False])
def test_what_is_no_store_of_ours_is_refused_and_left_alone(tmp_path: Path, readonly: bool) -> None:
    text, other, empty = tmp_path / "a.toml", tmp_path / "b.sqlite", tmp_path / "c.sqlite"
    text.write_text("bots = []")
    empty.touch()
    with contextlib.closing(sqlite3.connect(other)) as raw:
        raw.execute("CREATE TABLE tables (number)")
    before = {file: file.read_bytes() for file in (text, other, empty)}
    for file in before:
        with pytest.raises(StoreError, match="is not a store of this program") as caught:
            Store.open(file, readonly=readonly)
        assert caught.value.exit_code == 3
    assert {file: file.read_bytes() for file in sorted(tmp_path.iterdir())} == before


@pytest.mark.parametrize("readonly", [True, False])
def test_a_store_that_is_not_there_is_not_made_by_opening_it(path: Path, readonly: bool) -> None:
    with pytest.raises(StoreError, match="there is no such store") as caught:
        Store.open(path, readonly=readonly)
    assert caught.value.exit_code == 3
    with pytest.raises(StoreError, match="cannot be read: is a directory"):
        Store.open(path.parent, readonly=readonly)
    assert files(path.parent) == []


def test_a_run_is_never_made_over_a_file_that_is_there(path: Path) -> None:
    path.write_text("precious")
    with pytest.raises(StoreError, match="is there already"):
        Store.create(path, config(), code_version="1")
    assert path.read_text() == "precious"
    assert files(path.parent) == [path.name]


def test_a_store_with_an_odd_name_is_made(tmp_path: Path) -> None:
    path = tmp_path / "späte Runde" / "100% #1?.sqlite"
    path.parent.mkdir()
    with Store.create(path, config(), code_version="1") as store:
        store.add_results([played(TABLES[0])])
    with Store.open(path) as store:
        assert store.counts().played == 1
    assert files(path.parent) == [path.name]


def test_a_folder_that_is_not_there_is_said_and_not_made(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"x\.sqlite: there is no folder .*misspelt; make it"):
        Store.create(tmp_path / "misspelt" / "x.sqlite", config(), code_version="1")
    assert not (tmp_path / "misspelt").exists()


# Versions


def set_version(path: Path, version: str) -> None:
    with contextlib.closing(sqlite3.connect(path)) as raw, raw:
        raw.execute("UPDATE alembic_version SET version_num = ?", [version])


@pytest.mark.parametrize("readonly", [True, False])
def test_a_store_of_a_newer_program_is_refused_and_left_alone(
    store: Store, path: Path, readonly: bool
) -> None:
    store.close()
    set_version(path, "0999")
    with pytest.raises(StoreError, match=r"newer version of this program \(tables 0999"):
        Store.open(path, readonly=readonly)
    with contextlib.closing(sqlite3.connect(path)) as raw:
        assert raw.execute("SELECT version_num FROM alembic_version").fetchone() == ("0999",)


def test_a_store_of_an_older_program_is_not_changed_by_reading(store: Store, path: Path) -> None:
    store.close()
    set_version(path, "0000")
    with pytest.raises(StoreError, match="older version of this program; continue the run once"):
        Store.open(path)


def make_older(path: Path) -> None:
    """Makes the store at *path* what the first version, which knew no figures, left behind."""
    with contextlib.closing(sqlite3.connect(path)) as raw, raw:
        assert raw.execute("SELECT count(*) FROM tables WHERE figures != ''").fetchone() == (0,)
        raw.execute("ALTER TABLE tables DROP COLUMN figures")
        raw.execute("UPDATE alembic_version SET version_num = '0001'")


def test_a_store_without_figures_is_read_as_it_is_and_gets_them_for_new_tables(
    store: Store, path: Path
) -> None:
    results = [played(table) for table in TABLES[:6]]
    store.add_results(results[:4])
    fingerprint = store.fingerprint()
    store.close()
    make_older(path)
    before = path.read_bytes()
    with Store.open(path) as old:
        assert list(old.results()) == list(old.outcomes(timings=True)) == results[:4]
        assert old.result(TableId("1.0")) == results[3]
        assert old.fingerprint() == fingerprint
        assert old.damages() == ()
    assert path.read_bytes() == before
    told = '{"type":"match","rules":"tournament-3p"}\n{"type":"deal","first":1,"bids":"5 4 pass"}'
    new = replace(results[4], record=told)
    with Store.open(path, readonly=False) as again:
        assert list(again.results()) == results[:4]
        again.add_results([new])
        assert [each.figures for each in again.outcomes()] == [""] * 4 + ["[1,3,[]]"]
        assert [each.record for each in again.outcomes()] == [r.record for r in results[:4]] + [""]
        assert list(again.results()) == [*results[:4], new]


def test_a_record_that_is_not_the_one_whose_hash_is_told_is_found_though_checksums_hold(
    store: Store, path: Path
) -> None:
    """The fingerprint is made of these hashes."""
    other = replace(played(TABLES[1]), record="another")
    row = table_row(other, "2026-01-01T00:00:00Z") | {"record_sha256": "0" * 64}
    told = [row[name] for name in COLUMNS[:12]]
    faults = [astuple(fault) for fault in other.faults]
    row["checksum"] = row_checksum(told, faults, row["record"], row["timings"])
    store.add_results([played(TABLES[0]), other])
    store.close()
    with contextlib.closing(sqlite3.connect(path)) as raw, raw:
        changed = ", ".join(f"{name} = :{name}" for name in row)
        raw.execute(f"UPDATE tables SET {changed} WHERE number = :number", row)
    with Store.open(path) as again:
        assert list(again.results()) == [played(TABLES[0]), other]
        assert again.damages() == ("table 0.1 (number 1): the record has another hash",)


def test_the_newest_migration_makes_the_tables_that_the_code_uses(store: Store, path: Path) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.runtime.migration import MigrationContext

    from tournaments.store.schema import METADATA

    engine = database.reading_engine(path, database.check_file(path))
    with engine.begin() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []
    engine.dispose()


def test_there_is_one_line_of_migrations_and_it_ends_at_the_version_of_the_code() -> None:
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    from tournaments.store.schema import SCHEMA_VERSION

    folder = Path(database.__file__).with_name("migrations")
    scripts = ScriptDirectory.from_config(Config(config_args={"script_location": str(folder)}))
    assert scripts.get_heads() == [SCHEMA_VERSION]
    assert all(s.revision.isdecimal() and len(s.revision) == 4 for s in scripts.walk_revisions())


def test_reading_a_store_does_not_import_alembic(store: Store, path: Path) -> None:
    store.add_results([played(TABLES[0])])
    code = """
        with t.Store.open(path) as store:
            store.fingerprint(), store.pending(t.config().schedule())
        print([m for m in ("alembic", "mako", "grpc") if m in sys.modules])
    """
    assert output(python(code, path)) == "[]"


def test_the_file_system_must_allow_write_ahead_logging(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.close()
    connect = sqlite3.connect
    # Without shared memory, as on a network file system, SQLite keeps to its old journal.
    monkeypatch.setattr(
        sqlite3, "connect", lambda file, **how: connect(f"{file}&vfs=unix-none", **how)
    )
    with pytest.raises(StoreError, match=r"network folder\?\); keep the store on a local disk"):
        Store.open(path, readonly=False)


def test_a_store_whose_writer_was_killed_as_it_closed_is_read_as_it_was(
    store: Store, path: Path
) -> None:
    """Everything goes into the one file then, by a journal that only a writer can undo."""
    store.add_results([played(TABLES[0])])
    store.close()
    before = path.read_bytes()

    def be_killed() -> None:
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("PRAGMA cache_size = 2")  # so that pages reach the file before the end
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("UPDATE run SET name = 'half'")
        connection.execute("CREATE TABLE half AS SELECT randomblob(100000) AS x")
        os.kill(os.getpid(), signal.SIGKILL)

    forked(be_killed)
    assert path.with_name(path.name + "-journal").exists()
    assert path.read_bytes() != before
    with Store.open(path) as read:
        assert read.run.name == "night"
        assert len(list(read.results())) == 1
    assert path.read_bytes() == before
    assert files(path.parent) == [path.name]
