"""The marks on results that are not what others are."""

from __future__ import annotations

from collections.abc import Iterable


def mark_lines(inside: Iterable[str], remote: Iterable[str], *, is_held: bool = True) -> list[str]:
    """Returns the marks as lines; none if everything was played as it should be.

    >>> mark_lines(["mine"], ["far"])[0]
    'unrated: in-process bots: mine'
    >>> mark_lines([], ["far"])
    ['not held to lanes, so it may have seen a deal before: remote: far']

    Args:
        inside: Who was asked inside the program: nobody else can vouch for what such a bot saw and
            how long it took.
        remote: Who ran somewhere else: one process may have played every table of a block.
        is_held: Whether bots were held by a sandbox: else any of them may have read anything.
    """
    inside_names, remote_names = ", ".join(inside), ", ".join(remote)
    unrated = f"unrated: in-process bots: {inside_names}"
    unheld = f"not held to lanes, so it may have seen a deal before: remote: {remote_names}"
    marks = ((unrated, inside_names), (unheld, remote_names))
    free = [] if is_held else ["unrated: sandbox none: bots ran with the user's rights"]
    return free + [line for line, names in marks if names]
