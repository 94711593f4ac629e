"""The names of entrants: told apart by everybody, safe to print anywhere."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath

from tournaments.schedule import EntrantId

LONGEST_NAME = 40
"""What still fits into a table on a terminal."""


def name_problem(name: str, *, longest: int = LONGEST_NAME) -> str | None:
    r"""Returns why *name* cannot be a name of an entrant, or ``None`` if it can.

    >>> name_problem("two\nlines")
    'holds the invisible character U+000A'
    """
    if not name.strip():
        return "is empty"
    if name != name.strip():
        return "begins or ends with a space"
    if len(name) > longest:
        return f"is longer than {longest} characters"
    for character in name:
        # Control, format (also what turns the direction of writing), unassigned; odd spaces.
        category = unicodedata.category(character)
        if category.startswith("C") or (category.startswith("Z") and character != " "):
            return f"holds the invisible character U+{ord(character):04X}"
    return None


def look(name: str) -> str:
    """Returns what two names share if people may take one for the other.

    >>> look("Greedy") == look("GREEDY")
    True
    """
    return unicodedata.normalize("NFKC", name).casefold()


def short_name(text: str) -> str:
    """Returns a name for the bot that *text* names.

    >>> [short_name(text) for text in ("greedy?risk=0.3", "./bots/mine.py", "grpc://[::1]:7000")]
    ['greedy?risk=0.3', 'mine', '[::1]:7000']
    >>> short_name("inproc:mine:Bold?risk=0.3")
    'Bold?risk=0.3'
    """
    kind, colon, rest = text.partition(":")
    if colon and kind in ("cmd", "grpc"):
        return rest.strip().removeprefix("//")
    path, question, parameters = text.partition("?")
    if kind == "inproc":
        return path.rpartition(":")[2] + question + parameters
    # Resolving would follow links; only "." and ".." must not become names.
    name = PurePath(path).name.removesuffix(".py")
    return (path if name in ("", ".", "..") else name) + question + parameters


def entrant_names(
    bots: Sequence[Sequence[str]], wished: Sequence[str | None]
) -> tuple[EntrantId, ...]:
    """Returns a name for each entrant, all different.

    Those who wish a name have it. The others are called after their bots, short if that tells them
    apart, else by the whole text; the same text once more gets a number.

    >>> entrant_names([["greedy"], ["greedy"], ["a/bot"], ["b/bot"]], [None] * 4)
    ('greedy', 'greedy#2', 'a/bot', 'b/bot')

    Args:
        bots: By entrant: the texts of its bots.
        wished: By entrant: the name it was given, if any.
    """
    whole = ["+".join(dict.fromkeys(texts)) for texts in bots]
    short = ["+".join(dict.fromkeys(map(short_name, texts))) for texts in bots]
    texts_of: dict[str, set[str]] = {}
    for long, brief in zip(whole, short, strict=True):
        texts_of.setdefault(look(brief), set()).add(long)
    taken = Counter(look(name) for name in wished if name is not None)
    names = []
    for long, brief, wish in zip(whole, short, wished, strict=True):
        base = _cut(brief if len(texts_of[look(brief)]) == 1 else long)
        name, number = wish or base, 1
        while wish is None and look(name) in taken:
            number += 1
            name = _cut(base, f"#{number}")
        taken[look(name)] += wish is None
        names.append(EntrantId(name))
    return tuple(names)


def _cut(name: str, end: str = "") -> str:
    """Returns *name* and *end*, the name cut so that both fit."""
    room = LONGEST_NAME - len(end)
    return (name if len(name) <= room else name[: room - 1] + "…") + end
