"""Deals as the laboratory looks at them: read from stored records, a block at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

import msgspec

from referee.rules import SEATS, Bid, Rules, Scoring, parse_rules
from referee.rules.auction import bid, legal_bids, start_auction
from tournaments.results import TableResult
from tournaments.schedule import EntrantId


class Call(NamedTuple):
    """One turn in an auction."""

    seat: int
    place: int
    """Whose turn it was, counted from the first bidder, from 0."""
    bid: Bid
    before: str
    """The bids before it, as the record writes them."""
    is_free: bool
    """Whether there was anything to choose from."""


class Auctioned(NamedTuple):
    """An auction that is over."""

    calls: tuple[Call, ...]
    declarer: int | None
    """The seat that won it, or ``None`` if everybody passed."""
    contract: Bid
    is_free: bool
    """Whether the declarer could have passed instead of making its last bid."""


@dataclass(frozen=True, slots=True)
class LabDeal:
    """One deal that counts: played out or thrown in, and without a fault."""

    table: str
    """The id of the table, such as ``17.2``."""
    number: int
    """The number of the deal in the match, from 0."""
    first: int
    forced: bool
    entrants: tuple[EntrantId, ...]
    """By seat."""
    auction: Auctioned
    hands: tuple[str, ...]
    """By seat: the tiles, as the record writes them."""
    widow: str
    """The tile in the middle that the declarer may take; empty if there is none."""
    trump: str
    taken: bool | None
    discard: str
    tricks: tuple[int, ...]
    """By seat: the tricks that its side took."""
    made: bool | None
    points: tuple[int, ...]
    """By seat: the points of its side."""
    net: tuple[int, ...]
    """By seat: its side's points less the mean of the other sides', times the number of those."""
    states: tuple[str, ...]
    """By seat: how the match stood for its side, one of `STATES`."""


STATES = ("open", "near", "threatened", "both", "ahead", "level", "behind")
"""How a match stands before a deal, for a side. To the target: ``open`` if nobody can reach it with
a bid of seven (with one mark, where marks are counted), ``near`` if this side alone can,
``threatened`` if only others can, else ``both``. Of a fixed number of deals: whether the side is
``ahead`` of the best other one, ``level`` or ``behind``."""


@dataclass(slots=True)
class Counts:
    """What was read."""

    tables: int = 0
    scheduled: int = 0
    """Tables that the runs are to have: more than were read while one is still being played."""
    blocks: int = 0
    deals: int = 0
    """Deals that count, those that were thrown in included."""
    faulted: int = 0
    """Deals left out because a choice was made in a bot's place."""
    broken: int = 0
    """Deals left out because a forfeit broke them off."""

    @property
    def is_open(self) -> bool:
        """Whether some run is not at its end, so that nobody is named for good."""
        return self.tables < self.scheduled


class _Line(msgspec.Struct, frozen=True):
    """The fields of a record line that are looked at; the others are passed over."""

    type: str
    rules: str = ""
    deals: int | None = None
    n: int = 0
    first: int = 0
    forced: bool = False
    hands: tuple[str, ...] = ()
    middle: str = ""
    bids: str = ""
    trump: str | None = None
    taken: bool | None = None
    discard: str | None = None
    tricks: tuple[int, ...] = ()
    made: bool | None = None
    points: tuple[int, ...] | None = None
    faults: tuple[tuple[int, int, str], ...] = ()


_read_lines = msgspec.json.Decoder(_Line).decode_lines
_rules = lru_cache(maxsize=64)(parse_rules)
_BIDS = {str(each): each for each in Bid}


def read_blocks(results: Iterable[TableResult], counts: Counts) -> Iterator[list[LabDeal]]:
    """Yields the deals of each block; nothing is kept of a block when the next one is asked for.

    Args:
        results: The tables of one store, with their records, in schedule order.
        counts: Where what was read is counted.
    """
    for _, tables in groupby(results, key=lambda result: result.block):
        deals: list[LabDeal] = []
        for result in tables:
            counts.tables += 1
            deals += read_table(result, counts)
        counts.blocks += 1
        yield deals


def read_table(result: TableResult, counts: Counts) -> Iterator[LabDeal]:
    """Yields the deals of one table that count."""
    head, *lines = _read_lines(result.record)
    rules = _rules(head.rules)
    scores = [0] * rules.side_count
    for line in lines:
        if line.type != "deal":
            continue
        if line.points is None and not _all_passed(rules, line):
            counts.broken += 1
            continue
        points = line.points or (0,) * rules.side_count
        if line.faults:
            counts.faulted += 1
        else:
            counts.deals += 1
            yield _deal(result, rules, line, points, _states(rules, head.deals, scores))
        scores = [score + won for score, won in zip(scores, points, strict=True)]


def _deal(
    result: TableResult, rules: Rules, line: _Line, points: tuple[int, ...], states: list[str]
) -> LabDeal:
    sides = [rules.side_of(seat) for seat in range(rules.players)]
    tricks = [0] * rules.side_count
    for side, won in zip(sides, line.tricks, strict=True):
        tricks[side] += won
    together = sum(points)
    return LabDeal(
        table=result.id,
        number=line.n,
        first=line.first,
        forced=line.forced,
        entrants=result.seats,
        auction=_auctioned(rules, line.first, line.forced, line.bids),
        hands=line.hands,
        widow=line.middle.partition(" ")[0],
        trump=line.trump or "",
        taken=line.taken,
        discard=line.discard or "",
        tricks=tuple(tricks[side] for side in sides),
        made=line.made,
        points=tuple(points[side] for side in sides),
        net=tuple(points[side] * rules.side_count - together for side in sides),
        states=tuple(states[side] for side in sides),
    )


@lru_cache(maxsize=1 << 14)
def _auctioned(rules: Rules, first: int, forced: bool, bids: str) -> Auctioned:
    """Returns the auction that was written down as *bids*."""
    auction = start_auction(SEATS[first])
    calls: list[Call] = []
    words = bids.split()
    passable = True
    for at, word in enumerate(words):
        seat = auction.turn
        assert seat is not None
        legal = legal_bids(rules, auction, forced)
        made = _BIDS[word]
        place = (seat - first) % rules.players
        calls.append(Call(int(seat), place, made, " ".join(words[:at]), len(legal) > 1))
        if made:
            passable = Bid.PASS in legal
        auction = bid(rules, auction, made)
    declarer = None if auction.declarer is None else int(auction.declarer)
    return Auctioned(tuple(calls), declarer, auction.contract, passable)


def _all_passed(rules: Rules, line: _Line) -> bool:
    """Whether the deal was thrown in, not broken off in the middle of its auction."""
    words = line.bids.split()
    return len(words) == rules.players and set(words) == {"pass"}


def _states(rules: Rules, deals: int | None, scores: list[int]) -> list[str]:
    """Returns how the match stands, by side."""
    found = []
    for side, score in enumerate(scores):
        best = max(other for number, other in enumerate(scores) if number != side)
        if deals is not None:
            found.append("level" if score == best else "ahead" if score > best else "behind")
            continue
        bound = rules.target - (1 if rules.scoring is Scoring.MARKS else int(Bid.SEVEN))
        reach = (score >= bound, best >= bound)
        found.append(
            {(False, False): "open", (True, False): "near", (False, True): "threatened"}.get(
                reach, "both"
            )
        )
    return found
