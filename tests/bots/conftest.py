"""A keeper for a test, and the proof afterwards that nothing it ran is left."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from referee.bots.keeper_client import Keeper
from tests.bots.processes import marked, wait_until


@pytest.fixture
def runtime(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A directory, with a short path, for the directories of running bots; empty afterwards."""
    with tempfile.TemporaryDirectory(prefix="m") as name:
        monkeypatch.setenv("XDG_RUNTIME_DIR", name)
        yield Path(name)
        assert not list(Path(name).iterdir())


@pytest.fixture
async def keeper(runtime: Path) -> AsyncIterator[Keeper]:
    async with Keeper() as keeper:
        yield keeper
    wait_until(lambda: not marked(keeper.directory.token), "its bots are gone")
