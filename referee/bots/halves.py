"""Entrants of two halves, `A / B`: A bids, names the trump and discards, and B plays.

The slash stands between spaces, so that it is none of a path or of a parameter:

    counter?risk=1 / greedy
    bold=./bots/bold / ./bots/careful.py

A slash between spaces that belongs to a command is quoted, `cmd:./bot '/'`, and in the value of a
parameter its spaces are written `%20`.
"""

from __future__ import annotations

import re
from enum import IntEnum

from referee.rules import Kind

BETWEEN = " / "
"""What stands between the halves."""


class Half(IntEnum):
    """The parts of a deal that have a bot of their own each. The numbers are their places."""

    BIDDING = 0
    """The auction, and what its winner decides before the first trick."""
    PLAY = 1
    """The tricks."""

    @classmethod
    def of(cls, kind: Kind) -> Half:
        """Returns the half that decisions of *kind* belong to.

        >>> [Half.of(kind).name for kind in (Kind.BID, Kind.DISCARD, Kind.PLAY)]
        ['BIDDING', 'BIDDING', 'PLAY']
        """
        return cls.PLAY if kind is Kind.PLAY else cls.BIDDING

    @property
    def words(self) -> str:
        """What it is called in messages."""
        return "bidding half" if self is Half.BIDDING else "play half"


def halves_of(text: str) -> tuple[str, ...]:
    """Returns the texts between the slashes of *text*, which has no name in front.

    One for an ordinary bot, two for an entrant of two halves, more for what makes no sense.

    >>> halves_of("counter?risk=1 / ./bots/mine.py")
    ('counter?risk=1', './bots/mine.py')
    >>> halves_of("cmd:./bot '/' / greedy"), halves_of("./a/b")
    (("cmd:./bot '/'", 'greedy'), ('./a/b',))
    """
    parts: list[str] = []
    rest = text
    while True:
        found = (_COMMAND if rest.startswith("cmd:") else _PLAIN).match(rest)
        if found is None:
            return (*parts, rest)
        parts.append(found[1])
        rest = rest[found.end() :]


_PLAIN = re.compile(r"(.*?) +/ +")
_COMMAND = re.compile(r"""((?:[^'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")*?) +/ +""")
