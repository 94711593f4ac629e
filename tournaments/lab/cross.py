"""Every bidding half with every play half: what each is worth, and whether they only add up.

A block is one sequence of deals, at which every split of the bots in turn sits in every seat,
between rivals that are the same for all. The value of a split is its net points a deal, the mean
over its tables. In each block the values make a grid, a row for each bot that bids and a column
for each that plays, which is taken apart as usual in an analysis of two ways:

    value = mean + effect of the bidding half + effect of the play half + interaction

Every part is a fixed combination of values on the same deals, so a block is one observation of it,
and the interval of block scores (`Tally.interval`) holds for it, by itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from math import fsum
from typing import TypeAlias

from referee.rules import Rules
from tournaments.evidence import Tally
from tournaments.figures import table_figures
from tournaments.lab.reading import net_range
from tournaments.results import Arrivals, FaultRow, TableResult
from tournaments.schedule import Block, EntrantId, Schedule, Table

Matrix: TypeAlias = tuple[tuple[float, ...], ...]
"""By bidding half, then by play half."""
Splits: TypeAlias = tuple[tuple[EntrantId, ...], ...]
"""By bidding half, then by play half: the entrant."""


class Untold(Enum):
    """Why a block tells nothing."""

    VOID = "void"
    """We broke it, every time it was begun."""
    RIVAL = "rival"
    """A rival forfeited a table of it."""


@dataclass(frozen=True, slots=True)
class Parts:
    """A grid of values, taken apart. All effects of a kind add up to 0."""

    mean: float
    bidding: tuple[float, ...]
    """By bidding half: its effect."""
    play: tuple[float, ...]
    """By play half: its effect."""
    interaction: Matrix

    @classmethod
    def of(cls, values: Matrix) -> Parts:
        """Returns the parts of *values*.

        >>> parts = Parts.of(((3.0, 1.0), (1.0, -1.0)))
        >>> parts.mean, parts.bidding, parts.play, parts.interaction
        (1.0, (1.0, -1.0), (1.0, -1.0), ((0.0, 0.0), (0.0, 0.0)))
        """
        size = len(values)
        rows = [fsum(row) / size for row in values]
        columns = [fsum(column) / size for column in zip(*values, strict=True)]
        mean = fsum(rows) / size
        interaction = tuple(
            tuple(fsum((value, -rows[i], -columns[j], mean)) + 0.0 for j, value in enumerate(row))
            for i, row in enumerate(values)
        )
        bidding = tuple(row - mean for row in rows)
        return cls(mean, bidding, tuple(column - mean for column in columns), interaction)


def cross_schedule(splits: Splits, rival: EntrantId, *, blocks: int, seats: int) -> Schedule:
    """Returns so many blocks, in each of which every split sits once in every seat.

    With four players a split is a pair, and so are the rivals: every split sits once on each side.
    The blocks of a shorter schedule are the first ones of a longer one.
    """
    everybody = [split for row in splits for split in row]
    sides = 2 if seats == 4 else seats
    made: list[Block] = []
    for number in range(blocks):
        tables: list[Table] = []
        for split in everybody:
            for side in range(sides):
                sitting = tuple(split if seat % sides == side else rival for seat in range(seats))
                lane = len(tables)
                first = number * len(everybody) * sides
                tables.append(Table(first + lane, number, lane, sitting))
        made.append(Block(number, number, "0", tuple(tables)))
    return Schedule((*everybody, rival), tuple(made))


class Cross:
    """The values of all splits, block by block in the order of the schedule.

    Attributes:
        splits: Who is measured.
        values: By bidding half, then by play half: net points a deal.
        bidding: By bidding half: its effect.
        play: By play half: its effect.
        interaction: By bidding half, then by play half.
        mean: The mean of all values.
        untold: By reason: blocks that tell nothing.
        forfeits: By entrant: tables that it forfeited.
        faults: By entrant and kind.
        first_faults: By entrant and kind: the first of them, in the order of the tables.
        wanted: How many blocks there are to be.
        deals: How many deals were played at the tables of the blocks.
        asked: For how many of them tiles were asked for.
    """

    def __init__(self, rules: Rules, schedule: Schedule, splits: Splits) -> None:
        """Prepares to take blocks.

        Args:
            rules: What is played.
            schedule: The blocks, as `cross_schedule` lays them out.
            splits: Who is measured.
        """
        size = len(splits)
        self.splits = splits
        self.values = [[Tally() for _ in range(size)] for _ in range(size)]
        self.interaction = [[Tally() for _ in range(size)] for _ in range(size)]
        self.bidding = [Tally() for _ in range(size)]
        self.play = [Tally() for _ in range(size)]
        self.mean = Tally()
        self.untold: Counter[Untold] = Counter()
        self.forfeits: Counter[EntrantId] = Counter()
        self.faults: Counter[tuple[EntrantId, str]] = Counter()
        self.first_faults: dict[tuple[EntrantId, str], FaultRow] = {}
        self.wanted = len(schedule.blocks)
        self.deals = self.asked = 0
        self._sides = rules.side_count
        self._worst = net_range(rules)[0] / (rules.side_count - 1)
        self._arrivals = Arrivals(schedule.blocks)

    @property
    def blocks(self) -> int:
        """How many blocks were taken that tell something."""
        return self.mean.blocks

    @property
    def taken(self) -> int:
        """How many blocks were taken, with those that tell nothing."""
        return self.blocks + self.untold.total()

    @property
    def is_over(self) -> bool:
        """Whether all blocks were taken."""
        return self._arrivals.block is None

    def take(self, results: Iterable[TableResult], void: Iterable[TableResult] = ()) -> None:
        """Takes tables in any order; a block counts once it and all before it are there.

        Args:
            results: Tables that were played.
            void: Tables that will not be: we broke them every time.
        """
        self._arrivals.add(results, void)
        while (tables := self._arrivals.complete()) is not None:
            self._take(tables)
            self._arrivals.advance()

    def _take(self, results: Sequence[TableResult | None]) -> None:
        played = [result for result in results if result is not None]
        for result in played:
            for fault in result.faults:
                self.faults[fault.entrant, fault.kind] += 1
                self.first_faults.setdefault((fault.entrant, fault.kind), fault)
            deals = table_figures(result.record).deals
            self.deals += deals
            self.asked += deals if result.sharing is None else result.sharing.played_out
        offenders = [result.offender for result in played if result.offender is not None]
        self.forfeits.update(offenders)
        if len(played) < len(results):
            self.untold[Untold.VOID] += 1
            return
        everybody = {split for row in self.splits for split in row}
        if not everybody.issuperset(offenders):
            self.untold[Untold.RIVAL] += 1
            return
        self._add(self._matrix(played))

    def _matrix(self, results: Sequence[TableResult]) -> Matrix:
        """Returns the values in a block: of each split the mean over its tables."""
        found: dict[EntrantId, list[float]] = {split: [] for row in self.splits for split in row}
        for result in results:
            sides = result.seats[: self._sides]
            [place] = [side for side, who in enumerate(sides) if who in found]
            found[sides[place]].append(self._net(result, place))
        return tuple(
            tuple(fsum(found[split]) / len(found[split]) + 0.0 for split in row)
            for row in self.splits
        )

    def _net(self, result: TableResult, place: int) -> float:
        """Returns the points a deal of the side at *place* less the mean of the other sides'.

        If it forfeited: the worst that the rules let a deal be, so that playing on never costs
        more.
        """
        if result.offender is not None:
            return self._worst
        own = result.scores[place]
        others = sum(result.scores) - own
        deals = table_figures(result.record).deals
        return (own - others / (len(result.scores) - 1)) / deals

    def _add(self, values: Matrix) -> None:
        parts = Parts.of(values)
        self.mean.add(parts.mean)
        for tallies, numbers in (
            (self.bidding, parts.bidding),
            (self.play, parts.play),
            *zip(self.values, values, strict=True),
            *zip(self.interaction, parts.interaction, strict=True),
        ):
            for tally, number in zip(tallies, numbers, strict=True):
                tally.add(number)
