"""The program of a worker, ``python -m tournaments.runner.worker``; `working` says what it does."""

from __future__ import annotations

from tournaments.runner.orphans import adopt_orphans, end_with_parent


def main() -> None:
    """Ties this process to those above and below it, and works."""
    end_with_parent()
    adopt_orphans()
    # Only now, for it takes its time, in which a runner that is killed must not leave us behind.
    from tournaments.runner.working import start  # noqa: PLC0415

    start()


if __name__ == "__main__":
    main()
