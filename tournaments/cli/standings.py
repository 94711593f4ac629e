"""`moon tournament standings`: who is ahead, and how surely."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator

import click
from rich.console import Console
from rich.table import Table

from referee.rules import rules_text
from tournaments.cli.options import json_option
from tournaments.cli.stores import open_store, store_argument
from tournaments.cli.terminal import console, print_json
from tournaments.rating import RankedEntrant
from tournaments.schedule import EntrantId
from tournaments.standings import EntrantFigures, Results, Standings
from tournaments.store import Store
from tournaments.timing import Times


@click.command()
@store_argument
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Write one line for each entrant as CSV.")
@click.option("--details", is_flag=True, help="Show bids by level, seats and decision times too.")
def standings(
    where: str | None, named: str | None, as_json: bool, as_csv: bool, details: bool
) -> None:
    """Show the standings of a run.

    Ratings are TrueSkill over all results at once, the same for any order of the tables. Intervals
    come from drawing whole blocks again: the tables of a block share their deals. All intervals of
    ranks hold at once with 95 % confidence.
    """
    with open_store(where, named) as store:
        print_standings(store, as_json=as_json, as_csv=as_csv, details=details)


def print_standings(
    store: Store, *, as_json: bool = False, as_csv: bool = False, details: bool = False
) -> None:
    """Writes the standings of *store* to standard output."""
    results = Results(store.run.rules, store.run.schedule(), store.results())
    table = results.standings()
    if as_json:
        print_json("moon.standings/1", _document(store, table))
    elif as_csv:
        _print_csv(table)
    else:
        screen = console()
        _print_table(screen, store, table)
        if details:
            _print_details(screen, table)


def _row(table: Standings, row: RankedEntrant) -> EntrantFigures:
    return table.figures[EntrantId(row.entrant)]


def _print_table(screen: Console, store: Store, table: Standings) -> None:
    screen.print(
        f"{store.run.name}: {table.played} of {table.scheduled} tables, {table.ranks.blocks} "
        f"blocks, rules {rules_text(store.run.rules)}",
        soft_wrap=True,
    )
    grid = Table("rank", "95%", box=None, padding=(0, 1, 0, 0), header_style="bold")
    grid.add_column("entrant", no_wrap=True)
    places = "/".join(_place_titles(table))
    for title in ("rating", "95%", "pts/deal", places, "made/set", "tables"):
        grid.add_column(title, justify="right", no_wrap=True)
    grid.add_column("faults")
    for row in table.ranks.entrants:
        figures = _row(table, row)
        contracts = figures.contracts
        grid.add_row(
            str(row.place),
            f"{row.rank_low}-{row.rank_high}",
            row.entrant,
            f"{row.mu:.1f}",
            "-" if row.low is None or row.high is None else f"{row.low:.1f}-{row.high:.1f}",
            _number(figures.points_per_deal),
            "/".join(str(figures.places[place]) for place in _places(table)),
            f"{contracts.made_count}/{contracts.set_count}",
            str(figures.tables),
            _faults(figures),
        )
    screen.print(grid)
    for group in table.ranks.not_separated:
        if len(group) > 1:
            screen.print(f"not separated at 95 %: {', '.join(group)}", soft_wrap=True)
    screen.print(f"fingerprint {store.fingerprint()}", soft_wrap=True)


def _places(table: Standings) -> range:
    sides = max((len(figures.seats) for figures in table.figures.values()), default=0)
    return range(1, sides + 1)


def _place_titles(table: Standings) -> list[str]:
    names = {1: "1st", 2: "2nd", 3: "3rd"}
    return [names[place] for place in _places(table)]


def _number(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _faults(figures: EntrantFigures) -> str:
    counts = [f"{count} {kind}" for kind, count in sorted(figures.faults.items())]
    if figures.forfeits:
        counts.append(f"{figures.forfeits} forfeited")
    return ", ".join(counts) or "-"


def _print_details(screen: Console, table: Standings) -> None:
    levels = sorted(
        {bid for f in table.figures.values() for bid in (*f.contracts.made, *f.contracts.set)}
    )
    bids = Table("contracts made/set", box=None, pad_edge=False, header_style="bold")
    seats = Table("points a deal, by seat", box=None, pad_edge=False, header_style="bold")
    times = Table("decision time (ms)", box=None, pad_edge=False, header_style="bold")
    for bid in levels:
        bids.add_column(str(bid), justify="right")
    for place in _places(table):
        seats.add_column(f"seat {place - 1}", justify="right")
    for title in ("p50", "p99", "max", "decisions"):
        times.add_column(title, justify="right")
    for row in table.ranks.entrants:
        figures = _row(table, row)
        contracts = figures.contracts
        bids.add_row(
            row.entrant, *(f"{contracts.made[bid]}/{contracts.set[bid]}" for bid in levels)
        )
        seats.add_row(row.entrant, *(_number(seat.points_per_deal) for seat in figures.seats))
        times.add_row(
            row.entrant,
            *(_millis(figures.times.percentile(share)) for share in (0.5, 0.99)),
            _millis(figures.times.longest),
            str(figures.times.count),
        )
    for grid in (bids, seats, times):
        screen.print()
        screen.print(grid)


def _millis(micros: float | None) -> str:
    return "-" if micros is None else f"{micros / 1000:.1f}"


def _document(store: Store, table: Standings) -> dict[str, object]:
    """Returns the standings as JSON values; what was measured stands under ``measured`` only."""
    ranks = table.ranks
    return {
        "name": store.run.name,
        "rules": rules_text(store.run.rules),
        "played": table.played,
        "scheduled": table.scheduled,
        "blocks": ranks.blocks,
        "confidence": ranks.confidence,
        "replicates": ranks.replicates,
        "fingerprint": store.fingerprint(),
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
    shares = {"p50_ms": times.percentile(0.5), "p99_ms": times.percentile(0.99)}
    return {
        "decisions": times.count,
        **{name: None if us is None else round(us / 1000, 3) for name, us in shares.items()},
        "max_ms": round(times.longest / 1000, 3),
    }


def _print_csv(table: Standings) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    places = [f"place_{place}" for place in _places(table)]
    writer.writerow(
        [
            "rank", "rank_low", "rank_high", "entrant", "rating", "rating_low", "rating_high",
            "tables", "deals", "points_per_deal", *places, "made", "set", "faults", "forfeits",
        ]
    )  # fmt: skip
    writer.writerows(_csv_rows(table))


def _csv_rows(table: Standings) -> Iterator[list[object]]:
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
        ]
