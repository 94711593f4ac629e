"""Second opinions on standings, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from tournaments.rating import Ranking, RankTable, SecondOpinions
from tournaments.reports.grids import Column, Grid

MATRIX = 12
"""Entrants up to which the pairwise table is a square; `moon tournament h2h` lists more."""


def opinion_parts(opinions: SecondOpinions, ranks: RankTable) -> Iterator[Grid | str]:
    """Yields what is shown: strengths, the pairwise table, and other ways to rank."""
    yield _strengths(opinions)
    if len(ranks.entrants) <= MATRIX:
        yield "tables at which the entrant of the line was ahead of the one of the column, in %"
        yield _square(opinions, [row.entrant for row in ranks.entrants])
    yield "\n".join(_verdict(ranking, ranks) for ranking in opinions.rankings)


def _strengths(opinions: SecondOpinions) -> Grid:
    grid = Grid(
        Column("Plackett-Luce", is_text=True),
        Column("log odds"),
        Column("95%"),
        Column("blocks", spare=1),
    )
    for row in opinions.strengths:
        interval = "-"
        if row.low is not None and row.high is not None:
            interval = f"{row.low:+.2f} to {row.high:+.2f}"
        grid.add_row(row.entrant, f"{row.value:+.2f}", interval, str(row.blocks))
    return grid


def _square(opinions: SecondOpinions, order: list[str]) -> Grid:
    shares: dict[tuple[str, str], float] = {}
    for pair in opinions.pairs:
        shares[pair.entrant, pair.other] = 100 * pair.ahead / pair.tables
        shares[pair.other, pair.entrant] = 100 - 100 * pair.ahead / pair.tables
    numbers = [str(number) for number, _ in enumerate(order, 1)]
    grid = Grid(Column(""), Column("ahead of", is_text=True), *map(Column, numbers))
    for number, name in zip(numbers, order, strict=True):
        cells = [
            f"{shares[name, other]:.0f}" if (name, other) in shares else "-" for other in order
        ]
        grid.add_row(number, name, *cells)
    return grid


def _verdict(ranking: Ranking, ranks: RankTable) -> str:
    """Returns whether the order changes, and whether that contradicts what was sure."""
    if not ranking.swaps:
        return f"{ranking.way}: the same order"
    sure = {(pair.better, pair.worse) for pair in ranks.differences if pair.separated}
    swaps = [
        f"{one} and {other}{' (separated at 95 %!)' if (one, other) in sure else ''}"
        for one, other in ranking.swaps
    ]
    return f"{ranking.way}: other order of {', '.join(swaps)}"


def opinions_document(opinions: SecondOpinions) -> dict[str, object]:
    """Returns second opinions as JSON values."""
    return {
        "strengths": [asdict(row) for row in opinions.strengths],
        "rankings": [{**asdict(row), "same": not row.swaps} for row in opinions.rankings],
        "pairs": [asdict(row) for row in opinions.pairs],
    }
