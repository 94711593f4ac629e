"""The mark on results that count for no rating."""

from __future__ import annotations

from collections.abc import Iterable


def unrated_lines(inside: Iterable[str]) -> list[str]:
    """Returns the mark as a line, or nothing if everything is rated.

    >>> unrated_lines(["mine", "yours"])
    ['unrated: in-process bots: mine, yours']

    Args:
        inside: Who was asked inside the program: nobody else can vouch for what such a bot saw and
            how long it took.
    """
    names = ", ".join(inside)
    return [f"unrated: in-process bots: {names}"] if names else []
