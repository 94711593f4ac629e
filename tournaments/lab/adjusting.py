"""Scores less the luck of the deal, and how much surer that makes them (RATING.md 6.7)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from referee.errors import ConfigError
from referee.match.lines import record_lines
from referee.rules import Hand, Rules
from tournaments.evidence.luck import TENTHS, LuckTerms, luck
from tournaments.rating import teams_at
from tournaments.results import TableResult
from tournaments.schedule import EntrantId


@lru_cache(maxsize=1 << 14)
def _mask(hand: str) -> int:
    return Hand.parse(hand).mask


@dataclass(slots=True)
class _Sums:
    """Sums of scores and luck over tables, or over blocks: whole numbers, so of any order."""

    count: int = 0
    score: int = 0
    luck: int = 0
    score_squares: int = 0
    luck_squares: int = 0
    products: int = 0

    def add(self, score: int, dealt: int) -> None:
        self.count += 1
        self.score += score
        self.luck += dealt
        self.score_squares += score * score
        self.luck_squares += dealt * dealt
        self.products += score * dealt

    def about_mean(self) -> tuple[int, int, int]:
        """Returns the sums of squares and products about the means, times the count."""
        n = self.count
        return (
            n * self.score_squares - self.score**2,
            n * self.luck_squares - self.luck**2,
            n * self.products - self.score * self.luck,
        )


_BySize: TypeAlias = dict[tuple[str, int], _Sums]
"""By entrant, and by how many tables each sum is of."""


class _Begun:
    """What an entrant has of a block so far."""

    def __init__(self, sides: int) -> None:
        self.score = self.luck = 0
        self.tables = [0] * sides
        """By side: at how many tables it sat there."""

    @property
    def is_complete(self) -> bool:
        """Whether it held every hand equally often; in a gauntlet the field does so twice."""
        return len(set(self.tables)) == 1


class Adjusted:
    """What everybody scored, and would have scored with average hands, as far as luck is counted.

    The adjusted score of a table is the score less the coefficient times the luck of all hands that
    were dealt there. It has the mean of the plain score, whatever the coefficient. In a complete
    block of matches of equally many deals luck cancels: everybody held every hand.
    """

    def __init__(self, rules: Rules, terms: LuckTerms) -> None:
        """Makes sums of nothing."""
        self.terms = terms
        self._rules = rules
        self._unit = TENTHS * rules.players
        self._deals: dict[str, int] = {}
        self._tables: _BySize = {}
        self._blocks: _BySize = {}
        self._open: dict[str, _Begun] = {}
        self._block = -1

    def watch(self, results: Iterable[TableResult]) -> Iterator[TableResult]:
        """Yields *results*, which come in schedule order with their records, and takes each.

        Raises:
            ConfigError: if partners change in the run.
        """
        for result in results:
            self.take(result)
            yield result
        self._close()

    def take(self, result: TableResult) -> None:
        """Takes one table.

        Raises:
            ConfigError: if partners change in the run, so that a side is no entrant.
        """
        if any(len(team) > 1 for team in teams_at(result.seats, self._rules.side_count)):
            problem = "is adjusted for sides that stay, and partners change in this run"
            raise ConfigError(
                None, "luck", f"{problem}, as at table {result.id}; its standings have plain points"
            )
        if result.block != self._block:
            self._close()
            self._block = result.block
        dealt = [0] * self._rules.side_count
        _, lines = record_lines(result.record)
        for line in lines:
            for seat, each in enumerate(luck(self._rules, list(map(_mask, line.hands)))):
                dealt[self._rules.side_of(seat)] += each
        for side, (score, lucky) in enumerate(zip(result.scores, dealt, strict=True)):
            entrant = result.seats[side]
            self._deals[entrant] = self._deals.get(entrant, 0) + len(lines)
            self._tables.setdefault((entrant, 1), _Sums()).add(score, lucky)
            if (begun := self._open.get(entrant)) is None:
                begun = self._open[entrant] = _Begun(self._rules.side_count)
            begun.score += score
            begun.luck += lucky
            begun.tables[side] += 1

    def _close(self) -> None:
        for entrant, begun in self._open.items():
            if begun.is_complete:
                size = sum(begun.tables)
                self._blocks.setdefault((entrant, size), _Sums()).add(begun.score, begun.luck)
        self._open = {}

    @property
    def entrants(self) -> tuple[str, ...]:
        """Everybody whose luck is counted, by name."""
        return tuple(sorted(self._deals))

    def points_per_deal(self, entrant: EntrantId | str) -> float | None:
        """Returns the adjusted points a deal of *entrant*, ``None`` without deals."""
        if not (deals := self._deals.get(entrant, 0)):
            return None
        sums = self._tables[entrant, 1]
        return (sums.score - self.terms.coefficient * sums.luck / self._unit) / deals

    def luck_per_deal(self, entrant: EntrantId | str) -> float | None:
        """Returns the tricks a deal that *entrant* was dealt beyond the mean of its tables."""
        if not (deals := self._deals.get(entrant, 0)):
            return None
        return self._tables[entrant, 1].luck / self._unit / deals

    @property
    def saved_of_tables(self) -> float | None:
        """The share of the variance of single tables that is gone, ``None`` without any."""
        return self._saved(self._tables)

    @property
    def saved_of_blocks(self) -> float | None:
        """The share of the variance of complete blocks that is gone, ``None`` without any.

        A block is complete for whoever held every hand of it equally often.
        """
        return self._saved(self._blocks)

    @property
    def best_coefficient(self) -> float | None:
        """What would have saved most at these tables: for a *later* tournament, never for this."""
        _, luck_squares, products = self._pooled(self._tables)
        return products / luck_squares * self._unit if luck_squares else None

    def _pooled(self, found: _BySize) -> tuple[float, float, float]:
        """Returns squares and products about the mean of each entrant, a table, added up by name.

        Blocks of more tables are apart, for their sums have another mean.
        """
        totals = [0.0, 0.0, 0.0]
        for (_, size), sums in sorted(found.items(), key=lambda each: each[0]):
            for at, value in enumerate(sums.about_mean()):
                totals[at] += value / (sums.count * size * size)
        return totals[0], totals[1], totals[2]

    def _saved(self, found: _BySize) -> float | None:
        plain, luck_squares, products = self._pooled(found)
        if not plain:
            return None
        c = self.terms.coefficient / self._unit
        return (2 * c * products - c * c * luck_squares) / plain
