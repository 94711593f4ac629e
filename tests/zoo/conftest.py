"""One process runs all that is here: two zoos on one machine would each see the other's animals."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts every test of this folder into one group."""
    for item in items:
        if "/tests/zoo/" in item.nodeid or item.nodeid.startswith("tests/zoo/"):
            item.add_marker(pytest.mark.xdist_group("zoo"))
