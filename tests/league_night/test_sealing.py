"""Sealed deals, and that whoever changes a byte of a closed run is found out, and where."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from referee.errors import ConfigError, StoreError
from tests.league_night.stores import SEED, config, play_pending, store_of
from tournaments.cli.export import export
from tournaments.cli.verify import verify
from tournaments.league.sealing import close_run, commitment, seal
from tournaments.reports.verifying import verify_store
from tournaments.store import Store
from tournaments.store.digest import digest_path, write_digest

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
    assert "\n".join(verify_store(copy).differences).count("\n") < 3
    with pytest.raises(AssertionError, match=told):
        assert verify_store(copy).holds, verify_store(copy).differences


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
