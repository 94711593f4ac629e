"""Text from strangers, made safe to show and to store."""

from __future__ import annotations


def visible(text: str, keep: str = "") -> str:
    r"""Returns *text* with all that a terminal acts on or hides written out, but what is to *keep*.

    >>> print(visible("red\x1b[31m"))
    red\x1b[31m
    """
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char in keep else char.encode("unicode_escape").decode()
        for char in text
    )


def printable(text: str, limit: int) -> str:
    """Returns *text* as one visible line of at most *limit* characters."""
    safe = visible(text[: limit + 1])
    return safe if len(safe) <= limit else safe[: limit - 1] + "\N{HORIZONTAL ELLIPSIS}"


def counted(number: int, what: str, plural: str = "") -> str:
    """Returns *number* with what is counted, in the singular where there is one.

    >>> counted(1, "block"), counted(0, "block"), counted(3, "match", "matches")
    ('1 block', '0 blocks', '3 matches')
    """
    return f"{number} {what if number == 1 else plural or f'{what}s'}"


def readable(output: bytes) -> str:
    r"""Returns the output of a program as visible lines.

    >>> print(readable(b"caf\xc3\xa9\x1b[2J\xff"))
    café\x1b[2J\xff
    """
    text = output.decode(errors="backslashreplace").replace("\r\n", "\n")
    return visible(text, keep="\n\t")
