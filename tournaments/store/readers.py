"""Who has a file open."""

from __future__ import annotations

from pathlib import Path

PROC = Path("/proc")


def readers(file: Path) -> str:
    """Returns which processes have *file* open, ``process 41 (moon), process 42 (sqlite3)``.

    Empty if none is seen: those of other users are not, and not every system shows any.
    """
    try:
        wanted = file.stat()
        processes = sorted(int(p.name) for p in PROC.iterdir() if p.name.isdigit())
    except OSError:
        return ""
    found = [pid for pid in processes if _has_open(pid, (wanted.st_dev, wanted.st_ino))]
    return ", ".join(f"process {pid}{_name(pid)}" for pid in found)


def _has_open(pid: int, wanted: tuple[int, int]) -> bool:
    try:
        handles = list((PROC / str(pid) / "fd").iterdir())
    except OSError:
        return False
    return any(_identity(handle) == wanted for handle in handles)


def _identity(handle: Path) -> tuple[int, int] | None:
    try:
        status = handle.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _name(pid: int) -> str:
    try:
        return f" ({(PROC / str(pid) / 'comm').read_text(errors='replace').strip()})"
    except OSError:
        return ""
