"""Standings: a function of the stored results and of nothing else.

Whatever was measured stands apart, in `EntrantFigures.times` and `Standings.overhead`; all else is
the same to the last bit for the same results, whatever the order in which they were played.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import fsum, sqrt
from typing import NamedTuple

from referee.match import Ending
from referee.rules import Rules
from tournaments.figures import Contracts, read_figures, table_figures
from tournaments.rating import Block, Game, Outcome, RankTable, Rating, rank_table, rate
from tournaments.rating.opinions import PlayedGame, SecondOpinions, second_opinions
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

    def turned(self) -> Versus:
        """Returns the same as the other of the two sees it."""
        behind = self.tables - self.ahead - self.level
        return Versus(
            self.other, self.entrant, self.tables, behind, self.level, self.blocks,
            _minus(self.difference), _minus(self.high), _minus(self.low),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Standings:
    """The standings of a run."""

    ranks: RankTable
    figures: dict[EntrantId, EntrantFigures]
    played: int
    scheduled: int
    overhead: OverheadTimes
    """Measured: what the questions took on their way."""


class _Row(NamedTuple):
    """What is kept of a table, beside who sat there."""

    block: int
    scores: tuple[int, ...]
    places: tuple[int, ...]
    deals: int
    is_forfeited: bool


Sides = tuple[EntrantId, ...]


class Results:
    """The results of a run, made ready for every table that is drawn from them.

    They may come in any order and at any time: what is said of them is the same to the last bit.
    """

    def __init__(
        self,
        rules: Rules,
        schedule: Schedule,
        rounds: int,
        results: Iterable[TableResult] = (),
    ) -> None:
        """Takes *results*, of which none is void.

        Args:
            rules: Those of every match.
            schedule: What is played again and again.
            rounds: How often.
            results: Tables that are played; see `take`.
        """
        self.entrants = schedule.entrants
        self.played = 0
        self.scheduled = rounds * len(schedule.tables)
        self.overhead = OverheadTimes()
        self._figures = {
            entrant: EntrantFigures(seats=tuple(SeatFigures() for _ in range(rules.side_count)))
            for entrant in schedule.entrants
        }
        self._side_count = rules.side_count
        self._cells = tuple(block.cell for block in schedule.blocks)
        self._rows: dict[Sides, list[_Row]] = {}
        self._new: dict[Sides, list[_Row]] = {}
        self._meetings: dict[tuple[EntrantId, EntrantId], _Meetings] = {}
        for result in results:
            self.take(result)

    def take(self, result: TableResult) -> None:
        """Takes one more table, of which the record may be left out if its figures are there."""
        self.played += 1
        figures = read_figures(result.figures) if result.figures else table_figures(result.record)
        sides = result.seats[: self._side_count]
        if (new := self._new.get(sides)) is None:
            new = self._new[sides] = []
        is_forfeited = result.ending == Ending.FORFEIT
        new.append(_Row(result.block, result.scores, result.places, figures.deals, is_forfeited))
        for seat, level, made, failed in figures.played:
            self._figures[result.seats[seat]].contracts.count(level, made, failed)
        if result.timings:
            times = read_times(result.timings)
            self.overhead.add(times)
            for seat, entrant in enumerate(result.seats):
                self._figures[entrant].times.add(times.seats[seat])
        for fault in result.faults:
            row = self._figures[fault.entrant]
            row.faults[fault.kind] += 1
            row.forfeits += not fault.substitute

    @property
    def figures(self) -> dict[EntrantId, EntrantFigures]:
        """By entrant: what the tables that were taken say."""
        self._count_new()
        return self._figures

    def standings(self, progress: Callable[[int, int], None] | None = None) -> Standings:
        """Returns the standings.

        Args:
            progress: Told how many replicates of the intervals are done, and of how many.
        """
        figures, cells = self.figures, self._cells
        games: dict[int, list[Game]] = {}
        for sides, rows in self._rows.items():
            # Equal games are one object, so that there are few to look into.
            known = {places: Game.of(sides, places) for places in {row.places for row in rows}}
            for block, _, places, _, _ in rows:
                games.setdefault(block, []).append(known[places])
        blocks = [Block(cells[n % len(cells)], tuple(each)) for n, each in games.items()]
        ranks = rank_table(blocks, entrants=self.entrants, progress=progress)
        return Standings(ranks, figures, self.played, self.scheduled, self.overhead)

    def ratings(self) -> tuple[Rating, ...]:
        """Returns everybody as the standings list them, without the cost of their intervals."""
        self._count_new()
        counts: Counter[Outcome] = Counter()
        for sides, rows in self._rows.items():
            for places, count in Counter(row.places for row in rows).items():
                counts[Game.of(sides, places).outcome] += count
        return rate(counts, entrants=self.entrants)

    def order(self) -> list[EntrantId]:
        """Returns the names of everybody in the order of the standings."""
        return [EntrantId(row.entrant) for row in self.ratings()]

    def opinions(self, order: Sequence[str]) -> SecondOpinions:
        """Returns whether the ranking *order* would be another if it were made otherwise."""
        games: list[PlayedGame] = []
        points = {str(name): row.points_per_deal for name, row in self.figures.items()}
        for sides, rows in self._rows.items():
            known = {places: Game.of(sides, places) for places in {row.places for row in rows}}
            games += [PlayedGame(row.block, known[row.places], row.is_forfeited) for row in rows]
        return second_opinions(games, order, points)

    def versus(self, entrant: EntrantId, other: EntrantId) -> Versus:
        """Returns how *entrant* did against *other*."""
        self._count_new()
        if not self._meetings:
            self._meet()
        if (meetings := self._meetings.get((entrant, other))) is not None:
            return meetings.versus(entrant, other)
        return self._meetings.get((other, entrant), _Meetings()).versus(other, entrant).turned()

    def _count_new(self) -> None:
        """Counts the tables that came since it was done last, those of the same sides together."""
        for sides, rows in self._new.items():
            _, scores, places, deals, _ = zip(*rows, strict=True)
            dealt = sum(deals)
            for side, (points, ranks) in enumerate(
                zip(zip(*scores, strict=True), zip(*places, strict=True), strict=True)
            ):
                row = self._figures[sides[side]]
                row.places.update(ranks)
                for each in (row, row.seats[side]):
                    each.tables += len(rows)
                    each.deals += dealt
                    each.score += sum(points)
            self._rows.setdefault(sides, []).extend(rows)
        if self._new:
            self._new = {}
            self._meetings = {}

    def _meet(self) -> None:
        """Finds who sat with whom."""
        for sides, rows in self._rows.items():
            for one, other in combinations(range(len(sides)), 2):
                met = self._meetings.get((sides[other], sides[one]))
                first, second = (one, other) if met is None else (other, one)
                key = sides[first], sides[second]
                met = self._meetings.setdefault(key, _Meetings())
                for block, scores, places, deals, _ in rows:
                    points = (scores[first] - scores[second]) / deals
                    met.add(block, places[second] - places[first], points)


class _Meetings:
    """The tables at which two entrants sat together, as the first of the two sees them."""

    def __init__(self) -> None:
        self._tables = 0
        self._ahead = 0
        self._level = 0
        self._differences: dict[int, list[float]] = {}

    def add(self, block: int, ahead: int, difference: float) -> None:
        self._tables += 1
        self._ahead += ahead > 0
        self._level += ahead == 0
        self._differences.setdefault(block, []).append(difference)

    def versus(self, entrant: EntrantId, other: EntrantId) -> Versus:
        means = [fsum(block) / len(block) for block in self._differences.values()]
        mean = fsum(means) / len(means) if means else None
        low, high = _interval(means)
        return Versus(
            entrant, other, self._tables, self._ahead, self._level, len(means), mean, low, high
        )


def _minus(value: float | None) -> float | None:
    """Returns the opposite of *value*; that of 0 is 0, without a sign."""
    return None if value is None else 0.0 - value


def _interval(means: Sequence[float]) -> tuple[float | None, float | None]:
    """Returns the 95 % interval of the mean of *means*, one for each block (Student's t)."""
    count = len(means)
    if count < 2:
        return None, None
    mean = fsum(means) / count
    variance = fsum((each - mean) ** 2 for each in means) / (count - 1)
    half = student_quantile(0.95, count - 1) * sqrt(variance / count)
    return mean - half, mean + half
