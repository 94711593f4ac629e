"""Sealed deals, and that whoever changes a byte of a closed run is found out, and where."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from referee.errors import ConfigError, StoreError, VerificationError
from tests.league_night.stores import SEED, config, play_pending, store_of
from tournaments.cli.close import close
from tournaments.cli.export import export
from tournaments.cli.main import main
from tournaments.cli.run import run
from tournaments.cli.verify import verify
from tournaments.reports.verifying import verify_store
from tournaments.sealing import SEALED, close_run, commitment, finish, seal, standings_hash
from tournaments.store import Store
from tournaments.store.digest import digest_differences, digest_path, write_digest

ROOT = Path(__file__).parents[2]
PAGE = 4096


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was sealed, played and closed."""
    night = config(tmp_path_factory.mktemp("closed") / "night.sqlite")
    with store_of(night) as store:
        seal(store)
        for number in range(60):  # what is deleted leaves free pages, as a long run has them
            store.note("long", f"{number} " + "x" * 3000)
        play_pending(store, night)
    with contextlib.closing(sqlite3.connect(night.store)) as raw, raw:
        raw.execute("DELETE FROM notes WHERE kind = 'long'")
    with Store.open(night.store, readonly=False) as store:
        close_run(store)
    write_digest(night.store)
    return night.store


@pytest.fixture
def copy(closed: Path, tmp_path: Path) -> Path:
    for file in (closed, digest_path(closed)):
        shutil.copy(file, tmp_path)
    return tmp_path / closed.name


def verified(path: Path, *words: str) -> tuple[object, list[str]]:
    """Returns the exit code of ``moon verify`` and the lines that it writes."""
    done = CliRunner().invoke(verify, [str(path), *words], standalone_mode=False)
    return done.return_value, done.output.splitlines()


def test_a_commitment_is_a_hash_that_anybody_can_make_and_not_the_key_of_the_deals() -> None:
    made = hashlib.sha256(b"moon-league/seal/v1\n" + SEED.encode()).hexdigest()
    assert commitment(SEED) == made
    assert made != hashlib.sha256(b"moon-league/seed/v1\n" + SEED.encode()).hexdigest()


def test_a_seed_that_can_be_guessed_is_not_sealed(tmp_path: Path) -> None:
    with store_of(config(tmp_path / "n.sqlite", seed="42")) as store:
        with pytest.raises(ConfigError, match="can be found from its commitment by trying"):
            seal(store)
        assert [note.kind for note in store.notes()] == ["created"]


def test_a_closed_run_holds_and_one_line_says_all_that_was_checked(closed: Path) -> None:
    code, [line] = verified(closed, "--seal", commitment(SEED))
    assert code == 0
    assert "holds: 24 tables and 48 deals judged again" in line
    assert "the seed opens the seal" in line
    assert "every byte as in its digest" in line
    other = verify_store(closed, seal=commitment("another seed"))
    assert "does not open the seal" in other.differences[0]


def test_nothing_is_played_once_the_seed_is_public(closed: Path) -> None:
    with pytest.raises(StoreError, match="closed and its seed published"):
        Store.open(closed, readonly=False)


def played(path: Path) -> Path:
    """Returns the store of a run that is played, and neither sealed nor closed."""
    night = config(path, rounds=1)
    with store_of(night) as store:
        play_pending(store, night)
    return path


def change(path: Path, statement: str) -> None:
    with contextlib.closing(sqlite3.connect(path)) as raw, raw:
        raw.execute(statement)


def closing(path: Path, *words: str) -> str:
    """Returns what ``moon tournament close`` writes."""
    done = CliRunner().invoke(close, [str(path), *words], standalone_mode=False)
    if done.exception is not None:
        raise done.exception
    return done.output


def test_a_seal_from_after_the_first_table_is_refused_and_is_none(tmp_path: Path) -> None:
    path = played(tmp_path / "night.sqlite")
    with Store.open(path, readonly=False) as store:
        with pytest.raises(StoreError, match="stored already, and a seal from after them"):
            seal(store)
        assert SEALED not in [note.kind for note in store.notes()]
    change(path, f"INSERT INTO notes (at, kind, text) VALUES ('2999', 'sealed', "
                 f"'{commitment(SEED)}')")  # fmt: skip
    verdict = verify_store(path)
    assert verdict.differences == [
        f"{path}: was sealed after its first table, and a seal like that shows nothing"
    ]
    assert not verdict.is_sealed


def test_a_run_may_be_sealed_again_after_play_if_it_was_sealed_before(tmp_path: Path) -> None:
    night = config(tmp_path / "night.sqlite", rounds=1)
    with store_of(night) as store:
        before = seal(store)
        play_pending(store, night)
        assert seal(store) == before
        assert [note.kind for note in store.notes()].count(SEALED) == 1
    assert verify_store(night.store).is_sealed


