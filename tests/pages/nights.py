"""Runs for reports: whole matches of random choices, stored as a worker would store them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from referee.match import (
    Fault,
    FaultKind,
    Match,
    MatchRecord,
    MatchReferee,
    TableTerms,
    Terms,
    dump_match,
)
from referee.rules import parse_rules, seed_key
from tests.match.playing import random_match
from tournaments.config import TournamentConfig, parse_config
from tournaments.pages.steps import replay_of
from tournaments.results import FaultRow, TableResult
from tournaments.schedule import EntrantId, Table
from tournaments.store import Store
from tournaments.timing import Times

HOSTILE = ("</script><script>alert(1)", "\"'><img src=x onerror=alert(1)>", "אבג & <!-- é")
SAID = '<b>Traceback</b>\n  File "/home/ann lee/bots/tall.py", line 3\n\x1b[31mred\u202e'


def tournament(
    names: Sequence[str],
    rounds: int = 1,
    rules: str = "tournament-3p",
    form: str = "round-robin",
) -> TournamentConfig:
    """Returns a tournament of *names*, whose bots nobody will start."""
    data = {
        "name": "Night of <i>bots</i>",
        "bots": [{"bot": "random", "name": name} for name in names],
        "seed": "s",
        "rounds": rounds,
        "deals": 4,
        "rules": rules,
        "format": form,
    }
    return parse_config(data).described(lambda bot: f"content of {bot.name}")


def played(table: Table, faults: float = 0.02) -> TableResult:
    """Returns what became of *table* when everybody chose at random."""
    seed = f"night {table.number}"
    rules = f"tournament-{len(table.seats)}p"
    match = random_match(rules, seed, deals=4, faults=faults, seats=table.seats)
    return _result(table, match)


def not_started(table: Table, entrant: str) -> TableResult:
    """Returns what becomes of *table* if the bot of *entrant* does not start."""
    opened = Match.start(Terms(parse_rules("tournament-3p"), 4), seed_key(str(table.number)))
    referee = MatchReferee(table.id, opened, table.seats, TableTerms())
    while (question := referee.question) is not None:
        if table.seats[question.seat] == entrant:
            referee.fault(Fault(FaultKind.START, ""))
        else:
            referee.answer(question.decision.legal[-1], 1)
    return _result(table, referee.record())


def _result(table: Table, match: MatchRecord) -> TableResult:
    match = replace(match, table=table.id)
    deals = replay_of(match).deals
    steps = [step for deal in deals for step in deal.steps]
    faults = tuple(
        FaultRow(
            step.seat,
            EntrantId(table.seats[step.seat]),
            step.fault.kind.value,
            deal.number,
            step.number,
            question="play; legal: <6-6>",
            detail="what <u>happened</u>",
            stderr_tail=SAID,
            substitute="" if step.choice is None else str(step.choice),
        )
        for deal in deals
        for step in deal.steps
        if step.fault is not None
    )
    micros = [[1500 if step.was_asked else None for step in d.steps] for d in deals]
    charged = [[1500 for step in steps if step.seat == seat] for seat in range(len(table.seats))]
    timings = {"deals": micros, "seats": [Times.of(each).to_json() for each in charged]}
    return TableResult(
        table.number, table.block, table.lane, table.seats, match.result.ending.value,
        match.result.scores, match.result.places, dump_match(match), json.dumps(timings), faults,
    )  # fmt: skip


def night(path: Path, names: Sequence[str] = HOSTILE) -> Path:
    """Returns *path*, at which is the store of a night; the last entrant failed to start once."""
    config = tournament(names, rounds=2)
    tables = config.schedule().tables
    with Store.create(path, config, code_version="1") as store:
        store.note("sealed", "c0ffee")
        store.add_results([*map(played, tables[:-1]), not_started(tables[-1], names[-1])])
    return path
