"""Deals that show what a number says: the most telling few of each kind, whatever comes."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappush, heappushpop
from typing import NamedTuple

from referee.rules import Bid
from tournaments.lab.comparisons import Comparison
from tournaments.lab.reading import LabDeal

KINDS = {
    "over": "bid more than another with the same hand, was set, and came out worse",
    "missed": "bid less than another with the same hand, who made it",
    "moon": "shot the moon",
}
"""By kind: what the entrant did."""


class Example(NamedTuple):
    """A deal to look at."""

    kind: str
    """One of `KINDS`."""
    entrant: str
    level: str
    """The bid it is about: its own, or with ``missed`` that of the other."""
    store: str
    """The store, as it was named."""
    table: str
    """The table where *entrant* chose, such as ``17.2``."""
    deal: int
    """The number of the deal in the match, from 0."""
    seat: int
    bid: str
    """What it bid."""
    other: str
    """Who held the same hand; empty with ``moon``."""
    other_table: str
    other_bid: str
    cost: float
    """The net points it got less than the other, or with ``moon`` the net points it lost."""


class Shelf:
    """Keeps the costliest examples of each kind, entrant and level."""

    def __init__(self, keep: int, scale: int) -> None:
        """Makes an empty shelf for *keep* examples each, whose costs are divided by *scale*."""
        self._keep = keep
        self._scale = scale
        self._kept: dict[tuple[str, str, str], list[tuple[tuple[object, ...], Example]]] = {}

    def take_comparison(self, store: str, comparison: Comparison) -> None:
        """Keeps *comparison* if it tells more than those that are kept."""
        mine, other = comparison.mine, comparison.other
        if comparison.is_missed:
            self._keep_one("missed", store, comparison, other.call.bid)
        is_declarer = mine.deal.auction.declarer == mine.call.seat
        was_set = is_declarer and mine.deal.made is False
        if mine.call.bid > other.call.bid and was_set and comparison.gain < 0:
            self._keep_one("over", store, comparison, mine.call.bid)

    def take_moon(self, store: str, deal: LabDeal) -> None:
        """Keeps *deal*, in which a moon was shot."""
        seat = deal.auction.declarer
        assert seat is not None
        level = str(deal.auction.contract)
        self._push(
            Example(
                "moon", deal.entrants[seat], level, store, deal.table, deal.number, seat, level,
                "", "", "", -deal.net[seat] / self._scale,
            )
        )  # fmt: skip

    def _keep_one(self, kind: str, store: str, comparison: Comparison, level: Bid) -> None:
        mine, other = comparison.mine, comparison.other
        self._push(
            Example(
                kind, mine.entrant, str(level), store, mine.deal.table, mine.deal.number,
                mine.call.seat, str(mine.call.bid), other.entrant, other.deal.table,
                str(other.call.bid), -comparison.gain / self._scale,
            )
        )  # fmt: skip

    def _push(self, example: Example) -> None:
        kept = self._kept.setdefault((example.kind, example.entrant, example.level), [])
        # The least of the heap goes first: cheap ones, and of those the last of the schedule.
        block, _, lane = example.table.partition(".")
        place = (-int(block), -int(lane), -example.deal, example.store, example.other)
        item = ((example.cost, *place), example)
        if len(kept) < self._keep:
            heappush(kept, item)
        else:
            heappushpop(kept, item)

    def examples(self, kind: str, entrant: str = "", level: str = "") -> Iterator[Example]:
        """Yields the examples of a kind, of everybody and every level unless they are named.

        They come by entrant and level, the costliest first.
        """
        for (a_kind, name, bid), kept in sorted(self._kept.items(), key=lambda each: each[0]):
            if a_kind == kind and entrant in ("", name) and level in ("", bid):
                yield from (example for _, example in sorted(kept, reverse=True))
