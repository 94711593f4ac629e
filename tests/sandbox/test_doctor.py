"""`moon doctor` from outside: what it finds, and what it says where something is missing."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from referee.bots.sandbox import bubblewrap
from referee.bots.sandbox.probe import probe
from tests.sandbox.held import ROOT, root_can_mount
from tournaments.cli.main import main

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds bots")


def moon(*words: str, umask: int = 0o022) -> subprocess.CompletedProcess[str]:
    # In a process of its own: it closes itself.
    command = [sys.executable, "-m", "tournaments.cli.main", *words]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, umask=umask
    )


def doctor(*words: str) -> subprocess.CompletedProcess[str]:
    return moon("doctor", *words)


def test_it_tells_programs_what_each_tier_keeps() -> None:
    answer = doctor("--json")
    assert answer.returncode == 0, answer.stderr
    told = json.loads(answer.stdout)
    assert told["schema"] == "moon.doctor/1"
    basic = told["tiers"]["basic"]
    assert basic["available"]
    assert basic["promises"]["environment"] == {"kept": True, "how": "made from nothing"}
    row = basic["promises"]["processes"]
    assert row["kept"] == root_can_mount()
    assert "process list" in row["how" if row["kept"] else "reason"]
    hardened = told["tiers"]["hardened"]
    if bubblewrap.find() is not None:
        unkept = [key for key, row in hardened["promises"].items() if not row["kept"]]
        assert unkept == ["cpu"]


def test_it_shows_people_a_row_for_each_promise() -> None:
    answer = doctor("--sandbox", "basic")
    assert answer.returncode == 0
    rows = {line.split("  ")[0]: line for line in answer.stdout.splitlines()}
    assert answer.stdout.startswith("strangers' bots: no (hardened was not tried); bots of people")
    assert "yes" in rows["sees only the variables it was given"]
    seen = "yes (a process list of its own" if root_can_mount() else "no (it can see the referee"
    assert seen in rows["sees no process but its own"]
    assert "\x1b" not in answer.stdout


@pytest.mark.parametrize("tier", ["basic", "hardened"])
def test_a_referee_that_keeps_its_files_to_itself_can_hold_bots_all_the_same(tier: str) -> None:
    if tier == "hardened" and bubblewrap.find() is None:
        pytest.skip("there is no bubblewrap")
    words = ("play", "greedy", "counter", "random", "--deals", "1", "--sandbox", tier)
    answer = moon(*words, umask=0o077)
    assert answer.returncode == 0, answer.stderr


def test_a_tier_that_the_host_cannot_give_is_refused_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bubblewrap, "find", lambda: None)
    probe.cache_clear()  # an earlier test of this process may have found the tier kept
    assert main(["doctor", "--sandbox", "hardened"]) == 2
    told = capsys.readouterr().err
    assert "sandbox hardened: bubblewrap 0.8.0 or newer is not installed" in told
    assert "apt-get install bubblewrap" in told
