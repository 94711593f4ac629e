"""Tables of a comparison that nobody plays: results made of the scores that they are to have."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Sequence

from referee.rules import Rules, parse_rules
from tournaments.compare import Comparison, Pairing, Plan, comparison_schedule
from tournaments.results import FaultRow, TableResult
from tournaments.schedule import EntrantId, Schedule, Table

A, B, C, THIRD = (EntrantId(name) for name in ("ann", "bob", "cyd", "third"))
THREE, FOUR = parse_rules("tournament-3p"), parse_rules("tournament-4p")
Scorer = Callable[[Table], Sequence[int]]


def result(
    rules: Rules, table: Table, scores: Sequence[int], *, deals: int = 1, forfeit: int | None = None
) -> TableResult:
    """Returns *table* as played: by side the *scores*, and the seat that forfeited, if any."""
    preset = "tournament-3p" if rules.players == 3 else "tournament-4p"
    lines = [{"type": "match", "rules": preset}] + [{"type": "deal"}] * deals
    faults = ()
    if forfeit is not None:
        faults = (FaultRow(forfeit, table.seats[forfeit], "crashed", 0, 1),)
    return TableResult(
        table.number, table.block, table.lane, table.seats,
        "deals" if forfeit is None else "forfeit",
        tuple(scores), (1,) * rules.side_count, "\n".join(map(json.dumps, lines)), faults=faults,
    )  # fmt: skip


def schedule(*pairings: Pairing, blocks: int = 40, rules: Rules = THREE) -> Schedule:
    return comparison_schedule(pairings, blocks=blocks, seats=rules.players)


def luck(strength: dict[EntrantId, float], seed: int = 0) -> Scorer:
    """Returns what gives tables scores: of the deal, the seat, and a little of who sits there.

    The order in which tables are asked for changes nothing.
    """

    def score(table: Table) -> list[int]:
        dealt = random.Random(f"{seed}/{table.block}")
        worth = [dealt.randrange(-4, 8) for _ in table.seats]
        found = []
        for seat, who in enumerate(table.seats):
            drawn = random.Random(f"{seed}/{table.block}/{seat}/{who}")
            found.append(worth[seat] + (drawn.random() < strength[who]))
        return found

    return score


def results(plan: Schedule, scorer: Scorer, rules: Rules = THREE) -> list[TableResult]:
    return [result(rules, table, scorer(table)) for table in plan.tables]


def judged(
    plan: Plan, pairings: Sequence[Pairing], scorer: Scorer, *, blocks: int,
    order: Callable[[list[TableResult]], Iterable[TableResult]] = iter,
) -> Comparison:  # fmt: skip
    """Returns the comparison that took all tables in *order*, one at a time."""
    drawn = schedule(*pairings, blocks=blocks)
    comparison = Comparison(THREE, drawn, pairings, plan, deals=1)
    for each in order(results(drawn, scorer)):
        if comparison.is_over:
            break
        comparison.take([each])
    return comparison
