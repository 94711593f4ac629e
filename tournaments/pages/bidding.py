"""How well the bids of a run fitted what was taken: by entrant and level, counted from records.

Counted is what the bidding laboratory counts too: no deal in which a choice was made in a bot's
place, and a contract that somebody was forced to apart from one that was bid freely.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from referee.match.lines import ContractLevel
from referee.rules import TRICKS, Rules
from referee.rules.scoring import needed_tricks
from tournaments.pages.steps import bid_word
from tournaments.pages.told import Told
from tournaments.schedule import EntrantId


@dataclass(slots=True)
class LevelCounts:
    """The contracts of one level."""

    made: int = 0
    played: int = 0
    tricks: Counter[int] = field(default_factory=Counter)
    """By tricks taken: how often; contracts of which it is not known are left out."""

    @property
    def share(self) -> float | None:
        """The share that was made, or ``None`` if none was played."""
        return self.made / self.played if self.played else None

    @property
    def mean(self) -> float | None:
        """The mean of the tricks taken, or ``None`` if it is not known of any."""
        total = self.tricks.total()
        return sum(n * count for n, count in self.tricks.items()) / total if total else None

    def part(self, tricks: int) -> float:
        """Returns the share of the contracts in which so many tricks were taken."""
        total = self.tricks.total()
        return self.tricks[tricks] / total if total else 0.0


@dataclass(frozen=True, slots=True)
class BiddingTable:
    """How bids and tricks fit together."""

    rules: Rules
    levels: tuple[ContractLevel, ...]
    """Those that were played, ascending."""
    total: dict[ContractLevel, LevelCounts]
    """By level: everybody's contracts."""
    entrants: dict[EntrantId, dict[ContractLevel, LevelCounts]]
    """By entrant, then by level."""
    left_out: int
    """Contracts of deals in which a choice was made in a bot's place."""

    def needed(self, level: ContractLevel) -> int:
        """Returns how many tricks make a contract; 8 if none can."""
        return needed_tricks(self.rules, level.bid)

    @property
    def tricks(self) -> range:
        """The numbers of tricks that can be taken."""
        return range(TRICKS + 1)

    def title(self, level: ContractLevel) -> str:
        """Returns a level as people say it."""
        return f"{bid_word(level.bid)}{' forced' * level.is_forced}"


class BiddingTally:
    """Counts the contracts of a run, table by table."""

    def __init__(self, rules: Rules) -> None:
        """Begins without any."""
        self._rules = rules
        self._left_out = 0
        self._levels: dict[EntrantId, dict[ContractLevel, LevelCounts]] = {}

    def take(self, seats: Sequence[EntrantId], told: Told) -> None:
        """Counts the contracts of one table."""
        for contract in told.contracts():
            if not contract.deal.is_own:
                self._left_out += 1
                continue
            levels = self._levels.setdefault(seats[contract.seat], {})
            level = levels.setdefault(contract.level, LevelCounts())
            level.played += 1
            level.made += contract.made
            if contract.tricks is not None:
                level.tricks[contract.tricks] += 1

    def table(self, order: Sequence[EntrantId]) -> BiddingTable:
        """Returns what was counted, the entrants in this *order*."""
        total: dict[ContractLevel, LevelCounts] = {}
        for levels in self._levels.values():
            for key, level in levels.items():
                sums = total.setdefault(key, LevelCounts())
                sums.made += level.made
                sums.played += level.played
                sums.tricks.update(level.tricks)
        return BiddingTable(
            self._rules,
            tuple(sorted(total)),
            total,
            {name: self._levels.get(name, {}) for name in order},
            self._left_out,
        )
