"""What lies behind a closed directory is not there for us, and no reason to break."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.bots.reach import named_paths
from referee.bots.sandbox import places
from referee.bots.spec import parse_bot


@pytest.fixture
def behind() -> Iterator[Path]:
    """A link that leads behind a directory that nobody but its owner may pass."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "closed").mkdir()
        (folder / "closed" / "python").touch()
        (folder / "python").symlink_to(folder / "closed" / "python")
        folder.chmod(0o755)
        (folder / "closed").chmod(0)
        was_root = os.geteuid() == 0
        if was_root:
            os.seteuid(65534)
        try:
            yield folder / "python"
        finally:
            if was_root:
                os.seteuid(0)
            (folder / "closed").chmod(0o700)


def test_a_link_that_leads_behind_a_closed_directory_is_absent(behind: Path) -> None:
    assert places.existing([behind, behind.parent]) == [behind.parent]
    assert places.program([str(behind)], Path("/"), {}) == []


def test_a_word_of_a_command_may_lead_there(behind: Path) -> None:
    assert named_paths(parse_bot(f"cmd:/bin/sh {behind}", Path("/"))) == ()