def test_a_seal_for_programs_is_one_document(tmp_path: Path) -> None:
    store = tmp_path / "night.sqlite"
    words = ["greedy", "random", "first_legal", "--sandbox", "none", "--seal", "--json"]
    done = CliRunner().invoke(run, [*words, "--store", str(store)], standalone_mode=False)
    told = json.loads(done.output)
    with Store.open(store) as opened:
        assert told["commitment"] == commitment(opened.run.seed)
    assert (told["schema"], told["store"]) == ("moon.tournament.run.seal/1", str(store))


def test_closing_again_shows_the_same_and_never_makes_a_changed_file_good(tmp_path: Path) -> None:
    path = played(tmp_path / "night.sqlite")
    first = closing(path)
    assert closing(path) == first
    whole = path.read_bytes(), digest_path(path).read_bytes()
    change(path, "UPDATE notes SET text = 'x' WHERE kind = 'created'")
    with pytest.raises(VerificationError, match="is not what it was when it was closed"):
        closing(path)
    assert digest_path(path).read_bytes() == whole[1]
    assert not verify_store(path).holds
    path.write_bytes(whole[0])
    digest_path(path).unlink()
    assert closing(path) == first, "as after a kill before the digest was written"
    digest_path(path).unlink()
    change(path, "DELETE FROM tables WHERE number = 2")
    with pytest.raises(VerificationError, match="its digest is gone, so no other is made"):
        closing(path)
    assert not digest_path(path).exists()


def test_a_digest_of_another_file_does_not_end_up_beside_a_new_run(tmp_path: Path) -> None:
    path = played(tmp_path / "night.sqlite")
    closing(path)
    path.unlink()
    played(path)
    with pytest.raises(VerificationError, match="move it away and close the run then"):
        finish(path)
    with Store.open(path) as store:
        assert not store.is_closed


def test_a_run_with_tables_left_ends_only_if_that_is_said(tmp_path: Path) -> None:
    night = config(tmp_path / "night.sqlite", rounds=1)
    store_of(night).close()
    with pytest.raises(ConfigError, match="6 of 6 tables are not played"):
        closing(night.store)
    with Store.open(night.store) as store:
        assert not store.is_closed
    assert SEED in closing(night.store, "--unfinished")


def test_the_hash_of_the_standings_does_not_hang_on_the_last_digits_of_a_machine() -> None:
    told = {"a": (25.0, 8.0), "b": (0.0, 7.5)}
    noise = {"b": (-3e-10, 7.5 - 2e-10), "a": (25.0 + 4e-10, 8.0 + 1e-10)}
    assert standings_hash(noise) == standings_hash(told)
    assert standings_hash({**told, "a": (25.002, 8.0)}) != standings_hash(told)
    rows = b'[["a","25.000","8.000"],["b","0.000","7.500"]]'
    assert standings_hash(told) == hashlib.sha256(rows).hexdigest()


def free_page(data: bytes) -> int:
    """Returns a byte of the first page that holds nothing."""
    return (int.from_bytes(data[32:36], "big") - 1) * PAGE + PAGE // 2


def gap(data: bytes) -> int:
    """Returns an unused byte in the middle of a page of rows."""
    for start in range(PAGE, len(data), PAGE):
        if data[start] == 13:  # a leaf of a table
            cells = int.from_bytes(data[start + 3 : start + 5], "big")
            content = int.from_bytes(data[start + 5 : start + 7], "big")
            if content - (8 + 2 * cells) > 1:
                return start + content - 1
    raise AssertionError("no page has room")


PLACES: dict[str, Callable[[bytes], int]] = {
    "magic": lambda data: 3,
    "change counter": lambda data: 27,
    "number of the free pages": lambda data: 39,
    "version of SQLite": lambda data: 99,
    "text of a table definition": lambda data: data.index(b"CREATE TABLE notes") + 8,
    "time of a note": lambda data: data.index(b"created") - 4,
    "a free page": free_page,
    "an unused byte": gap,
    "an ending": lambda data: data.index(b"deals"),
    "the last byte": lambda data: len(data) - 1,
}


@pytest.mark.parametrize("place", PLACES)
def test_one_changed_byte_is_found_and_its_page_named(copy: Path, place: str) -> None:
    data = bytearray(copy.read_bytes())
    at = PLACES[place](bytes(data))
    data[at] ^= 0x04
    copy.write_bytes(data)
    code, lines = verified(copy)
    assert code == 5
    assert len([line for line in lines if f"page {at // PAGE + 1} (" in line]) == 1, lines


def test_a_log_beside_a_closed_store_would_hold_instead_of_it_and_is_found(copy: Path) -> None:
    log = copy.with_name(copy.name + "-wal")
    log.write_bytes(b"")
    [difference] = digest_differences(copy)
    assert difference == (f"{log}: changes what is read of the store, which was closed without it")


