"""The program of a worker, ``python -m tournaments.runner.worker``; `working` says what it does."""

from __future__ import annotations

import sys

from referee.bots.rundir import descriptors_left
from tournaments.runner.orphans import adopt_orphans, end_with_parent

LEAST_DESCRIPTORS = 64
"""How many files a worker has to be allowed to open: for gRPC itself, and a few bots."""


def main() -> None:
    """Ties this process to those above and below it, and works."""
    end_with_parent()
    adopt_orphans()
    if not descriptors_left(LEAST_DESCRIPTORS):
        sys.exit(
            f"a worker needs {LEAST_DESCRIPTORS} files that it may open, and there are fewer; "
            "allow more (ulimit -n)"
        )
    # Only now, for it takes its time, in which a runner that is killed must not leave us behind.
    from tournaments.runner.working import start  # noqa: PLC0415

    start()


if __name__ == "__main__":
    main()
