"""What a block says: the difference between the two, and what was wrong with its tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from math import fsum

from referee.match import Ending
from referee.rules import Rules
from tournaments.compare.designs import Pairing
from tournaments.figures import table_figures
from tournaments.results import UNPLAYED, FaultRow, TableResult
from tournaments.schedule import EntrantId

FORFEIT_COST = 7.0
"""Points a deal that a table costs whoever forfeits it: those of a bid of seven that is set."""


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
    A table that one of the two forfeits counts `FORFEIT_COST` against that one and nothing for the
    others, however it stood. A block with a void table, or one that the third forfeited, is left
    out.

    Args:
        rules: The rules.
        pairing: Who is compared.
        results: What became of each table; ``None`` if it is void.
    """
    score = BlockScore(None)
    parts: list[float] = []
    left_out = LeftOut.VOID if None in results else None
    deals = played_out = 0
    for result in results:
        if result is None:
            continue
        score.fault_rows.extend(result.faults)
        played, alone = _deals_of(result)
        deals, played_out = deals + played, played_out + alone
        if result.ending == UNPLAYED:
            continue
        offender = _offender(result)
        if offender is None:
            rows = zip(_sides(rules, result), result.scores, strict=True)
            parts += [_sign(pairing, who) * points / played for who, points in rows]
            continue
        score.forfeits[offender] += 1
        parts.append(-FORFEIT_COST * _sign(pairing, offender))
        if _sign(pairing, offender) == 0:
            left_out = left_out or LeftOut.THIRD
    # The sum is exact, so that what cancels is 0, in whatever order the tables stand.
    seats = sum(
        who == pairing.first for result in results if result for who in _sides(rules, result)
    )
    difference = None if left_out else fsum(parts) / seats + 0.0
    sharing = [result.sharing for result in results if result and result.sharing]
    return BlockScore(
        difference,
        left_out,
        len(results),
        deals,
        played_out,
        any(each.differs for each in sharing) if sharing else None,
        score.forfeits,
        score.fault_rows,
    )


def _deals_of(result: TableResult) -> tuple[int, int]:
    """Returns how many deals were bid at a table, and for how many of them tiles were asked for."""
    if result.sharing is not None:
        return result.sharing.bid, result.sharing.played_out
    deals = table_figures(result.record).deals
    return deals, deals


def _sides(rules: Rules, result: TableResult) -> tuple[EntrantId, ...]:
    return result.seats[: rules.side_count]


def _offender(result: TableResult) -> EntrantId | None:
    """Returns who forfeited, if anybody did."""
    if result.ending != Ending.FORFEIT.value:
        return None
    return next(fault.entrant for fault in reversed(result.faults) if not fault.substitute)


def _sign(pairing: Pairing, who: EntrantId) -> int:
    return (who == pairing.first) - (who == pairing.second)
