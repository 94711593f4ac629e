"""Standings: a function of the stored results, in schedule order, and of nothing else.

Whatever was measured stands apart, in `EntrantFigures.times` and `Standings.overhead`; all else is
the same to the last bit for the same results, whatever the order in which they were played.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import fsum, sqrt

from referee.rules import Rules
from tournaments.figures import Contracts, table_figures
from tournaments.rating import Block, Game, RankTable, rank_table, rate
from tournaments.rating.student import student_quantile
from tournaments.results import TableResult
from tournaments.schedule import EntrantId, Schedule
from tournaments.timing import OverheadTimes, Times, read_times


@dataclass(slots=True)
class SeatFigures:
    """How an entrant did in one seat."""

    tables: int = 0
    deals: int = 0
    score: int = 0

    @property
    def points_per_deal(self) -> float | None:
        """The mean score of a deal, or ``None`` without deals."""
        return self.score / self.deals if self.deals else None


@dataclass(slots=True)
class EntrantFigures:
    """What the records say about one entrant."""

    tables: int = 0
    deals: int = 0
    score: int = 0
    """The sum of its final scores."""
    places: Counter[int] = field(default_factory=Counter)
    """By place: how often."""
    contracts: Contracts = field(default_factory=Contracts)
    faults: Counter[str] = field(default_factory=Counter)
    """By kind: how many."""
    forfeits: int = 0
    seats: tuple[SeatFigures, ...] = ()
    """By seat; a pair is counted at the lower of its two."""
    times: Times = field(default_factory=Times)
    """Measured: what its answers were charged."""

    @property
    def points_per_deal(self) -> float | None:
        """The mean score of a deal, or ``None`` without deals."""
        return self.score / self.deals if self.deals else None


@dataclass(frozen=True, slots=True)
class Versus:
    """How one entrant did against another, over the tables at which both sat."""

    entrant: EntrantId
    other: EntrantId
    tables: int
    ahead: int
    """At how many tables it took the better place."""
    level: int
    blocks: int
    difference: float | None
    """Points a deal by which it was ahead: the mean over blocks; ``None`` if they never met."""
    low: float | None
    """Lower end of the 95 % interval over blocks; ``None`` with fewer than two blocks."""
    high: float | None
    """Upper end of that interval."""


@dataclass(frozen=True, slots=True)
class Standings:
    """The standings of a run."""

    ranks: RankTable
    figures: dict[EntrantId, EntrantFigures]
    played: int
    scheduled: int
    overhead: OverheadTimes
    """Measured: what the questions took on their way."""


class Results:
    """The results of a run, made ready for every table that is drawn from them."""

    def __init__(self, rules: Rules, schedule: Schedule, results: Iterable[TableResult]) -> None:
        """Reads *results*, which are in schedule order and hold no void table."""
        self.rules = rules
        self.schedule = schedule
        self.figures = {
            entrant: EntrantFigures(seats=tuple(SeatFigures() for _ in range(rules.side_count)))
            for entrant in schedule.entrants
        }
        self.played = 0
        self.overhead = OverheadTimes()
        self._games: dict[int, list[Game]] = {}
        self._meetings: dict[tuple[EntrantId, EntrantId], _Meetings] = {}
        for result in results:
            self._take(result)

    def standings(self, progress: Callable[[int, int], None] | None = None) -> Standings:
        """Returns the standings.

        Args:
            progress: Told how many replicates of the intervals are done, and of how many.
        """
        cells = {block.number: block.cell for block in self.schedule.blocks}
        blocks = [Block(cells[number], tuple(games)) for number, games in self._games.items()]
        ranks = rank_table(blocks, entrants=self.schedule.entrants, progress=progress)
        scheduled = len(self.schedule.tables)
        return Standings(ranks, self.figures, self.played, scheduled, self.overhead)

    def order(self) -> list[EntrantId]:
        """Returns everybody as the standings list them, without the cost of their intervals."""
        games = [game for block in self._games.values() for game in block]
        return [EntrantId(row.entrant) for row in rate(games, entrants=self.schedule.entrants)]

    def versus(self, entrant: EntrantId, other: EntrantId) -> Versus:
        """Returns how *entrant* did against *other*."""
        meetings = self._meetings.get((entrant, other), _Meetings())
        return meetings.versus(entrant, other)

    def _take(self, result: TableResult) -> None:
        self.played += 1
        rules = self.rules
        sides = result.seats[: rules.side_count]
        figures = table_figures(result.record)
        times = read_times(result.timings)
        self.overhead.add(times)
        self._games.setdefault(result.block, []).append(Game.of(sides, result.places))
        for side, entrant in enumerate(sides):
            row, place = self.figures[entrant], result.places[side]
            row.tables += 1
            row.deals += figures.deals
            row.score += result.scores[side]
            row.places[place] += 1
            seat_row = row.seats[side]
            seat_row.tables += 1
            seat_row.deals += figures.deals
            seat_row.score += result.scores[side]
            for other_side, other in enumerate(sides):
                if other_side != side:
                    meetings = self._meetings.setdefault((entrant, other), _Meetings())
                    meetings.add(
                        result.block,
                        place - result.places[other_side],
                        (result.scores[side] - result.scores[other_side]) / figures.deals,
                    )
        for seat, entrant in enumerate(result.seats):
            self.figures[entrant].contracts.add(figures.contracts[seat])
            self.figures[entrant].times.add(Times.from_json(times.seats[seat]))
        for fault in result.faults:
            row = self.figures[fault.entrant]
            row.faults[fault.kind] += 1
            row.forfeits += not fault.substitute


class _Meetings:
    """The tables at which two entrants sat together."""

    def __init__(self) -> None:
        self._tables = 0
        self._ahead = 0
        self._level = 0
        self._differences: dict[int, list[float]] = {}

    def add(self, block: int, places: int, difference: float) -> None:
        self._tables += 1
        self._ahead += places < 0
        self._level += places == 0
        self._differences.setdefault(block, []).append(difference)

    def versus(self, entrant: EntrantId, other: EntrantId) -> Versus:
        means = [fsum(block) / len(block) for block in self._differences.values()]
        mean = fsum(means) / len(means) if means else None
        low, high = _interval(means)
        return Versus(
            entrant, other, self._tables, self._ahead, self._level, len(means), mean, low, high
        )


def _interval(means: Sequence[float]) -> tuple[float | None, float | None]:
    """Returns the 95 % interval of the mean of *means*, one for each block (Student's t)."""
    count = len(means)
    if count < 2:
        return None, None
    mean = fsum(means) / count
    variance = fsum((each - mean) ** 2 for each in means) / (count - 1)
    half = student_quantile(0.95, count - 1) * sqrt(variance / count)
    return mean - half, mean + half
