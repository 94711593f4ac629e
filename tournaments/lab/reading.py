"""Deals as the laboratory looks at them: read from stored records, a block at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from referee.match.lines import Auctioned, RecordLine, auctioned, record_lines, rules_of
from referee.rules import Bid, Rules, Scoring, possible_points
from tournaments.results import TableResult
from tournaments.schedule import EntrantId


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


def net_range(rules: Rules) -> tuple[int, int]:
    """Returns the lowest and the highest `LabDeal.net` that a deal can bring.

    >>> net_range(Rules())  # an own moon that is set, all tricks to one other; one that is made
    (-49, 42)
    """
    found = {
        rules.side_count * own - sum(points) for points in possible_points(rules) for own in points
    }
    return min(found), max(found)


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
    head, lines = record_lines(result.record)
    rules = rules_of(head.rules)
    scores = [0] * rules.side_count
    for line in lines:
        if line.points is None and not _all_passed(rules, line):
            counts.broken += 1
            continue
        points = line.points or (0,) * rules.side_count
        if not line.is_own:
            counts.faulted += 1
        else:
            counts.deals += 1
            states = _states(rules, head.deals, scores)
            yield _deal(result, auctioned(head.rules, line), rules, line, points, states)
        scores = [score + won for score, won in zip(scores, points, strict=True)]


def _deal(
    result: TableResult,
    auction: Auctioned,
    rules: Rules,
    line: RecordLine,
    points: tuple[int, ...],
    states: list[str],
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
        auction=auction,
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


def _all_passed(rules: Rules, line: RecordLine) -> bool:
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
