"""Odd files and absurd values are refused in words, whichever command meets them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tournaments.cli.main import main

BOTS = ("greedy", "random", "counter")
LONG = "x" * 300


def loop(path: Path) -> None:
    path.symlink_to(path.name)


ODD: dict[str, tuple[Callable[[Path], None], str]] = {
    "a pipe": (os.mkfifo, "is no ordinary file"),
    "a link to itself": (loop, "too many levels of symbolic links"),
    "a folder": (Path.mkdir, "is a directory"),
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize(
    "words",
    [
        ("tournament", "standings", "odd.sqlite"),
        ("tournament", "export", "odd.sqlite"),
        ("tournament", "h2h", "night.toml"),
    ],
    ids=" ".join,
)
def test_what_is_no_store_is_named_by_every_command_and_none_waits_for_it(
    kind: str,
    words: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    make, problem = ODD[kind]
    make(tmp_path / "odd.sqlite")
    (tmp_path / "night.toml").write_text(f"bots = {list(BOTS)}\nstore = 'odd.sqlite'\n")
    assert main(list(words)) in {2, 3}
    told = capsys.readouterr().err
    assert problem in told
    assert "bug in moon" not in told


@pytest.mark.timeout(60)
@pytest.mark.parametrize("odd", ["night.sqlite", "night.sqlite.digest"])
def test_verify_waits_for_no_pipe_in_the_place_of_a_store_or_of_its_digest(
    odd: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    digest = b"moon-digest/1 1 4096\n0123456789abcdef\n"
    whole = digest + hashlib.sha256(digest).hexdigest().encode() + b"\n"
    (tmp_path / "night.sqlite.digest").write_bytes(whole)
    (tmp_path / "night.sqlite").touch()
    (tmp_path / odd).unlink()
    os.mkfifo(tmp_path / odd)
    assert main(["verify", str(tmp_path / "night.sqlite")]) != 0
    told = capsys.readouterr()
    assert f"{odd}: is no ordinary file" in told.out + told.err


@pytest.mark.parametrize(
    "words",
    [
        ("lab", "luck", "no.sqlite", "--coefficient", "nan"),
        ("compare", "random", "first_legal", "--margin", "nan"),
        ("compare", "random", "first_legal", "--margin", "inf"),
        ("bench", "--seconds", "nan"),
    ],
    ids=" ".join,
)
def test_nothing_that_is_no_number_is_taken_for_one(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(list(words)) == 2
    assert f"{words[-2]}': expected a number, got '{words[-1]}'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("tournament", "run", *BOTS, "--store", LONG), "the name is too long"),
        (("play", *BOTS, "--record", LONG), "file name too long"),
        (("play", *BOTS, "--seed", ""), "leave it out for a random one"),
        (("play", *BOTS, "--deals", "3000000000"), "not in the range"),
        (("play", *BOTS, "--limit", "memory=1"), "no program runs in less than 8 MiB"),
        (("play", *BOTS, "--limit", "open_files=3"), "--limit open_files: no bot starts with"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_absurd_values_are_refused_before_anything_is_played(
    words: tuple[str, ...],
    problem: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(list(words)) == 2
    told = capsys.readouterr().err
    assert problem in told
    assert "bug in moon" not in told
    assert not list(tmp_path.iterdir())
