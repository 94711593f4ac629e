"""Where a store may be: on a disk of this machine, with room for what is still to be played."""

from __future__ import annotations

import os
import re
from pathlib import Path

from referee.errors import StoreError

LEAST_SPACE = 16 << 20
"""Bytes that have to be free beside a store for tables to be begun: more than those in play, and
everything that SQLite may write to end the run, need."""
MOUNTS = Path("/proc/self/mountinfo")
"""What the system says of its file systems; only Linux does."""

_REMOTE = {
    "9p", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "fuse.ceph", "fuse.davfs2",
    "fuse.glusterfs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs", "glusterfs", "gpfs", "lustre",
    "ncpfs", "nfs", "nfs4", "orangefs", "smb2", "smb3", "smbfs",
}  # fmt: skip
_ESCAPED = re.compile(r"\\([0-7]{3})")


def real(path: str | Path) -> Path:
    """Returns where *path* leads; a link to itself is left to whoever opens it."""
    return Path(os.path.realpath(path))


def check_is_local(path: Path) -> None:
    """Checks that the folder of *path* is on a disk of this machine, as far as one can know.

    Raises:
        StoreError: if it is not: neither a lock nor the shared memory of a log reaches from one
            machine to another.
    """
    kind = file_system(real(path.parent))
    if kind in _REMOTE:
        raise StoreError(
            f"{path}: is on a network file system ({kind}), where a store that is written would "
            "be damaged; keep it on a local disk, and copy it there when it is done"
        )


def file_system(folder: Path) -> str:
    """Returns the kind of file system *folder* is in, such as ``ext4``; empty if nobody says."""
    try:
        lines = MOUNTS.read_text(errors="surrogateescape").splitlines()
    except OSError:
        return ""
    found, longest = "", -1
    for line in lines:
        front, _, back = line.partition(" - ")
        point = _ESCAPED.sub(lambda code: chr(int(code[1], 8)), front.split()[4])
        # One that was mounted later over the same place hides the earlier one.
        if folder.is_relative_to(point) and len(point) >= longest:
            found, longest = back.split()[0], len(point)
    return found


def shortage(path: Path) -> str:
    """Returns what is to be said about the room beside the store *path*; empty if there is enough.

    Raises:
        StoreError: if its folder is gone.
    """
    try:
        disk = os.statvfs(path.parent)
    except OSError as error:
        raise StoreError(f"{path}: cannot be reached: {(error.strerror or '').lower()}") from None
    free = disk.f_bavail * disk.f_frsize
    if free >= LEAST_SPACE or not disk.f_blocks:  # some file systems count nothing
        return ""
    return (
        f"{path}: only {free / (1 << 20):.1f} MiB are free on its disk, and no table is begun with "
        f"less than {LEAST_SPACE >> 20} MiB; free some space and run the same again: every table "
        "announced as finished is kept"
    )
