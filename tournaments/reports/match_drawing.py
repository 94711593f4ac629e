"""Matches drawn for reading, deal by deal."""

from __future__ import annotations

from collections.abc import Iterator

from referee.match import DealLine, Ending, FinishedDeal, MatchRecord, finished_deals
from referee.match.replay import last_state
from referee.rules import rules_text
from referee.rules.options import Scoring
from referee.text import counted, visible
from tournaments.reports.drawing import LEGEND, Paint, Role, draw_deal, plain, side_name


def draw_match(
    match: MatchRecord, *, deal: int | None = None, seat: int | None = None, paint: Paint = plain
) -> Iterator[str]:
    """Yields a match for reading: a head, its deals, and how it ended; each without a line end.

    Args:
        match: The match.
        deal: Only the deal with this number, with the score of the match after it; how the match
            ended is told with the last one.
        seat: Show only what this seat saw.
        paint: Colours the parts.

    Raises:
        RecordMismatchError: at a choice that the rules do not allow.
    """
    yield paint(_title(match), Role.TITLE)
    yield paint(f"  {LEGEND}", Role.ASIDE)
    for record, finished in zip(match.deals, finished_deals(match), strict=True):
        if deal in (None, record.number):
            drawn = draw_deal(
                finished, match.seats, faults=record.faults, seat=seat, legend=False, paint=paint
            )
            yield f"\n{drawn}"
    if deal in (None, match.deals[-1].number):
        yield f"\n{paint(_result(match), Role.TITLE)}"


def draw_line(line: DealLine, where: str, *, seat: int | None = None, paint: Paint = plain) -> str:
    """Returns the deal of a chat line for reading.

    Args:
        line: The deal.
        where: What it is called in an error.
        seat: Show only what this seat saw.
        paint: Colours the parts.

    Raises:
        RecordMismatchError: at a choice that the rules do not allow.
    """
    deal = last_state(line.rules, line.deal, where)
    score = deal.score() if deal.is_over and not deal.is_thrown_in else None
    finished = FinishedDeal(line.deal.number, deal, score, ())
    title = f"deal {line.deal.number}, {rules_text(line.rules)}"
    return draw_deal(finished, line.seats, seat=seat, title=title, paint=paint)


def _title(match: MatchRecord) -> str:
    terms = match.terms
    unit = "marks" if terms.rules.scoring is Scoring.MARKS else "points"
    goal = (
        f"to {terms.rules.target} {unit}" if terms.deals is None else counted(terms.deals, "deal")
    )
    seats = ", ".join(f"{seat} {visible(name)}" for seat, name in enumerate(match.seats))
    return f"table {match.table}: {seats}; {rules_text(terms.rules)}, {goal}"


ENDINGS = {
    Ending.TARGET: "the target is reached",
    Ending.MOON: "a moon ends the match",
    Ending.DEALS: "all deals are played",
    Ending.CAP: "nobody reached the target in time",
}
"""Why a match is over, in words; of a forfeit there is more to say."""


def _result(match: MatchRecord) -> str:
    ending, scores, places, forfeit = match.result
    order = sorted(range(len(places)), key=lambda side: (places[side], side))
    table = [
        f"{places[side]}. {side_name(match.terms.rules, match.seats, side)} {scores[side]}"
        for side in order
    ]
    why = ENDINGS.get(ending) or f"seat {forfeit} forfeits"
    return f"{why}: {', '.join(table)}"
