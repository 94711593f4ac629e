"""An evening with remote bots, as the organiser and the authors type it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from referee.bots import probing
from referee.bots.environment import import_roots
from referee.bots.sandbox.places import library_path
from referee.sdk.program import run
from tests.remote.far import Meek
from tournaments.cli.main import main

PATIENCE = 120
BOT = Path(__file__).parents[1] / "e2e" / "bots" / "meek.py"
ENVIRONMENT = {
    **os.environ,
    **library_path(),
    "PYTHONPATH": os.pathsep.join([*import_roots(), *sys.path]),
}


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder in which everybody works; its path is short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="m") as name:
        monkeypatch.chdir(name)
        yield Path(name)


@contextmanager
def running(*words: str, says: str) -> Iterator[str]:
    """Runs a program until the block ends; begins when it *says* so, and yields that line."""
    process = subprocess.Popen(
        [sys.executable, *words],
        env=ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    try:
        heard = []
        for line in process.stdout:
            heard.append(line)
            if says in line:
                break
        else:
            pytest.fail(f"it never said {says!r}: {''.join(heard)}")
        yield line
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)
    assert process.returncode == 0


def test_a_called_bot_and_one_that_dials_in_play_a_night(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bot", "cert"]) == 0
    assert main(["bot", "cert", "far"]) == 0
    assert main(["bot", "token", "deep", "--dir", "gate"]) == 0
    token = capsys.readouterr().out.splitlines()[-1]
    (folder / "token").write_text(token)
    home = "tls/bots/far"
    gate = ("-m", "tournaments.cli.main", "serve-bots", "--listen", "127.0.0.1:0", "--tls", "tls",
            "--dir", "gate")  # fmt: skip
    with (
        running(str(BOT), "--port", "0", "--tls", home, says="serves on") as served,
        running(*gate, says="bots dial in to") as opened,
    ):
        far = f"far=grpc://{served.split()[3].rstrip(';')}"
        arena = opened.split()[4].rstrip(",")
        dialling = (str(BOT), "--arena", arena, "--token-file", "token", "--tls", home)
        with running(*dialling, says=f"takes part at {arena} as dial:deep"):
            night = [far, "dial:deep", "first_legal", "--deals", "1", "--store", "night.sqlite",
                   "--tls", "tls", "--dial-in", "gate", "--network", "400ms"]  # fmt: skip
            assert main(["tournament", "run", *night]) == 0
            assert "round trip to far: p50 " in capsys.readouterr().err
            match = ["play", *night[:5], "--json", *night[7:11]]
            assert main(match) == 0
            trips = json.loads(capsys.readouterr().out)["round_trips"]
            assert [(trip["pings"], trip["allowed_ms"]) for trip in trips] == [(10, 250)] * 2
            # The same bot at the address of another is found out before anything is played.
            wrong = [far.replace("far=", "near="), "first_legal", "random", "--tls", "tls"]
            assert main(["play", *wrong]) == 2
            assert "proves to be the bot 'far', not the bot 'near'" in capsys.readouterr().err
    check_standings(capsys)
    assert list((folder / "gate" / "sockets").iterdir()) == []


def check_standings(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tournament", "standings", "night.sqlite", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["remote"] == ["far", "deep"]
    assert [row["faults"] for row in told["rows"]] == [{}, {}, {}]
    assert [trip["bot"] for trip in told["round_trips"]] == ["far", "deep"]
    for trip in told["round_trips"]:
        assert 0 < trip["p50_ms"] <= trip["max_ms"]
        assert trip["allowed_ms"] == 400
    assert main(["tournament", "standings", "night.sqlite", "--details"]) == 0
    assert "round trip to deep: p50" in capsys.readouterr().out


def test_a_night_with_a_bot_that_is_not_there_is_not_begun(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(probing, "LISTEN_WITHIN", 0.0)
    bots = ["grpc://127.0.0.1:1", "first_legal", "random"]
    assert main(["tournament", "run", *bots, "--store", "night.sqlite"]) == 2
    assert "grpc://127.0.0.1:1: nobody listens there" in capsys.readouterr().err
    assert list(folder.iterdir()) == [], "no store, so that the address can be put right"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--arena", "127.0.0.1:1"], "--arena and --token-file belong together"),
        (["--arena", "h:1", "--token-file", "t", "--port", "1"], "--arena dials"),
        (["--arena", "h:1", "--token-file", "t"], "the token would travel in the clear"),
        (["--tls", "nowhere"], "nowhere/ca.pem: cannot be read"),
        (["--host", "192.0.2.1"], "192.0.2.1:0: cannot listen there"),
    ],
)
def test_a_bot_says_what_it_cannot_be_started_with(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], problem: str
) -> None:
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        with pytest.raises(SystemExit) as ended:
            run(Meek(), arguments)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert ended.value.code == 2
    assert problem in capsys.readouterr().err
    assert list(folder.iterdir()) == []
