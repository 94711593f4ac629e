"""What became of a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from referee.match import Ending
from tournaments.schedule import Block, EntrantId, TableId


@dataclass(frozen=True, slots=True)
class FaultRow:
    """A fault of a bot, with its place in the match."""

    seat: int
    entrant: EntrantId
    kind: str
    """``timeout``, ``crashed``, ``protocol``, ``illegal`` or ``start``."""
    deal: int
    """The number of the deal, from 0."""
    decision: int
    """The number of the decision in the match, from 1."""
    question: str = ""
    """What was asked, in words, with the legal choices."""
    detail: str = ""
    """What happened, in one line."""
    exit_status: str = ""
    """``exit code 3`` or ``signal SIGSEGV`` when the process ended."""
    stderr_tail: str = ""
    """The last of what the bot wrote to standard error."""
    substitute: str = ""
    """The choice made in the bot's place; empty when the match was forfeited."""


UNPLAYED = "unplayed"
"""The ending of a table whose last deal was bid and not played; see `Sharing`."""


@dataclass(frozen=True, slots=True)
class Sharing:
    """How a table was played that shares with the others of its block what is the same there."""

    bid: int
    """The deals that were bid at it, those that were not played included."""
    played_out: int
    """The deals of which it asked for tiles itself. The others were played at another table; or,
    the last one where that could tell nothing, at none."""
    differs: bool
    """Whether an auction came out otherwise than at the first table of the block."""


@dataclass(frozen=True, slots=True)
class TableResult:
    """A table that was played, or that is void: we broke it, and it is played again.

    The record is deterministic: the same bots on the same deals give the same bytes. Everything
    that is measured stands in the timings, which no comparison looks at.
    """

    number: int
    """The place of the table in the schedule."""
    block: int
    lane: int
    seats: tuple[EntrantId, ...]
    """By seat: who sat there."""
    ending: str = ""
    """Why the match ended: ``target``, ``forfeit`` ...; empty if the table is void."""
    scores: tuple[int, ...] = ()
    """By side: the final score."""
    places: tuple[int, ...] = ()
    """By side: 1 is the winner; sides that are level share the better place."""
    record: str = ""
    """The match as JSON lines."""
    timings: str = ""
    """Measured times, as JSON."""
    faults: tuple[FaultRow, ...] = ()
    attempt: int = 1
    """How often the table was begun, this time included: 1 unless it was void before."""
    finished_at: str = field(default="", compare=False)
    """When it was stored (UTC), for people; empty until it is."""
    sharing: Sharing | None = field(default=None, compare=False)
    """How it was played if it shares with other tables; ``None`` if it was played by itself."""
    figures: str = field(default="", compare=False, repr=False)
    """What the record says in figures, once it is stored; empty if the record has to be read."""

    @property
    def id(self) -> TableId:
        """The block and the lane, as people write it."""
        return TableId(f"{self.block}.{self.lane}")

    @property
    def is_void(self) -> bool:
        """Whether it counts for nothing and is to be played again."""
        return not self.ending

    @property
    def offender(self) -> EntrantId | None:
        """Who forfeited the match, if anybody did."""
        if self.ending != Ending.FORFEIT.value:
            return None
        return next(fault.entrant for fault in reversed(self.faults) if not fault.substitute)


class Arrivals:
    """Tables that arrive in any order, and are taken block by block in the order of a schedule."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        """Waits for the tables of *blocks*."""
        self._blocks = blocks
        self._next = 0
        self._arrived: dict[int, dict[int, TableResult | None]] = {}

    def add(self, results: Iterable[TableResult], void: Iterable[TableResult] = ()) -> None:
        """Takes tables that were played, and *void* ones, which never will be."""
        for result in results:
            self._arrived.setdefault(result.block, {})[result.lane] = result
        for result in void:
            self._arrived.setdefault(result.block, {})[result.lane] = None

    @property
    def block(self) -> Block | None:
        """The block whose turn it is; ``None`` once all are done."""
        return self._blocks[self._next] if self._next < len(self._blocks) else None

    def complete(self) -> list[TableResult | None] | None:
        """Returns the tables of that block, ``None`` for a void one, if all of them are there."""
        if (block := self.block) is None:
            return None
        tables = self._arrived.get(block.number, {})
        if len(tables) < len(block.tables):
            return None
        return [tables[table.lane] for table in block.tables]

    def advance(self) -> None:
        """Is done with that block, whatever was there of it."""
        if (block := self.block) is not None:
            self._arrived.pop(block.number, None)
            self._next += 1
