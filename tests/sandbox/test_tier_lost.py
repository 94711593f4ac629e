"""A host that no longer holds bots is to blame itself; a bot that says so of it is not believed."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from referee.bots.exits import KeeperError
from referee.bots.keeper_client import Keeper
from referee.bots.process import BotProcess
from referee.bots.sandbox import Sandbox, Tier, bubblewrap
from referee.bots.sessions import SessionTerms, StartError, start_session
from referee.bots.spec import parse_bot
from referee.rules import preset_rules
from tests.bots.test_transports import Heard

REAL = bubblewrap.find()
pytestmark = pytest.mark.skipif(REAL is None, reason="there is no bubblewrap")

SAYS = "bwrap: setting up uid map: Permission denied"


@pytest.fixture
def break_it(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """What makes every bubblewrap fail from then on."""
    with tempfile.TemporaryDirectory(prefix="m") as name:
        # Open to all: the user that starts bots for root looks into it.
        Path(name).chmod(0o755)
        yield from _breakable(Path(name), monkeypatch)


def _breakable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    assert REAL is not None
    broken = tmp_path / "broken"
    program = tmp_path / "bwrap"
    program.write_text(
        f"#!/bin/sh\nif [ -e {broken} ] && [ $# -gt 1 ]; then echo '{SAYS}' >&2; exit 1; fi\n"
        f'exec {REAL.path} "$@"\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    bubblewrap.find.cache_clear()
    yield broken.touch
    monkeypatch.undo()
    bubblewrap.find.cache_clear()


async def start(text: str) -> None:
    """Starts the bot *text* in the hardened tier, and ends it."""
    async with Keeper() as keeper:
        process = BotProcess(parse_bot(text, Path.cwd()), keeper, Sandbox(Tier.HARDENED))
        terms = SessionTerms(preset_rules("tournament-3p"), 10.0)
        session = await start_session(process, Heard(), terms)
        await session.end()


async def test_a_bot_is_not_blamed_for_a_bubblewrap_that_fails(
    break_it: Callable[[], None],
) -> None:
    await start("first_legal")
    break_it()
    with pytest.raises(KeeperError, match="setting up uid map"):
        await start("first_legal")


async def test_a_bot_that_speaks_like_a_bubblewrap_that_fails_has_not_started() -> None:
    words = f"import sys; sys.stderr.write('{SAYS}\\n'); sys.exit(1)"
    with pytest.raises(StartError):
        await start(f'cmd:{sys.executable} -c "{words}"')
