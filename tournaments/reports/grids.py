"""Tables that fit the width they are drawn in: columns are left out, and names are never cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

LIST_WIDTH = 14
"""The least width of a column of lists."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a grid."""

    title: str
    is_text: bool = False
    """Whether it holds words, which take several lines where all else fails; numbers never do."""
    is_list: bool = False
    """Whether the words are lists, which may take several lines any time."""
    spare: int = 0
    """Whether it may be left out: the highest number goes first, and with 0 it never goes."""
    group: str = ""
    """What stands once above this column and its neighbours of the same group."""


class Grid:
    """A table of text that decides how it looks when it is drawn."""

    def __init__(self, *columns: Column) -> None:
        """Makes a grid without rows."""
        self._columns = columns
        self._rows: list[Sequence[str]] = []

    def add_row(self, *cells: str) -> None:
        """Adds a row, a cell for each column."""
        self._rows.append(cells)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yields the table, and what was left out of it."""
        kept, gap = self._fit(options.max_width)
        grid = Table(box=None, padding=(0, gap, 0, 0), pad_edge=False, header_style="bold")
        for number in kept:
            column = self._columns[number]
            grid.add_column(
                column.title,
                justify="left" if column.is_text else "right",
                no_wrap=not column.is_text,
                overflow="fold",
            )
        for row in self._rows:
            grid.add_row(*(row[number] for number in kept))
        if groups := self._groups(kept, gap):
            yield Text(groups, style="bold", no_wrap=True)
        yield grid
        gone = [c.title for number, c in enumerate(self._columns) if number not in kept]
        if gone:
            yield f"left out, as this is narrow: {', '.join(gone)}"

    def _groups(self, kept: Sequence[int], gap: int) -> str:
        """Returns the line above the titles: each group where its first column begins."""
        line, at, last = "", 0, ""
        for number in kept:
            group = self._columns[number].group
            if group and group != last:
                line += " " * (at - cell_len(line)) + group
            at, last = at + self._width(number) + gap, group
        return line

    def _fit(self, room: int) -> tuple[list[int], int]:
        """Returns which columns are drawn, and how far apart."""
        kept = list(range(len(self._columns)))
        whole = [self._width(number) for number in kept]
        gap = 2
        while sum(whole[number] + gap for number in kept) - gap > room:
            going = max(kept, key=lambda number: self._columns[number].spare)
            if gap == 2:
                gap = 1
            elif self._columns[going].spare:
                kept.remove(going)
            else:
                break
        return kept, gap

    def _width(self, number: int) -> int:
        cells = [self._columns[number].title, *(row[number] for row in self._rows)]
        width = max(map(cell_len, cells))
        return min(width, LIST_WIDTH) if self._columns[number].is_list else width
