"""The certificates of an arena: what is made, for whom, and what is never touched."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from referee.bots.certificates import make_arena, make_bot
from referee.errors import ConfigError
from tournaments.cli.main import main


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_the_command_makes_an_arena_and_the_folder_of_a_bot_with_closed_keys(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "tls"
    assert main(["bot", "cert", "--dir", str(folder)]) == 0
    assert main(["bot", "cert", "Far", "--dir", str(folder), "--host", "10.0.0.7"]) == 0
    assert set(contents(folder)) == {
        "ca.key", "ca.pem", "referee.key", "referee.pem",
        "bots/far/ca.pem", "bots/far/bot.key", "bots/far/bot.pem",
    }  # fmt: skip
    for key in folder.rglob("*.key"):
        assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert (folder / "bots/far/ca.pem").read_bytes() == (folder / "ca.pem").read_bytes()
    said = capsys.readouterr().out
    assert f"--tls {folder}, and the bot is far=grpc://HOST:5042" in said


def test_nothing_that_is_there_is_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "tls"
    make_arena(folder)
    make_bot(folder, "far")
    before = contents(folder)
    assert main(["bot", "cert", "--dir", str(folder)]) == 0
    assert main(["bot", "cert", "far", "--dir", str(folder)]) == 2
    assert "is there already and stays as it is" in capsys.readouterr().err
    assert contents(folder) == before


@pytest.mark.parametrize("lost", ["ca.key", "ca.pem", "referee.key", "referee.pem"])
def test_half_a_pair_is_not_made_whole_with_another_key(tmp_path: Path, lost: str) -> None:
    make_arena(tmp_path)
    (tmp_path / lost).unlink()
    before = contents(tmp_path)
    with pytest.raises(ConfigError, match=f"no {lost}; put it back"):
        make_arena(tmp_path)
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["far", "--dir", "none"], "make the arena's first: moon bot cert"),
        (["far away"], "'far away' cannot stand in a certificate"),
        (["../far"], "'../far' cannot stand in a certificate"),
        (["--host", "h"], "belongs to the certificate of a bot"),
        (["far", "--host", "near.bot.moon"], "would be the name of somebody in the arena"),
        (["far", "--host", "a b"], "'a b' is no name of a host"),
        (["far", "--days", "900"], "900"),
    ],
)
def test_what_cannot_be_certified_is_refused_and_leaves_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    problem: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    make_arena(Path("tls"))
    before = contents(tmp_path)
    assert main(["bot", "cert", *arguments]) == 2
    assert problem in capsys.readouterr().err
    assert contents(tmp_path) == before


def test_where_the_library_is_missing_the_message_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "cryptography", None)
    assert main(["bot", "cert", "--dir", str(tmp_path / "tls")]) == 1
    told = capsys.readouterr().err
    assert "pip install 'moon-league[remote]'" in told
    assert "pip install '.[remote]'" in told, "in a checkout"
