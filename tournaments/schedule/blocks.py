"""What a schedule is made of: entrants, tables and blocks.

Blocks, tables and lanes are counted from 0. A table's number is its place in playing order, so
"schedule order" and "order of the numbers" are the same thing everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NewType

EntrantId = NewType("EntrantId", str)
"""What is ranked, by its name: a version of a bot, or a pair of them."""

TableId = NewType("TableId", str)
"""A table as people write it: ``17.2`` is the table of lane 2 in block 17."""


@dataclass(frozen=True, slots=True)
class Table:
    """One match to play.

    >>> Table(5, block=1, lane=2, seats=(EntrantId("c"), EntrantId("a"), EntrantId("b"))).id
    '1.2'
    """

    number: int
    """Its place in playing order."""
    block: int
    lane: int
    """Which of an entrant's processes play here; every table of a block is on its own lane."""
    seats: tuple[EntrantId, ...]
    """By seat: who sits there. A pair of bots sits on two seats."""

    @property
    def id(self) -> TableId:
        """The block and the lane."""
        return TableId(f"{self.block}.{self.lane}")


@dataclass(frozen=True, slots=True)
class Block:
    """The tables of the same entrants on the same deals: the unit of evidence."""

    number: int
    round: int
    cell: str
    """Which entrants meet, as their places in the list of entrants: ``0-1-4``.

    The blocks of one cell are alike but for their deals and the way round the table.
    """
    tables: tuple[Table, ...]

    @property
    def label(self) -> str:
        """The label under which the deals of this block are derived from the master key."""
        return f"block/{self.number}"


@dataclass(frozen=True, slots=True)
class Schedule:
    """All that is to be played, in playing order."""

    entrants: tuple[EntrantId, ...]
    blocks: tuple[Block, ...]

    tables: tuple[Table, ...] = field(init=False, repr=False, compare=False)
    """Every table, in playing order."""

    def __post_init__(self) -> None:
        """Lists the tables."""
        tables = tuple(table for block in self.blocks for table in block.tables)
        object.__setattr__(self, "tables", tables)
