"""Playing out only what differs: the same blocks to the last bit, and fewer deals."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from referee.bots.terms import ClockTerms
from referee.match import TableTerms
from tests.e2e.screen import Screen
from tournaments.compare import BlockScore, Pairing, comparison_schedule, score_block
from tournaments.evidence import Tally
from tournaments.results import UNPLAYED, TableResult
from tournaments.runner.arena import Arena
from tournaments.runner.jobs import BlockDone, BlockJob, Job, TableJob, table_jobs
from tournaments.runner.runner import MAX_ATTEMPTS, Runner
from tournaments.schedule import EntrantId, Schedule

FIXTURES = Path(__file__).parents[1] / "fixtures"
BIDDER, FICKLE = "inproc:bidders:Bidder", "inproc:bidders:Fickle"
PLAY = "inproc:sample_bots.greedy:Greedy"
BOLD, MEEK, THIRD = map(EntrantId, ("bold", "meek", "third"))
PAIRING = Pairing(BOLD, MEEK)


def job_of(play: str = PLAY, bold: str = "?pips=40", **fields: object) -> Job:
    job = Job(
        rules="tournament-3p",
        entrants={
            BOLD: (f"{BIDDER}{bold} / {play}",),
            MEEK: (f"{BIDDER}?pips=44 / {play}",),
            THIRD: (BIDDER,),
        },
        base=str(FIXTURES),
        deals=1,
        clock=ClockTerms(move_time=60.0, first_move=60.0, startup=60.0, grace=0.1),
        table=TableTerms(strikes=100),
    )
    return msgspec.structs.replace(job, **fields)


class Played(NamedTuple):
    """The blocks of one comparison, played both ways on the same deals."""

    whole: list[list[TableResult]]
    shared: list[list[TableResult]]
    scores: list[tuple[BlockScore, BlockScore]]

    @property
    def tallies(self) -> tuple[Tally, Tally]:
        both = zip(*self.scores, strict=True)
        whole, shared = ([score.difference or 0.0 for score in scores] for scores in both)
        return Tally(whole), Tally(shared)


def blocks_of(schedule: Schedule) -> list[BlockJob]:
    contrast = {BOLD: 1, MEEK: -1}
    tables = table_jobs(schedule.tables, schedule, "differing", {})
    return [
        BlockJob(tuple(t for t in tables if t.block == block.number), contrast)
        for block in schedule.blocks
    ]


async def played_block(arena: Arena, block: BlockJob) -> BlockDone:
    over: asyncio.Future[BlockDone] = asyncio.get_running_loop().create_future()
    arena.play_block(block, over.set_result)
    return await over


async def both_ways(job: Job, blocks: int, third: EntrantId | None = None) -> Played:
    rules = job.terms().rules
    schedule = comparison_schedule([PAIRING], blocks=blocks, seats=rules.players, third=third)
    jobs = blocks_of(schedule)
    async with Arena(job) as arena:
        whole = [
            [done.result for done in await asyncio.gather(*map(arena.result, block.tables))]
            for block in jobs
        ]
        dones = await asyncio.gather(*(played_block(arena, block) for block in jobs))
    assert [done.problem for done in dones] == [""] * blocks
    shared = [list(done.results) for done in dones]
    scores = [
        (score_block(rules, PAIRING, one), score_block(rules, PAIRING, other))
        for one, other in zip(whole, shared, strict=True)
    ]
    return Played(whole, shared, scores)


def auctions(results: Sequence[TableResult]) -> set[str]:
    """Returns the auctions of a block of matches of one deal, each as its record writes it."""
    return {result.record.split('"bids"')[1].split('"plays"')[0] for result in results}


@pytest.mark.parametrize(
    ("fields", "third"),
    [
        ({}, None),
        ({}, THIRD),
        ({"deals": 3}, None),
        ({"deals": None, "max_deals": 4}, None),
        ({"rules": "tournament-4p"}, None),
        ({"bold": "?pips=40&breaks=48"}, None),
    ],
    ids=["one deal", "a third", "three deals", "to the target", "pairs", "faults"],
)
async def test_every_block_comes_to_the_same_to_the_last_bit(
    fields: dict[str, object], third: EntrantId | None
) -> None:
    played = await both_ways(job_of(**fields), 6, third)
    for whole, shared in played.scores:
        assert shared.difference == whole.difference
        assert (shared.tables, shared.deals) == (whole.tables, whole.deals)
        assert shared.faults == whole.faults
        assert shared.played_out <= whole.deals == whole.played_out
    assert any(whole.difference for whole, _ in played.scores), "else it says nothing"
    assert any(whole.faults for whole, _ in played.scores) == ("bold" in fields)
    assert sum(s.played_out for _, s in played.scores) < sum(w.deals for w, _ in played.scores)
    for whole, shared in zip(played.whole, played.shared, strict=True):
        for one, other in zip(whole, shared, strict=True):
            if other.ending != UNPLAYED:
                assert (other.record, other.scores) == (one.record, one.scores)


async def test_what_differed_and_what_was_played_is_told_as_it_was() -> None:
    """Told too low, a comparison would seem to rest on more than it does."""
    sys.path.insert(0, str(FIXTURES))
    try:
        from bidders import Tally as Counting
    finally:
        sys.path.remove(str(FIXTURES))
    job = job_of("inproc:bidders:Tally")
    schedule = comparison_schedule([PAIRING], blocks=16, seats=3)
    jobs = blocks_of(schedule)
    async with Arena(job) as arena:
        dones = [await played_block(arena, block) for block in jobs]
        asked = Counting.asked
        for done, block in zip(dones, jobs, strict=True):
            whole = [(await arena.result(table)).result for table in block.tables]
            score = score_block(job.terms().rules, PAIRING, done.results)
            assert score.differs == (len(auctions(whole)) > 1)
            if not score.differs:
                assert [result.ending for result in done.results] == [UNPLAYED] * 6
                assert (score.difference, score.played_out) == (0.0, 0)
    assert 0 < sum(any(r.sharing.differs for r in done.results) for done in dones) < 16
    assert 3 * asked < Counting.asked - asked


async def test_a_play_half_that_plays_as_it_likes_is_judged_without_bias() -> None:
    played = await both_ways(job_of(FICKLE, "?pips=30"), 100)
    whole, shared = played.tallies
    errors = [sqrt(tally.squares) / tally.blocks for tally in (whole, shared)]
    assert abs(whole.mean - shared.mean) < 4.0 * sqrt(errors[0] ** 2 + errors[1] ** 2)
    assert abs(shared.mean) > 4.0 * errors[1], "else a bias towards 0 would not be seen"
    same = [score for _, score in played.scores if not score.differs]
    assert {score.difference for score in same} == {0.0}


async def test_a_table_that_breaks_makes_its_block_void_and_no_other() -> None:
    schedule = comparison_schedule([PAIRING], blocks=2, seats=3)

    class Breaks(Arena):
        def play(self, table: TableJob, *args: object, **others: object) -> object:
            if table.id == "0.3":
                raise RuntimeError("no room")
            return super().play(table, *args, **others)

    async with Breaks(job_of()) as arena:
        broken, sound = [await played_block(arena, block) for block in blocks_of(schedule)]
        kept = {key: line._insider for key, line in arena.pool._lines.items()}
    assert "no room" in broken.problem
    assert [result.lane for result in broken.results] == list(range(6))
    assert sound.problem == ""
    assert None in kept.values(), "those that have seen the deals of the void block see no more"


def test_a_block_is_begun_again_as_a_whole_and_given_up_as_a_whole() -> None:
    [block] = blocks_of(comparison_schedule([PAIRING], blocks=1, seats=3))
    runner = Runner(job_of(), [block], workers=1, on_results=lambda _: None)
    for attempt in range(1, MAX_ATTEMPTS + 1):
        unit = runner.next_table()
        assert [table.attempt for table in unit.tables] == [attempt] * 6
        runner.try_again(unit)
    assert runner.next_table() is None
    assert [result.id for result in runner.report.void] == [f"0.{lane}" for lane in range(6)]


@pytest.fixture
def out(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Screen:
    monkeypatch.chdir(FIXTURES)
    return Screen(capsys)


def test_the_command_says_how_often_auctions_differed_and_what_was_saved(out: Screen) -> None:
    bots = (f"bold={BIDDER}?pips=40", f"{BIDDER}?pips=44")
    words = ("--bidding", *bots, "--play", PLAY, "--differing", "--deals", "1")
    text = out.moon("compare", *words, "--seed", "tea", "--max-blocks", 8, code=6)
    assert text.startswith("bold against Bidder?pips=44/Greedy: rules tournament-3p")
    [line] = [line for line in text.splitlines() if "auctions differed" in line]
    assert " of 8 blocks (" in line
    assert " of 48 deals played out, " in line
    assert line.endswith("% saved")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("--bidding", "greedy", "counter"),
            "--bidding: compares how bots bid with one play; --play",
        ),
        (
            ("--play", "greedy", "counter", "random"),
            "--play: compares how bots bid with one play; ",
        ),
        (("--bidding", "--play", "greedy", "counter / greedy", "random"), "has two halves"),
        (("--differing", "greedy", "counter"), "greedy and counter play their tiles otherwise"),
    ],
)
def test_what_makes_no_comparison_of_auctions_is_refused(
    out: Screen, words: tuple[str, ...], said: str
) -> None:
    assert out.moon("compare", *words, code=2) == ""
    assert said in out.error
