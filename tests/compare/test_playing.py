"""Playing: with worker processes, and no more blocks than the answer takes."""

from __future__ import annotations

import pytest

from referee.rules import parse_rules
from tests.e2e.inprocess import FOLDER
from tournaments.compare import Comparison, Pairing, RatioPlan, Verdict, comparison_schedule
from tournaments.compare.playing import ComparisonPlay
from tournaments.evidence import TwoSidedTest
from tournaments.results import TableResult
from tournaments.runner.jobs import Job
from tournaments.schedule import EntrantId

TALL, DICE, TWIN = (EntrantId(name) for name in ("tall", "dice", "twin"))
JOB = Job(
    rules="tournament-3p",
    entrants={
        TALL: ("inproc:tall:Tall",),
        DICE: ("inproc:dice:Dice",),
        TWIN: ("inproc:dice:Dice",),
    },
    base=str(FOLDER),
    deals=1,
    tables_in_flight=4,
)
BLOCKS = 300


class Watched(Comparison):
    """A comparison that knows which tables it was given after their contest was decided."""

    late = 0

    def take(self, results: list[TableResult], void: object = ()) -> None:
        self.late += sum(self.contest_of(result.block).is_decided for result in results)
        super().take(results)


@pytest.mark.parametrize("pairings", [
    (Pairing(TALL, DICE),),
    (Pairing(TALL, DICE), Pairing(TWIN, DICE)),
], ids=["alone", "beside one that goes on"])  # fmt: skip
async def test_what_is_decided_is_not_played_any_more(pairings: tuple[Pairing, ...]) -> None:
    schedule = comparison_schedule(pairings, blocks=BLOCKS, seats=3)
    plan = RatioPlan(TwoSidedTest(t1=0.12))
    comparison = Watched(parse_rules(JOB.rules), schedule, pairings, plan, deals=1)
    play = ComparisonPlay(comparison, schedule, JOB, seed="s", workers=1, say=lambda _: None)
    report = await play.run()
    assert comparison.is_over
    clear, *more = comparison.contests
    assert clear.verdict is Verdict.FIRST_BETTER
    assert clear.tally.blocks < BLOCKS / 2
    assert [contest.verdict for contest in more] == [Verdict.EQUAL] * len(more)
    assert all(contest.tally.blocks > clear.tally.blocks for contest in more)
    # Those in play at the moment, and those that came in the same group.
    assert comparison.late < 240
    assert report.played < 6 * sum(contest.tally.blocks for contest in comparison.contests) + 200
