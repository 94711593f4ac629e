"""Tables played without processes, wire or clock: the same referee and bots, nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from referee.match import Match, MatchReferee, dump_match
from referee.rules import Choice, derive_key, seed_key
from referee.sdk import Bot, View
from referee.sdk.asking import ask
from tests.e2e.bots.dice import Dice
from tests.e2e.bots.meek import Meek
from tests.e2e.bots.tall import Tall
from tournaments.results import TableResult
from tournaments.runner.jobs import Job, TableJob
from tournaments.schedule import EntrantId, round_robin

FOLDER = Path(__file__).parent / "bots"
_KINDS: tuple[type[Bot], ...] = (Dice, Meek, Tall)
BOTS = {f"./{kind.__name__.lower()}.py": kind for kind in _KINDS} | {
    f"inproc:{kind.__name__.lower()}:{kind.__name__}": kind for kind in _KINDS
}
"""By text: the bots, cheap and deterministic, that can also be run as programs."""
NO_TIMES = '{"buckets":{},"longest":0}'


def table_jobs(job: Job, *, seed: str = "s", rounds: int = 1) -> list[TableJob]:
    """Returns the tables of a round robin of the entrants of *job*."""
    schedule = round_robin(
        [EntrantId(name) for name in job.entrants], seats=job.terms().rules.players, rounds=rounds
    )
    keys = [derive_key(seed_key(seed), block.label).hex() for block in schedule.blocks]
    return [TableJob(t.number, t.block, t.lane, t.seats, keys[t.block]) for t in schedule.tables]


def play(job: Job, table: TableJob) -> TableResult:
    """Returns what becomes of *table*, with nothing measured."""
    bots = [BOTS[text]() for text in texts_by_seat(job, table.seats)]
    match = Match.start(job.terms(), bytes.fromhex(table.key))
    referee = MatchReferee(table.id, match, table.seats, job.table)
    while (question := referee.question) is not None:
        choice: Choice = ask(bots[question.seat], View.of(question.view))
        assert referee.answer(choice, 1000) is None
    result = referee.result
    assert result is not None
    return TableResult(
        table.number,
        table.block,
        table.lane,
        tuple(map(EntrantId, table.seats)),
        result.ending.value,
        result.scores,
        result.places,
        dump_match(referee.record()),
        f'{{"deals":[],"seats":[{",".join([NO_TIMES] * len(bots))}]}}',
    )


def texts_by_seat(job: Job, seats: Sequence[str]) -> list[str]:
    """Returns the text of the bot on each seat."""
    texts = []
    for seat, entrant in enumerate(seats):
        bots = job.entrants[entrant]
        texts.append(bots[seats[:seat].count(entrant) % len(bots)])
    return texts


def told(results: Iterable[TableResult]) -> dict[int, tuple[object, ...]]:
    """Returns all that is not measured of *results*, by the number of the table."""
    return {
        r.number: (r.id, r.seats, r.ending, r.scores, r.places, r.record, r.faults) for r in results
    }
