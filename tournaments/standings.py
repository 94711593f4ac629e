"""Standings: a function of the stored results and of nothing else.

Whatever was measured stands apart, in `EntrantFigures.times` and `Standings.overhead`; all else is
the same to the last bit for the same results, whatever the order in which they were played.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from math import fsum

from referee.match import Ending
from referee.rules import Rules
from tournaments.figures import Contracts, read_figures, table_figures
from tournaments.meetings import Meetings, Partnership, Row, Versus
from tournaments.rating import (
    Block,
    Game,
    Outcome,
    RankTable,
    Rating,
    rank_table,
    rate,
    teams_at,
)
from tournaments.rating.opinions import (
    PlayedGame,
    SecondOpinions,
    WithoutForfeits,
    second_opinions,
    without_forfeits,
)
from tournaments.rating.partners import Meeting, OwnPartner, own_partners
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
    """By seat; who holds two seats of a table is counted at the lower of them."""
    times: Times = field(default_factory=Times)
    """Measured: what its answers were charged."""

    @property
    def points_per_deal(self) -> float | None:
        """The mean score of a deal, or ``None`` without deals."""
        return self.score / self.deals if self.deals else None


@dataclass(frozen=True, slots=True)
class Standings:
    """The standings of a run."""

    ranks: RankTable
    figures: dict[EntrantId, EntrantFigures]
    sides: int
    """How many sides a table has, and so how many places."""
    played: int
    scheduled: int
    overhead: OverheadTimes
    """Measured: what the questions took on their way."""


Seats = tuple[EntrantId, ...]


class Results:
    """The results of a run, made ready for every table that is drawn from them.

    They may come in any order and at any time: what is said of them is the same to the last bit.

    Attributes:
        entrants: Everybody, in the order of the schedule.
        played: How many tables were taken.
        scheduled: How many are to be played.
        overhead: Measured: what the questions took on their way.
        has_partners: Whether two entrants play for one side of some table.
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
        self._side_count = rules.side_count
        self.has_partners = rules.players > rules.side_count and any(
            self._are_partners(table.seats) for table in schedule.tables
        )
        seats = rules.players if self.has_partners else rules.side_count
        self._figures = {
            entrant: EntrantFigures(seats=tuple(SeatFigures() for _ in range(seats)))
            for entrant in schedule.entrants
        }
        self._cells = tuple(block.cell for block in schedule.blocks)
        self._rows: dict[Seats, list[Row]] = {}
        self._new: dict[Seats, list[Row]] = {}
        self._meetings: dict[tuple[EntrantId, EntrantId], Meetings] = {}
        self._together: dict[frozenset[EntrantId], Meetings] = {}
        self._own: dict[str, OwnPartner] | None = None
        for result in results:
            self.take(result)

    def take(self, result: TableResult) -> None:
        """Takes one more table, of which the record may be left out if its figures are there."""
        self.played += 1
        figures = read_figures(result.figures) if result.figures else table_figures(result.record)
        if (new := self._new.get(result.seats)) is None:
            new = self._new[result.seats] = []
        is_forfeited = result.ending == Ending.FORFEIT
        new.append(Row(result.block, result.scores, result.places, figures.deals, is_forfeited))
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
        for seats, rows in self._rows.items():
            # Equal games are one object, so that there are few to look into.
            known = {places: Game.at_table(seats, places) for places in {r.places for r in rows}}
            for block, _, places, _, _ in rows:
                if (game := known[places]) is not None:
                    games.setdefault(block, []).append(game)
        blocks = [Block(cells[n % len(cells)], tuple(each)) for n, each in games.items()]
        ranks = rank_table(blocks, entrants=self.entrants, progress=progress)
        return Standings(
            ranks, figures, self._side_count, self.played, self.scheduled, self.overhead
        )

    def ratings(self) -> tuple[Rating, ...]:
        """Returns everybody as the standings list them, without the cost of their intervals."""
        self._count_new()
        counts: Counter[Outcome] = Counter()
        for seats, rows in self._rows.items():
            for places, count in Counter(row.places for row in rows).items():
                if (game := Game.at_table(seats, places)) is not None:
                    counts[game.outcome] += count
        return rate(counts, entrants=self.entrants)

    def order(self) -> list[EntrantId]:
        """Returns the names of everybody in the order of the standings."""
        return [EntrantId(row.entrant) for row in self.ratings()]

    def opinions(self, order: Sequence[str]) -> SecondOpinions:
        """Returns whether the ranking *order* would be another if it were made otherwise."""
        points = {str(name): row.points_per_deal for name, row in self.figures.items()}
        games = [
            PlayedGame(row.block, game, row.is_forfeited)
            for row, game in self._games()
            if game is not None
        ]
        return second_opinions(games, order, points)

    def without_forfeits(self) -> WithoutForfeits:
        """Returns how everybody would stand without the tables that a forfeit ended."""
        self._count_new()
        return without_forfeits((game, row.is_forfeited) for row, game in self._games())

    def _games(self) -> Iterator[tuple[Row, Game | None]]:
        """Yields every table that was counted, and its game."""
        for seats, rows in self._rows.items():
            known = {places: Game.at_table(seats, places) for places in {r.places for r in rows}}
            for row in rows:
                yield row, known[row.places]

    def versus(self, entrant: EntrantId, other: EntrantId) -> Versus:
        """Returns how *entrant* did against *other*."""
        self._count_new()
        if not self._meetings:
            self._meet()
        if (meetings := self._meetings.get((entrant, other))) is not None:
            return meetings.versus(entrant, other)
        return self._meetings.get((other, entrant), Meetings()).versus(other, entrant).turned()

    def partnership(self, entrant: EntrantId, partner: EntrantId) -> Partnership:
        """Returns how *entrant* did with *partner*, which may be itself."""
        return Partnership(entrant, partner, *self._partners(entrant, partner).figures())

    def own_partner(self, entrant: EntrantId) -> OwnPartner:
        """Returns what it is worth to *entrant* to play with itself, beyond how good it is."""
        self._count_new()
        if self._own is None:
            self._own = own_partners(self._sides()) if self.has_partners else {}
        return self._own.get(entrant, OwnPartner(entrant, None, None, None, 0))

    def _sides(self) -> Iterator[Meeting]:
        """Yields by block how any two sides met."""
        found: dict[tuple[int, tuple[Seats, Seats]], list[float]] = {}
        for seats, rows in self._rows.items():
            one, other = (tuple(sorted(seats[side::2])) for side in range(2))
            sign, sides = (1, (one, other)) if one <= other else (-1, (other, one))
            for block, scores, _, deals, _ in rows:
                points = sign * (scores[0] - scores[1]) / deals
                found.setdefault((block, sides), []).append(points)
        for (block, sides), points_of in found.items():
            yield Meeting(block, sides, fsum(points_of) / len(points_of))

    def _partners(self, entrant: EntrantId, partner: EntrantId) -> Meetings:
        self._count_new()
        if not self._meetings:
            self._meet()
        return self._together.get(frozenset((entrant, partner)), Meetings())

    def _are_partners(self, seats: Seats) -> bool:
        """Returns whether two entrants play for one side of a table."""
        return any(len(team) > 1 for team in teams_at(seats, self._side_count))

    def _count_new(self) -> None:
        """Counts the tables that came since it was done last, those of the same seats together."""
        for seats, rows in self._new.items():
            _, scores, places, deals, _ = zip(*rows, strict=True)
            dealt = sum(deals)
            points = [sum(each) for each in zip(*scores, strict=True)]
            ranks = [*zip(*places, strict=True)]
            for side, team in enumerate(teams_at(seats, self._side_count)):
                for entrant in team:
                    row = self._figures[entrant]
                    row.places.update(ranks[side])
                    for each in (row, row.seats[seats.index(entrant)]):
                        each.tables += len(rows)
                        each.deals += dealt
                        each.score += points[side]
            self._rows.setdefault(seats, []).extend(rows)
        if self._new:
            self._new = {}
            self._meetings = {}
            self._own = None

    def _meet(self) -> None:
        """Finds who sat with whom, and how it went."""
        self._together = {}
        for seats, rows in self._rows.items():
            teams = teams_at(seats, self._side_count)
            for one, other in combinations(range(len(teams)), 2):
                for first, second in product(teams[one], teams[other]):
                    turned = (second, first) in self._meetings
                    met = self._meetings.setdefault(
                        (second, first) if turned else (first, second), Meetings()
                    )
                    met.take(rows, *((other, one) if turned else (one, other)))
            if self.has_partners:
                for side, team in enumerate(teams):
                    met = self._together.setdefault(frozenset(team), Meetings())
                    met.take(rows, side, 1 - side)
