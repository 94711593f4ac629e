"""What a block says: the difference between the two, and what was wrong with its tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from math import fsum

from referee.rules import Rules, possible_points
from tournaments.compare.designs import Pairing
from tournaments.figures import table_figures
from tournaments.results import UNPLAYED, FaultRow, TableResult
from tournaments.schedule import EntrantId, Table


class LeftOut(Enum):
    """Why a block is not judged. Neither depends on how well the two play."""

    VOID = "void"
    """We broke a table of it, every time it was begun."""
    THIRD = "third"
    """The third at the table forfeited."""


@dataclass(frozen=True, slots=True)
class BlockScore:
    """What came of a block."""

    difference: float | None
    """Points a deal by which the first was ahead of the second, in the mean over seats (over pairs
    at tables of four); ``None`` if the block is left out."""
    left_out: LeftOut | None = None
    tables: int = 0
    deals: int = 0
    """How many deals were played at its tables, or bid where that told all."""
    played_out: int = 0
    """For how many of them tiles were asked for: fewer where tables share what they have in
    common."""
    differs: bool | None = None
    """Whether its auctions differ; ``None`` where its tables were played by themselves."""
    forfeits: Counter[EntrantId] = field(default_factory=Counter)
    """By entrant: how many tables it forfeited."""
    fault_rows: list[FaultRow] = field(default_factory=list)
    """All faults, those that forfeited included, in the order of the tables."""

    @property
    def faults(self) -> Counter[EntrantId]:
        """By entrant: how many faults it made."""
        return Counter(fault.entrant for fault in self.fault_rows)


def score_block(
    rules: Rules, pairing: Pairing, results: Sequence[TableResult | None]
) -> BlockScore:
    """Returns what a block says of *pairing*.

    A table that was bid and not played comes to nothing: its points cancel with those of others.
    A table that one of the two forfeits counts as if each of its deals had gone as badly for that
    one as the rules let it, however it stood: playing on can never have cost more. A block with a
    void table, or one that the third forfeited, is left out.

    Args:
        rules: The rules.
        pairing: Who is compared.
        results: What became of each table; ``None`` if it is void.
    """
    played = [result for result in results if result is not None]
    offenders = [result.offender for result in played if result.offender is not None]
    left_out = None
    if len(played) < len(results):
        left_out = LeftOut.VOID
    elif any(_sign(pairing, who) == 0 for who in offenders):
        left_out = LeftOut.THIRD
    deals = [_deals_of(result) for result in played]
    sharing = [result.sharing for result in played if result.sharing]
    return BlockScore(
        difference=None if left_out else _difference(rules, pairing, played),
        left_out=left_out,
        tables=len(results),
        deals=sum(bid for bid, _ in deals),
        played_out=sum(alone for _, alone in deals),
        differs=any(each.differs for each in sharing) if sharing else None,
        forfeits=Counter(offenders),
        fault_rows=[fault for result in played for fault in result.faults],
    )


def _difference(rules: Rules, pairing: Pairing, results: Sequence[TableResult]) -> float:
    """Returns by how many points a deal the first is ahead, in the mean over its seats."""
    parts: list[float] = []
    seats = 0
    for result in results:
        signs = tuple(_sign(pairing, who) for who in result.seats[: rules.side_count])
        seats += signs.count(1)
        if result.ending == UNPLAYED:
            continue
        if result.offender is not None:
            sign = _sign(pairing, result.offender)
            parts.append(sign * worst_deal(rules, tuple(sign * each for each in signs)))
            continue
        deals, _ = _deals_of(result)
        rows = zip(signs, result.scores, strict=True)
        parts += [each * points / deals for each, points in rows]
    # The sum is exact, so that what cancels is 0, in whatever order the tables stand.
    return fsum(parts) / seats + 0.0


def one_deal_more(rules: Rules, pairing: Pairing, tables: Sequence[Table], deals: int) -> float:
    """Returns by how much one deal may move the score of a block, in points a deal.

    That is the largest number of points that the first may win or lose of itself, a moon where
    points are counted, at one of the seats that it has in the block.

    Args:
        rules: The rules.
        pairing: Who is compared.
        tables: Those of a block.
        deals: How many a match has.
    """
    seats = sum(table.seats[: rules.side_count].count(pairing.first) for table in tables)
    return largest_deal(rules) / (seats * deals)


@lru_cache(maxsize=256)
def largest_deal(rules: Rules) -> int:
    """Returns the most points that a deal can bring a side, or cost it.

    >>> largest_deal(Rules())  # a moon
    21
    """
    return max(max(map(abs, points)) for points in possible_points(rules))


@lru_cache(maxsize=256)
def worst_deal(rules: Rules, signs: tuple[int, ...]) -> int:
    """Returns the fewest points that a deal can bring, added up with these *signs* by side.

    >>> worst_deal(Rules(), (1, -1, 0))  # its moon is set, and the other has all tricks
    -28
    """
    return min(
        sum(sign * won for sign, won in zip(signs, points, strict=True))
        for points in possible_points(rules)
    )


def _deals_of(result: TableResult) -> tuple[int, int]:
    """Returns how many deals were bid at a table, and for how many of them tiles were asked for."""
    if result.sharing is not None:
        return result.sharing.bid, result.sharing.played_out
    deals = table_figures(result.record).deals
    return deals, deals


def _sign(pairing: Pairing, who: EntrantId) -> int:
    return (who == pairing.first) - (who == pairing.second)
