"""What is hidden stays hidden where every bot may read: below a directory of the system."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.bots.keeper_client import Keeper
from referee.bots.process import BotProcess
from referee.bots.sandbox import Sandbox, Tier, bubblewrap
from referee.bots.spec import parse_bot

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds bots")
TIERS = [
    Tier.BASIC,
    pytest.param(
        Tier.HARDENED,
        marks=pytest.mark.skipif(bubblewrap.find() is None, reason="there is no bubblewrap"),
    ),
]


@pytest.fixture
def prefix(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A league that lies in the folder of the Python that runs it."""
    with tempfile.TemporaryDirectory(prefix="m") as name:
        folder = Path(name)
        folder.chmod(0o755)
        for path in ("night.toml", "night.sqlite", "tls/ca.key", "rivals/rival.py", "lib/open.py"):
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_text(f"content of {path}\n")
        (folder / "spy.sh").write_text("cat night.* tls/* rivals/* lib/* >&2; exit 3\n")
        monkeypatch.setattr(sys, "prefix", name)
        yield folder


@pytest.mark.parametrize("tier", TIERS)
async def test_a_bot_reads_the_system_around_what_is_hidden_and_nothing_of_that(
    prefix: Path, tier: Tier
) -> None:
    hidden = [prefix / name for name in ("night.toml", "night.sqlite", "tls", "rivals/rival.py")]
    async with Keeper() as keeper:
        spy = parse_bot("cmd:/bin/sh spy.sh", prefix)
        async with BotProcess(spy, keeper, Sandbox(tier), hidden) as process:
            report = await asyncio.wait_for(process.wait_exited(60.0), 60.0)
    assert report is not None
    wrote = report.stderr.decode()
    assert "content of lib/open.py" in wrote, wrote
    assert wrote.count("content of") == 1, wrote
