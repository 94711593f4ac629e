"""A start that somebody else has spoilt, by closing the place of a bot, is not the bot's fault."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from referee.bots.exits import KeeperError
from referee.bots.keeper_client import Keeper
from referee.bots.process import BotProcess
from referee.bots.sandbox import Sandbox, Tier
from referee.bots.sandbox.landlock import abi
from referee.bots.spec import parse_bot

pytestmark = pytest.mark.skipif(not abi(), reason="there is no Landlock")
SLEEPER = parse_bot("cmd:sleep 600", Path(sys.prefix))


@pytest.fixture
async def keeper() -> AsyncIterator[Keeper]:
    with tempfile.TemporaryDirectory(prefix="m") as base:
        async with Keeper(Path(base)) as keeper:
            yield keeper


@pytest.mark.parametrize("name", [".", "home", "tmp"])
async def test_a_place_that_another_closed_is_not_the_bots_fault(keeper: Keeper, name: str) -> None:
    async with BotProcess(SLEEPER, keeper, Sandbox(Tier.BASIC)) as process:
        process.check_place()
        folder = Path(process.target.removeprefix("unix:")).parent / name
        folder.chmod(0)
        try:
            with pytest.raises(KeeperError, match="the directory of a bot was closed"):
                process.check_place()
        finally:
            folder.chmod(0o700)
        process.check_place()


async def test_a_place_that_a_bot_can_close_is_its_own_affair(keeper: Keeper) -> None:
    async with BotProcess(SLEEPER, keeper, Sandbox(Tier.NONE)) as process:
        folder = Path(process.target.removeprefix("unix:")).parent / "home"
        folder.chmod(0)
        process.check_place()
        folder.chmod(0o700)
