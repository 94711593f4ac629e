"""Scores less the luck of the deal, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tournaments.lab.adjusting import Adjusted
from tournaments.reports.grids import Column, Grid
from tournaments.reports.numbers import number


def luck_lines(adjusted: Adjusted) -> tuple[str, ...]:
    """Returns what is said below standings with an adjusted column."""
    terms = adjusted.terms
    if not terms.is_current:
        told = f"luck: fixed as {terms.hash}, by another definition than this version's"
        return (f"{told}; adjusted is not what was announced",)
    told = (
        f"luck: adjusted by {terms.coefficient:g} points a trick, fixed beforehand as "
        f"{terms.hash[:16]}; {_saved(adjusted)}"
    )
    return (told,)


def luck_parts(adjusted: Adjusted, entrants: Sequence[str]) -> Iterator[Grid | str]:
    """Yields how lucky the *entrants* were, and what adjusting saves and would have saved."""
    grid = Grid(Column("entrant", is_text=True), Column("luck"), Column("adjusted"))
    for entrant in entrants:
        lucky = adjusted.luck_per_deal(entrant)
        cell = "-" if lucky is None else f"{lucky:+z.3f}"
        grid.add_row(entrant, cell, number(adjusted.points_per_deal(entrant)))
    yield grid
    found = [adjusted.luck_per_deal(entrant) for entrant in entrants]
    if any(each is not None for each in found) and not any(round(each or 0.0, 3) for each in found):
        yield "nobody was lucky: in complete blocks everybody holds every hand, and luck cancels"
    yield f"adjusted by {adjusted.terms.coefficient:g} points a trick; {_saved(adjusted)}"
    best = number(adjusted.best_coefficient)
    yield f"best for single tables here: {best}, for a later tournament"


def luck_document(adjusted: Adjusted) -> dict[str, object]:
    """Returns everything as JSON values."""
    return {
        "coefficient": adjusted.terms.coefficient,
        "hash": adjusted.terms.hash,
        "current": adjusted.terms.is_current,
        "variance_saved_tables": adjusted.saved_of_tables,
        "variance_saved_blocks": adjusted.saved_of_blocks,
        "best_coefficient": adjusted.best_coefficient,
        "rows": [
            {
                "entrant": entrant,
                "adjusted_points_per_deal": adjusted.points_per_deal(entrant),
                "luck_tricks_per_deal": adjusted.luck_per_deal(entrant),
            }
            for entrant in adjusted.entrants
        ],
    }


def _saved(adjusted: Adjusted) -> str:
    return (
        f"variance saved: {_percent(adjusted.saved_of_tables)} of single tables, "
        f"{_percent(adjusted.saved_of_blocks)} of complete blocks"
    )


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.0f} %"
