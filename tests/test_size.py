"""Long files hide things: every source file stays readable in one sitting."""

from __future__ import annotations

from pathlib import Path

import pytest

LIMIT = 400
ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("referee", "tournaments", "sample_bots", "benchmarks", "proto")

ALLOWED = {
    "referee/rules/explanations.py": "a table of words, read by looking things up",
    "referee/rules/options.py": "one row per option and one per senseless combination: a table",
}
"""Files that may be longer, with the reason a reader would accept."""


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def sources() -> list[str]:
    found = (
        path for room in ROOMS for kind in ("*.py", "*.proto") for path in (ROOT / room).rglob(kind)
    )
    return sorted(
        str(path.relative_to(ROOT))
        for path in found
        if "_pb2" not in path.name and not any(part.startswith(".") for part in path.parts[1:])
    )


@pytest.mark.parametrize("source", sources())
def test_a_source_file_is_no_longer_than_its_limit(source: str) -> None:
    if source not in ALLOWED:
        assert lines(ROOT / source) <= LIMIT, "find the seam, or give the reason in ALLOWED"


def test_a_file_that_may_be_longer_still_is() -> None:
    short = [source for source in ALLOWED if lines(ROOT / source) <= LIMIT]
    assert not short, "these are short now; take them out of ALLOWED"