def test_a_reader_at_the_wrong_moment_keeps_a_store_from_being_closed_only_while_it_reads(
    tmp_path: Path,
) -> None:
    """Everything would be left in a log that nobody brings into the store any more."""
    night = config(tmp_path / "night.sqlite")
    with store_of(night) as store:
        seal(store)
        play_pending(store, night)
        reader = sqlite3.connect(night.store, isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM run").fetchall()
        close_run(store)
    assert night.store.with_name(night.store.name + "-wal").exists()
    reader.close()
    assert write_digest(night.store)
    assert verify_store(night.store).holds
    with Store.open(night.store) as store:
        assert store.counts().played > 0


def test_a_digest_that_leaves_pages_out_says_nothing_of_them(copy: Path) -> None:
    path = digest_path(copy)
    body = b"".join(path.read_bytes().splitlines(keepends=True)[:2])
    path.write_bytes(body + hashlib.sha256(body).hexdigest().encode() + b"\n")
    [difference] = verify_store(copy).differences
    assert difference.startswith(f"{path}: is no digest: it has 1 hashes of ")


def test_a_changed_byte_of_the_digest_is_found_there(copy: Path) -> None:
    path = digest_path(copy)
    for at in (0, 20, len(path.read_bytes()) - 1):
        data = bytearray(digest_path(copy).read_bytes())
        data[at] ^= 0x01
        path.write_bytes(data)
        [difference] = verify_store(copy).differences
        assert difference.startswith(f"{path}: is not what was written")
        data[at] ^= 0x01
        path.write_bytes(data)
    assert verify_store(copy).holds


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"\xff\xfe\n", "is no digest: its first line does not begin with moon-digest/"),
        (b"", "is no digest: its first line does not begin with moon-digest/"),
        (b"moon-digest/1 \xb2 4096\n", "has not the number of pages and their size"),
        (b"moon-digest/1 3\n", "has not the number of pages and their size"),
        (b"moon-digest/1 1 4096\n\xe9\n", "page 1 (bytes 0 to 4095) is not what it was"),
    ],
)
def test_a_digest_with_the_right_hash_below_anything_is_judged_and_no_bug(
    body: bytes, problem: str, copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = hashlib.sha256(body).hexdigest().encode()
    digest_path(copy).write_bytes(body + whole + b"\n")
    assert main(["verify", str(copy)]) == 5
    told = capsys.readouterr()
    assert problem in told.out + told.err
    assert "bug in moon" not in told.err


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("UPDATE notes SET text = ? WHERE kind = 'sealed'", "does not open the seal"),
        ("UPDATE notes SET text = ? WHERE kind = 'closed'", "cannot be read"),
        ("UPDATE tables SET record = ? WHERE number = 7", "table 2.1 .number 7. is damaged"),
        ("DELETE FROM tables WHERE number = 7 AND ? <> ''", "was closed with the fingerprint"),
    ],
)
def test_who_also_makes_a_new_digest_is_found_by_what_was_published(
    copy: Path, change: str, told: str
) -> None:
    with contextlib.closing(sqlite3.connect(copy)) as raw, raw:
        raw.execute(change, (commitment("another"),))
    write_digest(copy)
    differences = verify_store(copy).differences
    assert 0 < len(differences) <= 3
    assert re.search(told, "\n".join(differences)), differences


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_verifier_in_javascript_agrees_and_finds_a_deal_of_another_seed(closed: Path) -> None:
    program = ROOT / "docs" / "verify-deals.mjs"
    assert len(program.read_text().splitlines()) < 30
    lines = CliRunner().invoke(export, [str(closed)]).output

    def told(exported: str, *words: str) -> tuple[int, str]:
        done = subprocess.run(
            ["node", program, *words], input=exported, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout.strip()

    assert told(lines, SEED, commitment(SEED)) == (0, "48 deals are those of the seed")
    code, wrong = told(lines, SEED, commitment("another"))
    assert (code, wrong) == (5, "1 not from this seed: seal")
    first, rest = lines.split("\n", 1)
    hands = first.index('"hands":["') + len('"hands":["')
    swapped = first[:hands] + first[hands + 4 : hands + 8] + first[hands : hands + 4]
    assert told(f"{swapped}{first[hands + 8 :]}\n{rest}", SEED)[0] == 0, "hands have no order"
    seat = first.index('","', hands)
    other = f"{first[:hands]}{first[seat + 3 : seat + 6]}{first[hands + 3 : seat + 3]}"
    other += f"{first[hands : hands + 3]}{first[seat + 6 :]}"
    assert told(f"{other}\n{rest}", SEED) == (5, "1 not from this seed: table 0.0, deal 0")
