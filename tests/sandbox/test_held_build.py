"""A build is held as its bot is, by the same start."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from referee.bots.held_build import build_held
from referee.bots.keeper_client import Keeper, KeptProcess
from referee.bots.sandbox import Sandbox, Tier, bubblewrap
from referee.bots.spec import BotKind, BotSpec
from referee.errors import BotError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds bots")
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives bots users of their own")


@pytest.fixture
def spec() -> Iterator[BotSpec]:
    with tempfile.TemporaryDirectory(prefix="m") as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "bot.py").write_text("")
        build = ("/bin/sh", "-c", "echo 'exit 7' > run && chmod 755 run && ./run || echo $?")
        command = ("python3", "bot.py")
        yield BotSpec("built", BotKind.FOLDER, command=command, cwd=folder, build=build)


@pytest.fixture
def spawned(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the keeper is asked to start."""
    asked: list[dict[str, Any]] = []
    spawn = Keeper.spawn

    async def note(self: Keeper, argv: Any, **fields: Any) -> KeptProcess:
        asked.append(fields)
        return await spawn(self, argv, **fields)

    monkeypatch.setattr(Keeper, "spawn", note)
    return asked


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("tier", [Tier.BASIC, Tier.HARDENED])
async def test_the_keeper_knows_the_user_and_the_place_of_a_build(
    spec: BotSpec, spawned: list[dict[str, Any]], tier: Tier
) -> None:
    if tier is Tier.HARDENED and bubblewrap.find() is None:
        pytest.skip("there is no bubblewrap")
    files = await build_held(spec, Sandbox(tier), names, limit=60)
    assert "run" in files
    assert (spawned[0]["user"] is not None) == (os.geteuid() == 0)
    inside = bubblewrap.PLACE if tier is Tier.HARDENED else None
    assert spawned[0]["place_inside"] == inside


@needs_root
async def test_a_build_with_a_user_of_its_own_makes_a_file_executable(spec: BotSpec) -> None:
    def mode(folder: Path) -> int:
        return (folder / "run").stat().st_mode & 0o777

    assert await build_held(spec, Sandbox(Tier.BASIC), mode, limit=60) == 0o755


async def test_a_program_that_could_not_be_made_one_is_no_fault_of_the_bot(spec: BotSpec) -> None:
    """Else a bot in C++ is built without a word, and then does not start."""
    made = replace(spec, command=("./run",), build=("/bin/sh", "-c", "echo > run"))
    with pytest.raises(BotError, match=r"the build left './run', .* without the mode of a program"):
        await build_held(made, Sandbox(Tier.BASIC), names, limit=60)


async def test_a_build_that_cannot_be_ended_is_told_of(
    spec: BotSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    kill = KeptProcess.kill

    async def leave(self: KeptProcess, *times: float) -> tuple[int, ...]:
        return (*await kill(self, *times), 1)

    monkeypatch.setattr(KeptProcess, "kill", leave)
    with pytest.raises(BotError, match="left processes that cannot be ended"):
        await build_held(spec, Sandbox(Tier.BASIC), names, limit=60)
