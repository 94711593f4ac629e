"""The page of one match: watched decision by decision, or read deal by deal."""

from __future__ import annotations

from collections.abc import Sequence

from referee.rules import Rules, rules_text
from referee.rules.options import Scoring
from tournaments.pages.rendering import plain_name, render
from tournaments.pages.sheets import sheets_of, stage_data
from tournaments.pages.steps import Replay
from tournaments.reports.drawing import side_name
from tournaments.reports.match_drawing import ENDINGS

STYLES = ("base.css", "replay.css")
SCRIPTS = ("replay.js",)


def match_page(replay: Replay) -> str:
    """Returns *replay* as a page of its own."""
    names = " - ".join(plain_name(name) for name in dict.fromkeys(replay.seats))
    title = f"table {replay.table}" if replay.table else "one deal"
    return render(
        "match.html",
        styles=STYLES,
        scripts=SCRIPTS,
        title=f"{names}, {title}",
        heading=title,
        replay=replay,
        rules=rules_text(replay.rules),
        goal=goal(replay),
        ending=ending(replay),
        ranking=ranking(replay),
        sheets=sheets_of(replay),
        data={"replays": [stage_data(replay)]},
    )


def goal(replay: Replay) -> str:
    """Returns what the match was played for; empty for a deal that came alone."""
    if replay.match is None:
        return ""
    if (deals := replay.match.terms.deals) is not None:
        return f"{deals} deals"
    unit = "marks" if replay.rules.scoring is Scoring.MARKS else "points"
    return f"to {replay.rules.target} {unit}"


def ending(replay: Replay) -> str:
    """Returns why the match ended; empty for a deal that came alone."""
    if replay.match is None:
        return ""
    result = replay.match.result
    if (seat := result.forfeit) is not None:
        return f"{plain_name(replay.seats[seat])} forfeits"
    return ENDINGS[result.ending]


def ranking(replay: Replay) -> list[tuple[int, str, int]]:
    """Returns place, name and score of each side, the winner first; none of a deal alone."""
    if replay.match is None:
        return []
    result = replay.match.result
    return ranked_sides(replay.rules, replay.seats, result.scores, result.places)


def ranked_sides(
    rules: Rules, seats: Sequence[str], scores: Sequence[int], places: Sequence[int]
) -> list[tuple[int, str, int]]:
    """Returns place, name and score of each side, the winner first."""
    rows = [
        (place, side_name(rules, seats, side), scores[side]) for side, place in enumerate(places)
    ]
    return sorted(rows, key=lambda row: row[0])
