"""Files are written whole or not at all."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from referee.errors import StoreError
from tests.league_night.stores import config, store_of
from tournaments.files import write_whole
from tournaments.store.digest import digest_path, write_digest


def test_a_file_is_replaced_at_one_blow_and_a_link_to_it_stays(tmp_path: Path) -> None:
    place, link = tmp_path / "page.html", tmp_path / "link"
    place.write_text("before")
    link.symlink_to(place.name)
    with place.open() as reader:
        write_whole(link, "after")
        assert reader.read() == "before", "who reads meanwhile sees the whole of what was there"
    assert (link.is_symlink(), place.read_text()) == (True, "after")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "page.html"]


@pytest.mark.parametrize("fails", ["fsync", "text"])
def test_a_file_that_cannot_be_written_is_as_it_was_and_leaves_no_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    place = tmp_path / "page.html"
    place.write_text("before")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    if fails == "fsync":
        monkeypatch.setattr(os, "fsync", full)
    with pytest.raises((OSError, UnicodeEncodeError)):
        write_whole(place, "after\ud800" if fails == "text" else "after")
    assert place.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_what_a_killed_writer_has_left_is_used_up_and_a_pipe_is_written_to(tmp_path: Path) -> None:
    place, pipe = tmp_path / "page.html", tmp_path / "pipe"
    (tmp_path / ".page.html.new").write_text("half of something longer")
    write_whole(place, "whole")
    assert place.read_text() == "whole"
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_whole(pipe, "through")
    reader.join()
    assert (read, pipe.is_fifo()) == (["through"], True)


def test_two_that_write_to_one_place_never_mix(tmp_path: Path) -> None:
    place = tmp_path / "page.html"
    texts = [letter * 50_000 for letter in "abcd"]
    writers = [threading.Thread(target=write_whole, args=(place, text)) for text in texts]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert place.read_text() in texts
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_a_digest_for_which_there_is_no_room_leaves_no_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terms = config(tmp_path / "n.sqlite")
    store_of(terms).close()
    before = sorted(tmp_path.iterdir())

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError, match=r"digest: cannot be written: no space left on device"):
        write_digest(terms.store)
    assert sorted(tmp_path.iterdir()) == before
    assert not digest_path(terms.store).exists()
