"""A block whose numbers can be counted by hand, and runs that are really played, quickly."""

from __future__ import annotations

import json
from collections.abc import Sequence

from tournaments.results import TableResult
from tournaments.schedule import EntrantId

HANDS = (
    "6-6 6-5 6-4 5-3 5-2 2-1 1-1",
    "6-3 5-5 4-3 3-3 3-2 3-1 0-0",
    "6-2 6-1 5-1 4-4 4-2 4-1 2-2",
)
MIDDLE = "5-4"
RULES = "tournament-3p"


def deal(
    bids: str, tricks: Sequence[int], points: Sequence[int] | None, **other: object
) -> dict[str, object]:
    """Returns the line of a deal."""
    made = None if points is None else min(points) >= 0
    played = {} if points is None else {"trump": "3", "taken": True, "discard": MIDDLE}
    line = {"type": "deal", "n": 0, "first": 0, "forced": False, "hands": HANDS, "middle": MIDDLE}
    numbers = {"bids": bids, "tricks": tricks, "made": made, "points": points}
    return {**line, **numbers, **played, **other}


def table(
    number: int, seats: str, *deals: dict[str, object], block: int = 0, **head: object
) -> TableResult:
    """Returns table *number* of a block of three, at which *seats* sat, by their first letters."""
    names = {"a": "ann", "b": "bob", "c": "cyd"}
    lines = [{"type": "match", "rules": RULES, "deals": None, **head}, *deals, {"type": "end"}]
    record = "".join(json.dumps(line) + "\n" for line in lines)
    entrants = tuple(EntrantId(names[letter]) for letter in seats)
    return TableResult(3 * block + number, block, number, entrants, "target", record=record)


def block(number: int = 0) -> list[TableResult]:
    """The block of which the tests count the numbers.

    Bob makes 4 with the hand of seat 1, which ann passes; he is set with that of seat 0, which the
    others pass; and he makes 5 last to bid.
    """
    return [
        table(0, "abc", deal("pass 4 pass", (1, 5, 1), (1, 4, 1)), block=number),
        table(
            1, "bca", deal("4 pass pass", (3, 2, 2), (-4, 2, 2), discard="2-1", trump="6"),
            block=number,
        ),
        table(2, "cab", deal("pass pass 5", (1, 1, 5), (1, 1, 5)), block=number),
    ]  # fmt: skip
