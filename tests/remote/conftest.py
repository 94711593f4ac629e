"""The certificates of two arenas, made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.bots.certificates import make_arena, make_bot


@pytest.fixture(scope="session")
def arenas(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the arenas `ours` and `foreign`, and bots of theirs."""
    folder = tmp_path_factory.mktemp("arenas")
    for name in ("ours", "foreign"):
        make_arena(folder / name)
        make_bot(folder / name, "far")
    for name, days in (("near", 30), ("old", -1), ("soon", 2)):
        make_bot(folder / "ours", name, days=days)
    return folder


@pytest.fixture
def ours(arenas: Path) -> Path:
    return arenas / "ours"
