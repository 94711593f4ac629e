"""The report of a run as one page."""

from __future__ import annotations

from collections.abc import Iterator

from referee.rules import rules_text
from tournaments.measured import Measured
from tournaments.pages.charts import (
    heat_map,
    rating_chart,
    rating_intervals,
    shade,
    time_bars,
)
from tournaments.pages.fault_book import FaultGroup
from tournaments.pages.night import Night
from tournaments.pages.rendering import plain_name, render
from tournaments.pages.sheets import Sheet, sheets_of, stage_data
from tournaments.pages.steps import Replay
from tournaments.rating import RankTable, ranks_among
from tournaments.reports.host_report import host_lines
from tournaments.reports.marks import mark_lines
from tournaments.schedule import EntrantId
from tournaments.store import RunInfo

STYLES = ("base.css", "replay.css", "report.css")
SCRIPTS = ("replay.js",)


def report_page(run: RunInfo, night: Night, title: str | None = None) -> str:
    """Returns the report of *run* as a page.

    Args:
        run: The run.
        night: What was read of it.
        title: What the page is called; ``None`` for the name of the run, which is all that is
            known of a night without its league.
    """
    standings = night.standings
    figures = standings.figures
    return render(
        "report.html",
        styles=STYLES,
        scripts=SCRIPTS,
        title=plain_name(title or run.name),
        run=run,
        night=night,
        ranks=standings.ranks,
        ranked={row.entrant: row for row in _ranked(night).entrants},
        figures=figures,
        rules=rules_text(run.rules),
        facts=list(_facts(run, night)),
        is_stray=run.is_night and title is None,
        marks=mark_lines(
            map(plain_name, run.inside), map(plain_name, run.remote), is_held=run.is_held
        ),
        separation=_separation(night),
        fairness=_fairness(night),
        places=range(1, standings.sides + 1),
        seats=range(max((len(each.seats) for each in figures.values()), default=0)),
        intervals=rating_intervals(night),
        chart=rating_chart(night),
        heat=heat_map(night),
        shade=shade,
        bars=time_bars([(name, figures[name].times) for name in night.order]),
        host=host_lines(standings.overhead, night.measured or Measured()),
        sheets=[sheet for replay in night.replays for sheet in _sheets(replay)],
        addresses={
            (group.table, group.fault.decision): address_of_fault(night, group)
            for group in night.faults.groups()
        },
        deal_address=deal_address,
        data={"replays": [_stage(replay) for replay in night.replays]},
    )


def prefix_of(table: str) -> str:
    """Returns what the names of the deals of a table begin with on the page of a report."""
    return f"t{table}-"


def deal_address(table: str, deal: int) -> str:
    """Returns the name of a deal on the page of a report.

    >>> deal_address("17.2", 3)
    't17.2-d3'
    """
    return f"{prefix_of(table)}d{deal}"


def address_of_fault(night: Night, group: FaultGroup) -> str:
    """Returns the name, on the page, of the decision at which the first of these faults was."""
    return f"{deal_address(group.table, group.fault.deal)}.{group.fault.decision}"


def _sheets(replay: Replay) -> tuple[Sheet, ...]:
    return sheets_of(replay, prefix_of(replay.table))


def _stage(replay: Replay) -> dict[str, object]:
    return stage_data(replay, prefix_of(replay.table), f"Table {replay.table}")


def _facts(run: RunInfo, night: Night) -> Iterator[str]:
    standings = night.standings
    yield f"{standings.played} of {standings.scheduled} tables"
    if night.rescinded:
        yield f"{night.rescinded} more rescinded, and not counted"
    yield f"{standings.ranks.blocks} blocks"
    yield f"{len(night.order) - len(night.house)} entrants"
    if night.house:
        yield f"{len(night.house)} house bot{'s' * (len(night.house) > 1)}"
    yield f"rules {rules_text(run.rules)}"
    yield f"begun {run.created_at[:16].replace('T', ' ')} UTC"


def _ranked(night: Night) -> RankTable:
    """Returns the ranks among those who compete: house bots are rated, and have none."""
    return ranks_among(night.standings.ranks, set(night.order) - night.house)


def _separation(night: Night) -> tuple[tuple[str, ...], ...]:
    """Returns the groups of neighbours whose order is not sure."""
    return tuple(group for group in _ranked(night).not_separated if len(group) > 1)


def _fairness(night: Night) -> list[tuple[EntrantId, int, int | str]]:
    """Returns who would stand elsewhere without the forfeited tables: the name, both places.

    The second place is a dash for who has played at no other tables.
    """
    if not night.forfeited:
        return []
    figures, house = night.standings.figures, night.house
    clean = (name for name in night.order_without_forfeits if name not in house)
    fair = {name: place for place, name in enumerate(clean, 1)}
    played = (name for name in night.order if figures[name].tables and name not in house)
    return [
        (name, place, fair.get(name, "-"))
        for place, name in enumerate(played, 1)
        if fair.get(name) != place
    ]
