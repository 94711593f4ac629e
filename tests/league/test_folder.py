"""The folder of a league: whole or not there, changed by one at a time, and told what was lost."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from referee import crashes
from referee.bots.sandbox.tiers import Limits
from referee.bots.spec import parse_bot
from referee.errors import ConfigError, NotFoundError, StoreError, VerificationError
from tests.league.leagues import entered, make, snapshot, with_terms, write_bot
from tournaments.league import folder as folders
from tournaments.league.entering import EnteredAlreadyError, check_candidate, enter
from tournaments.league.entries import Event, Status
from tournaments.league.folder import League
from tournaments.league.freezing import freeze
from tournaments.league.nights import night_files, open_night, seal_night
from tournaments.lock import WriterLock
from tournaments.reports.league_verifying import verify_league


def events(league: League) -> list[str]:
    return [line.event for line in league.audit.lines]


def log(league: League) -> Path:
    return league.folder / "audit.jsonl"


def forked(work: Callable[[], object]) -> int:
    """Does *work* in a copy of this process, and returns the number of that process."""
    pid = os.fork()
    if pid:
        return pid
    try:
        work()
        os._exit(0)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def killed(work: Callable[[], object], point: str, time: int = 1) -> None:
    """Does *work* in a copy of this process that is killed the given *time* at *point*."""

    def doomed() -> None:
        crashes._plans[:] = [crashes.Plan(f"{point}:{time}")]
        work()

    _, status = os.waitpid(forked(doomed), 0)
    assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL


def test_a_new_league_says_its_terms_and_holds_nothing_but_them(tmp_path: Path) -> None:
    (tmp_path / "club").mkdir()  # empty, as some make it first
    league = make(tmp_path / "club")
    assert sorted(path.name for path in league.folder.iterdir()) == [
        "audit.jsonl", "entries", "league.toml", "nights", "reports",
    ]  # fmt: skip
    assert (league.config.name, str(league.config.sandbox.tier)) == ("Tuesday", "basic")
    assert (league.entries, events(league)) == ((), ["made"])
    assert [path.name for path in tmp_path.iterdir()] == ["club"], "no lock and no draft is left"
    with pytest.raises(StoreError, match="is there already"):
        make(tmp_path / "club")


def test_killed_while_it_is_made_there_is_no_league_and_the_next_one_can_be_made(
    tmp_path: Path,
) -> None:
    killed(lambda: make(tmp_path / "club"), "league.before_rename")
    with pytest.raises(NotFoundError, match="moon league init"):
        League.open(tmp_path / "club")
    make(tmp_path / "club")
    assert [path.name for path in tmp_path.iterdir()] == ["club"]


@pytest.mark.parametrize("is_link", [False, True])
def test_an_empty_folder_becomes_a_league_and_stays_the_folder_that_somebody_is_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_link: bool
) -> None:
    place = tmp_path / "club"
    place.mkdir()
    if is_link:
        place = tmp_path / "link"
        place.symlink_to(tmp_path / "club")
    before = place.stat().st_ino
    monkeypatch.chdir(place)
    make(Path())
    assert sorted(path.name for path in Path().iterdir()) == [
        "audit.jsonl", "entries", "league.toml", "nights", "reports",
    ]  # fmt: skip
    assert (place.stat().st_ino, place.is_symlink()) == (before, is_link)
    assert League.open(Path()).config.name == "Tuesday"


@pytest.mark.parametrize("part", [1, 2, 5])
def test_killed_while_it_fills_an_empty_folder_the_next_one_can_fill_it(
    tmp_path: Path, part: int
) -> None:
    (tmp_path / "club").mkdir()
    killed(lambda: make(tmp_path / "club"), "league.before_part", part)
    with pytest.raises(NotFoundError, match="moon league init"):
        League.open(tmp_path / "club")
    league = make(tmp_path / "club")
    assert (events(league), len(list(league.folder.iterdir()))) == (["made"], 5)


def test_a_folder_with_a_file_of_somebody_is_not_taken_for_one_that_was_half_made(
    tmp_path: Path,
) -> None:
    (tmp_path / "club" / ".league.new").mkdir(parents=True)
    (tmp_path / "club" / "notes.txt").write_text("mine")
    before = snapshot(tmp_path)
    with pytest.raises(StoreError, match="is there already"):
        make(tmp_path / "club")
    assert snapshot(tmp_path) == before
    (make(tmp_path / "other").folder / ".league.new").mkdir()
    (tmp_path / "other" / "league.toml").unlink()
    before = snapshot(tmp_path)
    with pytest.raises(StoreError, match="is there already"):
        make(tmp_path / "other")
    assert snapshot(tmp_path) == before, "it was a league once"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("round = 3", "round: there is no such key .*rounds"),
        ("entries = 3", "entries: there is no such key .*belongs in the table .authors."),
        ("suspend_after = -1", "suspend_after: must be at least 0"),
        ('name = "a\\u202eb"', "name: .*U.202E"),
        ("rules = 3", "rules: expected a text"),
        ('sandbox = "hard"', 'sandbox: expected one of .*"hardened"'),
    ],
)
def test_terms_that_mean_nothing_are_refused_by_key(
    tmp_path: Path, line: str, problem: str
) -> None:
    league = make(tmp_path / "club")
    file = league.folder / "league.toml"
    key = line.partition(" ")[0]
    kept = [each for each in file.read_text().splitlines() if not each.startswith(f"{key} ")]
    file.write_text("\n".join([line, *kept]))
    with pytest.raises(ConfigError, match=problem):
        League.open(league.folder)


def test_a_term_that_is_left_out_is_that_of_a_new_league(tmp_path: Path) -> None:
    league = make(tmp_path / "club")
    (league.folder / "league.toml").write_text('name = "Tuesday"\n')
    assert League.open(league.folder).config == league.config


def test_a_league_goes_on_where_it_is_moved(tmp_path: Path) -> None:
    league = make(tmp_path / "club")
    entry = entered(league, write_bot(tmp_path, "mine"), "mine")
    shutil.move(league.folder, tmp_path / "elsewhere")
    moved = League.open(tmp_path / "elsewhere")
    assert moved.entries == league.entries
    assert moved.bot(entry).cwd == tmp_path / "elsewhere" / "entries" / entry.content


def test_each_line_of_the_log_holds_the_hash_of_the_one_before(tmp_path: Path) -> None:
    league = make(tmp_path / "club")
    league.note("announced", {"text": "π"})
    lines = log(league).read_bytes().splitlines()
    before = [json.loads(line)["before"] for line in lines]
    assert before == ["0" * 64, hashlib.sha256(lines[0]).hexdigest()]
    assert league.audit.head == hashlib.sha256(lines[1]).hexdigest()


@pytest.mark.parametrize("spoil", ["change", "remove", "swap"])
def test_a_log_that_was_changed_is_not_believed(tmp_path: Path, spoil: str) -> None:
    league = make(tmp_path / "club")
    for text in ("one", "two", "three"):
        league.note("announced", {"text": text})
    lines = log(league).read_bytes().splitlines(keepends=True)
    if spoil == "change":
        lines[1] = lines[1].replace(b"one", b"uno")
    elif spoil == "remove":
        del lines[1]
    else:
        lines[1:3] = lines[2:0:-1]
    log(league).write_bytes(b"".join(lines))
    with pytest.raises(VerificationError, match=r"line [23] does not follow .* copy of the league"):
        League.open(league.folder)


def test_half_a_line_that_a_crash_left_is_cut_off_and_the_log_says_so(tmp_path: Path) -> None:
    league = make(tmp_path / "club")
    league.note("announced", {"text": "kept"})
    killed(lambda: league.note("announced", {"text": "never told"}), "league.before_line")
    torn = League.open(league.folder)
    assert events(torn) == ["made", "announced"]
    assert torn.audit.torn.startswith(b"{")
    torn.note("announced", {"text": "after"})
    assert events(League.open(league.folder)) == ["made", "announced", "recovered", "announced"]
    assert torn.audit.lines[2].details["bytes"] > 0


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (lambda data: b"", "no first line that says that the league was made"),
        (lambda data: bytes(len(data)), "no first line that says that the league was made"),
        (lambda data: data.replace(b"\n", b"\r", 1), "line 1 does not follow"),
        (lambda data: b"".join(data.splitlines(keepends=True)[:-1]), "says nothing of .*copy"),
    ],
    ids=["emptied", "zeroed", "other-line-end", "older"],
)
def test_an_entry_outlives_a_log_that_has_lost_it(
    tmp_path: Path, spoil: Callable[[bytes], bytes], problem: str
) -> None:
    league = make(tmp_path / "club")
    entry = entered(league, write_bot(tmp_path, "mine"), "mine")
    kept = log(league).read_bytes()
    log(league).write_bytes(spoil(kept))
    before = snapshot(league.folder)
    assert not verify_league(league.folder).holds
    with pytest.raises(VerificationError, match=problem):
        League.open(league.folder).note("announced", {})
    assert snapshot(league.folder) == before
    log(league).write_bytes(kept)
    assert verify_league(league.folder).holds
    assert League.open(league.folder).bot(entry).cwd == league.copies / entry.content


@pytest.mark.parametrize("end", [b"", b" ", b"\0"])
def test_a_whole_line_that_has_lost_its_end_is_kept_and_ended(tmp_path: Path, end: bytes) -> None:
    league = make(tmp_path / "club")
    entry = entered(league, write_bot(tmp_path, "mine"), "mine")
    kept = log(league).read_bytes()
    log(league).write_bytes(kept[:-1] + end)
    assert "line 2 has lost its end of line" in verify_league(league.folder).differences[0]
    League.open(league.folder).note("announced", {})
    assert log(league).read_bytes().startswith(kept)
    assert events(League.open(league.folder)) == ["made", "entered", "announced"]
    assert League.open(league.folder).entries == (entry,)
    assert verify_league(league.folder).holds


def test_a_log_that_is_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    league = make(tmp_path / "club")
    log(league).unlink()
    os.mkfifo(log(league))
    for look in (League.open, lambda folder: league.note("announced", {})):
        with pytest.raises(StoreError, match=r"audit.jsonl: is no regular file; put the file back"):
            look(league.folder)


def test_folders_that_a_copying_tool_left_out_are_made_when_they_are_needed(tmp_path: Path) -> None:
    league = make(tmp_path / "club")
    for name in ("entries", "nights", "reports"):
        (league.folder / name).rmdir()
    league = League.open(league.folder)
    assert (night_files(league), open_night(league)) == ((), None)
    assert league.hidden(()) == (league.folder / "league.toml", log(league))
    assert verify_league(league.folder).holds
    assert entered(league, write_bot(tmp_path, "mine"), "mine").id == "mine#1"
    assert seal_night(league)[0].number == 1


def test_two_changes_at_once_wait_for_each_other_and_both_are_kept(tmp_path: Path) -> None:
    league = make(tmp_path / "club")

    def write() -> None:
        for number in range(20):
            league.note("announced", {"n": number})

    both = [forked(write) for _ in range(2)]
    assert [os.waitpid(pid, 0)[1] for pid in both] == [0, 0]
    numbers = [line.details["n"] for line in League.open(league.folder).audit.lines[1:]]
    assert sorted(numbers) == sorted([*range(20)] * 2)


def test_a_change_that_cannot_have_the_league_is_refused_with_who_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    league = make(tmp_path / "club")
    before = snapshot(league.folder)
    monkeypatch.setattr(folders, "PATIENCE", 0.0)
    lock = WriterLock(league.folder / "league.toml")
    with pytest.raises(StoreError, match=f"process {os.getpid()} is writing") as refused:
        league.note("announced", {})
    lock.release()
    assert refused.value.exit_code == 75
    assert snapshot(league.folder) == before


def test_an_entry_is_retired_restored_and_disqualified_for_a_reason(tmp_path: Path) -> None:
    league = make(tmp_path / "club")
    entry = entered(league, write_bot(tmp_path, "mine"), "mine")
    assert (entry.id, entry.version, league.active) == ("mine#1", 1, (entry,))
    assert league.change(Event.RETIRED, "mine").status is Status.RETIRED
    assert league.active == ()
    with pytest.raises(ConfigError, match="mine#1: is retired already"):
        league.change(Event.RETIRED, "mine#1")
    assert league.change(Event.RESTORED, "mine").status is Status.ACTIVE
    with pytest.raises(ConfigError, match="--why: is missing"):
        league.change(Event.DISQUALIFIED, "mine")
    for reason in ("a\x1b[2Jb", "a\u202eb", "a\nb", "\u05d0"):
        with pytest.raises(ConfigError, match=f"--why: holds U.{ord(reason.strip('ab')[0]):04X}"):
            league.change(Event.DISQUALIFIED, "mine", reason)
    out = league.change(Event.DISQUALIFIED, "mine", "signalled to its partner")
    assert (out.status, out.reason) == (Status.DISQUALIFIED, "signalled to its partner")
    assert League.open(league.folder).entries == (out,), "it is what the log says"
    with pytest.raises(ConfigError, match="signalled to its partner; a new version"):
        entered(league, write_bot(tmp_path, "better"), "mine")
    with pytest.raises(NotFoundError, match=r"no entry 'mime'.*did you mean 'mine'"):
        league.change(Event.RETIRED, "mime")


def test_a_new_version_takes_the_place_of_the_last_which_can_come_back(tmp_path: Path) -> None:
    league = make(tmp_path / "club")
    first = entered(league, write_bot(tmp_path, "one"), "mine")
    second = entered(league, write_bot(tmp_path, "two"), "mine", author=None)
    assert (second.id, second.author, league.active) == ("mine#2", "Ann", (second,))
    assert league.entry("mine") == second
    assert league.entry("mine#1").reason == "replaced by mine#2"
    league.change(Event.RESTORED, "mine#1")
    assert [entry.id for entry in league.active] == ["mine#1", "mine#2"]
    assert league.bot(first).cwd != league.bot(second).cwd


def test_names_authors_and_numbers_are_checked_before_anything_is_copied(tmp_path: Path) -> None:
    league = make(tmp_path / "club")
    one, two, three = (write_bot(tmp_path, name) for name in ("one", "two", "three"))
    entered(league, one, "Tall")
    before = snapshot(league.folder)
    for path, name, author, problem in [
        (two, "ta11", "Bob", "'ta11' is too like 'Tall'"),
        (two, "Tall", "Bob", "Tall is taken: it is by Ann"),
        (two, "other", "ANN", "'ANN' is too like 'Ann'.*write it the same way"),
        (two, "other", None, "--author: is missing; say whose other is"),
        (two, "a\u202eb", "Bob", "U.202E"),
    ]:
        with pytest.raises(ConfigError, match=problem):
            entered(league, path, name, author)
    with pytest.raises(EnteredAlreadyError, match="the content is that of Tall#1 by Ann"):
        entered(league, one, "copycat", "Bob")
    assert snapshot(league.folder) == before
    entered(league, two, "other")
    with pytest.raises(ConfigError, match=r"Ann has 2 entries that play \(Tall#1, other#1\)"):
        entered(league, three, "third")
    assert entered(league, three, "other").id == "other#2", "a new version needs no room"
    with pytest.raises(ConfigError, match="Ann has 2 entries"):
        league.change(Event.RESTORED, "other#1")


def test_of_two_that_submit_the_same_name_at_once_the_first_has_it(tmp_path: Path) -> None:
    league = make(tmp_path / "club")
    waiting = check_candidate(league, "mine", "Bob", "another source")
    first = entered(League.open(league.folder), write_bot(tmp_path, "one"), "mine")
    before = snapshot(league.folder)
    with pytest.raises(ConfigError, match="mine is taken: it is by Ann"):
        enter(league, waiting, league.bot(first).cwd or tmp_path)
    assert snapshot(league.folder) == before


def test_the_same_bot_with_other_parameters_is_another_entry(tmp_path: Path) -> None:
    league = make(tmp_path / "club")
    path = write_bot(tmp_path, "mine")
    plain = entered(league, path, "plain")
    bold = entered(league, path, "bold", params="?risk=0.5&text=a%26b")
    assert plain.content != bold.content
    assert league.bot(bold).params == (("risk", "0.5"), ("text", "a&b"))


def test_entries_of_one_author_never_meet_unless_the_league_says_so(tmp_path: Path) -> None:
    league = make(tmp_path / "club")
    for name, author in [("one", "Ann"), ("two", "Ann"), ("three", "Bob")]:
        entered(league, write_bot(tmp_path, name), name, author)
    assert not league.may_meet("one#1", "two#1")
    assert league.may_meet("one#1", "three#1")
    assert with_terms(league, may_meet="true").may_meet("one#1", "two#1")


def test_a_frozen_copy_that_was_changed_is_not_started(tmp_path: Path) -> None:
    league = make(tmp_path / "club")
    path = write_bot(tmp_path, "mine")
    entry = entered(league, path, "mine")
    path.write_text("changed by its author, which makes no difference")
    copy = league.folder / "entries" / entry.content
    assert league.bot(entry).cwd == copy
    (copy / "mine.py").write_text("changed in the league")
    with pytest.raises(VerificationError, match=r"mine#1: .* is not what was entered"):
        league.bot(entry)
    shutil.rmtree(copy)
    with pytest.raises(VerificationError, match=r"mine#1: .*put its folder back"):
        league.bot(entry)


@pytest.mark.parametrize("spoil", ["bytecode", "git", "unreadable-file", "unreadable-folder"])
def test_a_frozen_copy_with_more_or_less_to_read_than_was_entered_does_not_hold(
    tmp_path: Path, spoil: str
) -> None:
    league = make(tmp_path / "club")
    bot = tmp_path / "bot"
    (bot / "parts").mkdir(parents=True)
    (bot / "bot.toml").write_text('name = "mine"\nversion = "1"\nrun = ["python3", "m.py"]\n')
    (bot / "m.py").write_text("import parts.one")
    (bot / "parts" / "one.py").write_text("")
    entry = entered(league, bot, "mine")
    parts = league.copies / entry.content / "parts"
    assert verify_league(league.folder).holds
    if spoil in ("bytecode", "git"):
        made = parts / {"bytecode": "__pycache__", "git": ".git"}[spoil]
        made.mkdir()
        (made / "one.cpython-311.pyc").write_bytes(b"other code")
        problem = f"holds {made}, which was not entered"
    elif spoil == "unreadable-file":
        (parts / "one.py").chmod(0)
        problem = "one.py"
    else:
        parts.chmod(0)
        problem = "parts"
    with pytest.raises(VerificationError, match="put its folder back") as refused:
        league.bot(entry)
    assert problem in str(refused.value) or os.geteuid() != 0
    [said] = verify_league(league.folder).differences
    assert said == str(refused.value)
    parts.chmod(0o755)


def test_what_a_bot_left_in_its_copy_before_it_was_entered_is_not_taken_along(
    tmp_path: Path,
) -> None:
    league = make(tmp_path / "club")
    spec = parse_bot(str(write_bot(tmp_path, "mine")), tmp_path)
    candidate = check_candidate(league, "mine", "Ann", "a source")
    freeze(spec, tmp_path / "copy", Limits())
    (tmp_path / "copy" / "__pycache__").mkdir()
    (tmp_path / "copy" / "__pycache__" / "mine.cpython-311.pyc").write_bytes(b"other code")
    entry = enter(league, candidate, tmp_path / "copy")
    assert sorted(p.name for p in (league.copies / entry.content).iterdir()) == [
        "bot.toml", "mine.py",
    ]  # fmt: skip
    assert league.bot(entry).cwd == league.copies / entry.content


@pytest.mark.parametrize("point", ["league.half_copied", "league.copied", "league.before_line"])
def test_killed_while_it_is_entered_an_entry_is_not_there_and_leaves_nothing(
    tmp_path: Path, point: str
) -> None:
    league = make(tmp_path / "club")
    path = write_bot(tmp_path, "mine")
    killed(lambda: entered(league, path, "mine"), point)
    assert League.open(league.folder).entries == ()
    league.note("announced", {})
    assert not list((league.folder / "entries").iterdir())
    shutil.rmtree(next(tmp_path.glob("copy-*")))
    assert entered(league, path, "mine").id == "mine#1"


def test_bots_may_read_their_own_copy_and_nothing_else_of_the_league(tmp_path: Path) -> None:
    league = make(tmp_path / "club")
    one = entered(league, write_bot(tmp_path, "one"), "one")
    two = entered(league, write_bot(tmp_path, "two"), "two")
    hidden = {path.name for path in league.hidden([one])}
    assert hidden == {"league.toml", "audit.jsonl", "nights", "reports", two.content}
