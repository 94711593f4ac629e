"""What is long hides things: a source file is read in one sitting, a function at one look."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

LIMIT = 400
FUNCTION_LIMIT = 40
ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("referee", "tournaments", "sample_bots", "benchmarks", "proto")

ALLOWED = {
    "referee/rules/explanations.py": "a table of words, read by looking things up",
    "referee/rules/options.py": "one row per option and one per senseless combination: a table",
}
"""Files that may be longer, with the reason a reader would accept."""


ALLOWED_FUNCTIONS = {
    "referee/rules/playouts.py:_play": "a hot loop; every call in it would be paid a million times",
    "tournaments/cli/compare.py:compare": "its parameters are the options of the command",
    "tournaments/cli/lab_cross.py:cross": "its parameters are the options of the command",
    "tournaments/cli/play.py:play": "its parameters are the options of the command",
    "tournaments/cli/run.py:run": "its parameters are the options of the command",
    "tournaments/rating/passes.py:renew": "a hot loop, written out for three seats",
    "tournaments/store/migrations/versions/0001_a_run.py:upgrade": "the tables, column by column",
}
"""Functions that may be longer, with the reason a reader would accept."""


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


def function_lengths(path: Path) -> Iterator[tuple[str, int]]:
    """Yields every function with its lines, those of the docstring left out."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            length = node.end_lineno - node.lineno + 1
            if ast.get_docstring(node) is not None:
                text = node.body[0]
                assert text.end_lineno is not None
                length -= text.end_lineno - text.lineno + 1
            yield node.name, length


def test_a_function_is_no_longer_than_its_limit() -> None:
    long = {
        f"{source}:{name}": length
        for source in sources()
        if source.endswith(".py")
        for name, length in function_lengths(ROOT / source)
        if length > FUNCTION_LIMIT
    }
    too_long = {name: length for name, length in long.items() if name not in ALLOWED_FUNCTIONS}
    assert not too_long, "find the seam, or give the reason in ALLOWED_FUNCTIONS"
    assert set(long) == set(ALLOWED_FUNCTIONS), "some are short now; take them out"
