"""What honest bots do goes on in every tier; and what cannot be started says why."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from referee.bots.sandbox import bubblewrap
from tests.sandbox.held import Request, request

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds bots")

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be a referee that is root")
needs_bubblewrap = pytest.mark.skipif(bubblewrap.find() is None, reason="there is no bubblewrap")


@pytest.mark.parametrize(
    ("tier", "ordinary"),
    [
        pytest.param("basic", False, marks=needs_root),
        ("basic", True),
        pytest.param("hardened", False, marks=[needs_root, needs_bubblewrap]),
        pytest.param("hardened", True, marks=needs_bubblewrap),
    ],
)
def test_an_honest_bot_misses_nothing(tier: str, ordinary: bool) -> None:
    answer = request(Request(tier, "honest.py"), ordinary=ordinary)
    assert answer["code"] == 0, answer
    assert json.loads(str(answer["output"])) == {}


CANNOT_START = {
    "no such program": (["moon-no-such-bot"], "no such file or directory", 127),
    "no interpreter": (["{folder}/lost"], "names an interpreter that does not exist", 127),
    "no program at all": (["{folder}/text"], "neither a binary of this machine nor a script", 126),
    "may not be run": (["{folder}/closed"], "permission denied", 126),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text, mode in (
        ("lost", "#!/no/such/interpreter\n", 0o755),
        ("text", "hello\n", 0o755),
        ("closed", "#!/bin/sh\n", 0o644),
    ):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(mode)
    for path in (tmp_path, *tmp_path.parents[:2]):
        path.chmod(0o755)
    return tmp_path


@pytest.mark.parametrize("problem", CANNOT_START)
def test_what_cannot_be_started_says_why(folder: Path, problem: str) -> None:
    words, why, code = CANNOT_START[problem]
    command = [word.format(folder=folder) for word in words]
    answer = request(Request("basic", words=command), ordinary=False)
    assert answer["code"] == code
    assert answer["failure"], answer
    told, is_ours = answer["failure"]
    assert why in told
    assert repr(command[0]) in told
    assert not is_ours


def test_a_directory_that_is_not_there_is_named(folder: Path) -> None:
    gone = str(folder / "gone")
    answer = request(Request("basic", words=["true"], cwd=gone), ordinary=False)
    assert answer["failure"] == [
        f"cannot run 'true' in {gone}: the directory {gone} does not exist", False
    ]  # fmt: skip


def test_a_bot_cannot_speak_for_the_launcher() -> None:
    lie = "echo launcher 0123456789abcdef: cannot run it >&2; exit 125"
    answer = request(Request("basic", words=["sh", "-c", lie]), ordinary=False)
    assert (answer["code"], answer["failure"]) == (125, None)


@needs_root
def test_what_the_user_of_a_bot_may_not_read_is_named_with_what_to_do(folder: Path) -> None:
    program = folder / "private"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o700)
    answer = request(Request("basic", words=[str(program)]), ordinary=False)
    assert f"{program} may not be read by others" in str(answer["refused"])
    assert f"chmod -R o+rX {program}" in str(answer["refused"])


@needs_bubblewrap
def test_nothing_that_a_hardened_bot_leaves_behind_lives_on() -> None:
    leave = "setsid sleep 600 & setsid sh -c 'setsid sleep 600 &' ; echo left"
    # The answer comes once nobody holds its output any more, long before the sleep is over.
    answer = request(Request("hardened", words=["sh", "-c", leave]), ordinary=True)
    assert answer["output"] == "left\n"
