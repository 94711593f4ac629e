"""Where a store may be, and what happens when its place is taken while it is written."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from referee.errors import StoreError
from tests.e2e.handmade import config, result
from tournaments.lock import WriterLock
from tournaments.store import Store, places

CONFIG = config("ann", "bob", "cyd")
TABLES = CONFIG.schedule().tables
MOUNTS = """\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 22 0:26 / /home rw,nosuid shared:5 master:2 - nfs4 server:/home rw,vers=4.2
31 30 0:27 / /home/me/my\\040disk rw - ext4 /dev/sdb1 rw
32 22 0:28 / /srv rw - ext4 /dev/sdc1 rw
33 32 0:29 / /srv rw - fuse.sshfs me@host: rw
34 22 0:30 / /homework rw - 9p share rw
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "night.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store.create(path, CONFIG, code_version="1") as made:
        made.add_results([result(TABLES[0], (21, 0, 0))])
        yield made


def moved(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))


def replaced(path: Path) -> None:
    shutil.copy(path, path.with_name("copy"))
    path.with_name("copy").rename(path)


def unlocked(path: Path) -> None:
    path.with_name("night.sqlite.lock").unlink()


def locked_by_another(path: Path) -> None:
    unlocked(path)
    WriterLock(path)


@pytest.mark.parametrize(
    ("happens", "said"),
    [
        (moved, "was deleted or moved while it was written to"),
        (Path.unlink, "was deleted or moved while it was written to"),
        (replaced, "another file has taken its place"),
        (unlocked, "its lock was removed"),
        (locked_by_another, "its lock was removed"),
    ],
)
def test_whose_place_was_taken_writes_no_more_and_says_so(
    store: Store, path: Path, happens: Callable[[Path], None], said: str
) -> None:
    happens(path)
    names = {file.name for file in path.parent.iterdir()}
    for write in (
        lambda: store.add_results([result(TABLES[1], (21, 0, 0))]),
        lambda: store.note("x", "y"),
    ):
        with pytest.raises(StoreError, match=said) as caught:
            write()
        assert caught.value.exit_code == 3
    store.close()
    assert {file.name for file in path.parent.iterdir()} <= names
    for file in {path, path.with_name("elsewhere")}:
        if file.exists():
            with Store.open(file) as reader:
                assert {each.number for each in reader.results()} <= {0}
                assert [each.kind for each in reader.notes()] == ["created"]


def test_who_takes_over_finds_all_that_was_written_and_the_other_writes_no_more(
    store: Store, path: Path
) -> None:
    unlocked(path)
    with Store.open(path, readonly=False) as second:
        with pytest.raises(StoreError, match="somebody else may be writing"):
            store.add_results([result(TABLES[1], (21, 0, 0))])
        assert second.counts().played == 1
        second.add_results([result(TABLES[1], (0, 21, 0))])
        store.close()
        assert path.with_name("night.sqlite.lock").exists(), "the lock of the second stays"
    with Store.open(path) as reader:
        assert [each.scores for each in reader.results()] == [(21, 0, 0), (0, 21, 0)]


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/", "ext4"),
        ("/home", "nfs4"),
        ("/home/me/leagues", "nfs4"),
        ("/home/me/my disk/leagues", "ext4"),
        ("/srv/moon", "fuse.sshfs"),
        ("/homework", "9p"),
        ("/homeworks", "ext4"),
    ],
)
def test_the_file_system_of_a_folder_is_that_of_the_last_mount_above_it(
    folder: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(MOUNTS)
    monkeypatch.setattr(places, "MOUNTS", mounts)
    assert places.file_system(Path(folder)) == kind


def test_the_system_itself_says_where_this_folder_is(tmp_path: Path) -> None:
    assert places.file_system(Path("/proc/self")) == "proc"
    assert places.file_system(tmp_path) not in {"", "proc"}


def test_a_network_file_system_is_refused_for_writing_and_nothing_else(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.close()
    mounts = path.with_name("mounts")
    mounts.write_text(f"30 22 0:26 / {path.parent} rw - cifs //server/share rw\n")
    monkeypatch.setattr(places, "MOUNTS", mounts)
    for make in (
        lambda: Store.open(path, readonly=False),
        lambda: Store.create(path.with_name("new"), CONFIG, code_version="1"),
    ):
        with pytest.raises(StoreError, match=r"network file system \(cifs\).* local disk") as no:
            make()
        assert no.value.exit_code == 3
    with Store.open(path) as reader:
        assert reader.counts().played == 1
    mounts.unlink()  # a system that does not say
    Store.open(path, readonly=False).close()
    assert sorted(file.name for file in path.parent.iterdir()) == ["night.sqlite"]


@pytest.mark.parametrize("point", ["store.before_rename", "store.after_rename"])
def test_a_store_that_is_killed_as_it_gets_its_name_is_there_whole_or_not_at_all(
    path: Path, point: str
) -> None:
    code = (
        "import sys; from pathlib import Path; from tests.tournaments import test_places as t\n"
        "t.Store.create(Path(sys.argv[1]), t.CONFIG, code_version='1')"
    )
    root = Path(__file__).parents[2]
    python = [sys.executable, "-c", code, str(path)]
    search = os.pathsep.join([str(root), str(root / "proto")])
    environment = {**os.environ, "MOON_TEST_CRASH": f"{point}:1", "PYTHONPATH": search}
    killed = subprocess.run(python, cwd=root, env=environment, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert path.exists() == (point == "store.after_rename")
    if path.exists():
        with Store.open(path) as found:
            assert found.run.identity == CONFIG.identity()
    else:
        Store.create(path, CONFIG, code_version="1").close()
    Store.open(path, readonly=False).close()
    assert [file.name for file in path.parent.iterdir()] == ["night.sqlite"]
