"""What holds for every test: settings that do not leak in, processes that do not leak out."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Iterator

# A slow machine is no fault of the code, so no example has a time limit of its own.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")


def pytest_xdist_auto_num_workers() -> int:
    """Returns how many processes run the tests: most of them wait more than they compute."""
    return 1 + (os.cpu_count() or 1)


@pytest.fixture(autouse=True)
def neutral_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Takes away what would make the output depend on who runs the tests."""
    for name in list(os.environ):
        if name.startswith("MOON_") or name in {"NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM"}:
            monkeypatch.delenv(name)
    monkeypatch.setenv("TERM", "xterm-256color")


@pytest.fixture(autouse=True)
def no_process_left_behind() -> Iterator[None]:
    """Fails a test that leaves a process running which it started."""
    before = running_children()
    yield
    patience = time.monotonic() + 10
    while left := running_children() - before:
        if time.monotonic() > patience:
            names = [_command_line(pid) for pid in left]
            pytest.fail(f"left running: {', '.join(names)}")
        time.sleep(0.01)


def running_children() -> set[int]:
    """Returns the processes whose parent is this one, without those that only wait to be reaped."""
    found: set[int] = set()
    for task in Path("/proc/self/task").iterdir():
        found.update(map(int, _read(task / "children").split()))
    return {pid for pid in found if _is_running(pid)}


def _is_running(pid: int) -> bool:
    state = _read(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()
    # The tracker of multiprocessing is one for the whole interpreter, whichever test woke it.
    return bool(state) and state[0] != "Z" and "resource_tracker" not in _command_line(pid)


def _command_line(pid: int) -> str:
    return _read(Path(f"/proc/{pid}/cmdline")).replace("\0", " ").strip()


def _read(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:  # it ended between two looks
        return ""
