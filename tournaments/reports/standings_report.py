"""Standings, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from referee.rules import rules_text
from tournaments.lab.adjusting import Adjusted
from tournaments.measured import Measured
from tournaments.rating import RankedEntrant
from tournaments.reports.grids import Column, Grid
from tournaments.reports.host_report import host_document
from tournaments.reports.numbers import millis, number, rounded_millis
from tournaments.schedule import EntrantId
from tournaments.standings import EntrantFigures, Standings
from tournaments.store import RunInfo
from tournaments.timing import Times


def _row(table: Standings, row: RankedEntrant) -> EntrantFigures:
    return table.figures[EntrantId(row.entrant)]


def heading(run: RunInfo, table: Standings) -> str:
    """Returns the line above the standings."""
    return (
        f"{run.name}: {table.played} of {table.scheduled} tables, {table.ranks.blocks} blocks, "
        f"rules {rules_text(run.rules)}"
    )


def standings_table(table: Standings, adjusted: Adjusted | None = None) -> Grid:
    """Returns the standings, best first, with scores *adjusted* for luck if they are."""
    grid = Grid(
        Column("rank"),
        Column("95%"),
        Column("entrant", is_text=True),
        Column("rating"),
        Column("95%"),
        Column("pts/deal", spare=2),
        *([] if adjusted is None else [Column("adjusted", spare=2)]),
        Column("/".join(_place_titles(table)), spare=3),
        Column("made/set", spare=4),
        Column("tables", spare=5),
        Column("faults", is_text=True, is_list=True, spare=1),
    )
    for row in table.ranks.entrants:
        figures = _row(table, row)
        contracts = figures.contracts
        grid.add_row(
            str(row.place),
            f"{row.rank_low}-{row.rank_high}",
            row.entrant,
            number(row.mu if figures.tables else None, 1),
            "-" if row.low is None or row.high is None else f"{row.low:.1f}-{row.high:.1f}",
            number(figures.points_per_deal),
            *([] if adjusted is None else [number(adjusted.points_per_deal(row.entrant))]),
            "/".join(str(figures.places[place]) for place in _places(table)),
            f"{contracts.made_count}/{contracts.set_count}",
            str(figures.tables),
            _faults(figures),
        )
    return grid


def not_separated(table: Standings) -> list[str]:
    """Returns a line for each run of neighbours whose order is not sure."""
    groups = [group for group in table.ranks.not_separated if len(group) > 1]
    return [f"not separated at 95 %: {', '.join(group)}" for group in groups]


def _places(table: Standings) -> range:
    return range(1, table.sides + 1)


def _place_titles(table: Standings) -> list[str]:
    names = {1: "1st", 2: "2nd", 3: "3rd"}
    return [names[place] for place in _places(table)]


def _faults(figures: EntrantFigures) -> str:
    counts = [f"{count} {kind}" for kind, count in sorted(figures.faults.items())]
    if figures.forfeits:
        counts.append(f"{figures.forfeits} forfeited")
    return ", ".join(counts) or "-"


def detail_tables(table: Standings) -> tuple[Grid, Grid, Grid]:
    """Returns contracts by level, points by seat, and decision times."""
    rows = [(row.entrant, _row(table, row)) for row in table.ranks.entrants]
    return _contracts_table(rows), _seats_table(rows), _times_table(rows)


Rows = list[tuple[str, EntrantFigures]]


def _detail(title: str, columns: Iterable[str]) -> Grid:
    return Grid(Column(title, is_text=True), *map(Column, columns))


def _contracts_table(rows: Rows) -> Grid:
    contracts = [figures.contracts for _, figures in rows]
    levels = sorted({bid for each in contracts for bid in (*each.made, *each.set)})
    grid = _detail("contracts made/set", map(str, levels))
    for entrant, figures in rows:
        made, failed = figures.contracts.made, figures.contracts.set
        grid.add_row(entrant, *(f"{made[bid]}/{failed[bid]}" for bid in levels))
    return grid


def _seats_table(rows: Rows) -> Grid:
    seats = max((len(figures.seats) for _, figures in rows), default=0)
    grid = _detail("points a deal, by seat", (f"seat {seat}" for seat in range(seats)))
    for entrant, figures in rows:
        grid.add_row(entrant, *(number(seat.points_per_deal) for seat in figures.seats))
    return grid


def _times_table(rows: Rows) -> Grid:
    grid = _detail("decision time (ms)", ("p50", "p99", "max", "decisions"))
    for entrant, figures in rows:
        times = figures.times
        grid.add_row(
            entrant,
            *(millis(times.percentile(share)) for share in (0.5, 0.99)),
            millis(times.longest if times.count else None),
            str(times.count),
        )
    return grid


def standings_document(
    run: RunInfo, fingerprint: str, table: Standings, measured: Measured | None
) -> dict[str, object]:
    """Returns the standings as JSON values.

    What was measured stands under ``measured``, by entrant, and under ``host``, and nowhere else.
    """
    ranks = table.ranks
    return {
        "name": run.name,
        "rules": rules_text(run.rules),
        "rated": run.is_rated,
        "remote": list(run.remote),
        "played": table.played,
        "scheduled": table.scheduled,
        "blocks": ranks.blocks,
        "confidence": ranks.confidence,
        "replicates": ranks.replicates,
        "fingerprint": fingerprint,
        "rows": [_row_document(row, _row(table, row)) for row in ranks.entrants],
        "not_separated": [list(group) for group in ranks.not_separated],
        "differences": [
            {
                "better": pair.better,
                "worse": pair.worse,
                "rating": pair.mu,
                "low": pair.low,
                "high": pair.high,
            }
            for pair in ranks.differences
        ],
        "measured": {row.entrant: _times(_row(table, row).times) for row in ranks.entrants},
        "host": host_document(table.overhead, measured),
    }


def _row_document(row: RankedEntrant, figures: EntrantFigures) -> dict[str, object]:
    return {
        "rank": row.place,
        "rank_low": row.rank_low,
        "rank_high": row.rank_high,
        "entrant": row.entrant,
        "rating": row.mu,
        "rating_low": row.low,
        "rating_high": row.high,
        "tables": figures.tables,
        "blocks": row.blocks,
        "deals": figures.deals,
        "points_per_deal": figures.points_per_deal,
        "places": {str(place): figures.places[place] for place in sorted(figures.places)},
        "made": {str(bid): n for bid, n in sorted(figures.contracts.made.items())},
        "set": {str(bid): n for bid, n in sorted(figures.contracts.set.items())},
        "faults": dict(sorted(figures.faults.items())),
        "forfeits": figures.forfeits,
        "seats": [
            {
                "seat": seat,
                "tables": row.tables,
                "deals": row.deals,
                "points_per_deal": row.points_per_deal,
            }
            for seat, row in enumerate(figures.seats)
        ],
    }


def _times(times: Times) -> dict[str, object]:
    return {
        "decisions": times.count,
        "p50_ms": rounded_millis(times.percentile(0.5)),
        "p99_ms": rounded_millis(times.percentile(0.99)),
        "max_ms": rounded_millis(times.longest if times.count else None),
    }


def csv_rows(table: Standings, adjusted: Adjusted | None = None) -> Iterator[list[object]]:
    """Yields the titles, then a line for each entrant, best first."""
    more = [] if adjusted is None else ["adjusted_points_per_deal"]
    places = [f"place_{place}" for place in _places(table)]
    yield [
        "rank", "rank_low", "rank_high", "entrant", "rating", "rating_low", "rating_high",
        "tables", "deals", "points_per_deal", *places, "made", "set", "faults", "forfeits",
        *more,
    ]  # fmt: skip
    for row in table.ranks.entrants:
        figures = _row(table, row)
        yield [
            row.place,
            row.rank_low,
            row.rank_high,
            row.entrant,
            row.mu,
            row.low,
            row.high,
            figures.tables,
            figures.deals,
            figures.points_per_deal,
            *(figures.places[place] for place in _places(table)),
            figures.contracts.made_count,
            figures.contracts.set_count,
            figures.faults.total(),
            figures.forfeits,
            *([] if adjusted is None else [adjusted.points_per_deal(row.entrant)]),
        ]
