"""Lanes: no process sees a deal twice, so a bot that remembers deals wins nothing by it."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import msgspec
import pytest

from benchmarks.lanes import (
    CHEAT,
    REMEMBERS,
    Mean,
    ahead_by_block,
    make_job,
    make_tables,
    on_one_lane,
    play,
)
from referee.bots.pool import LineKey
from referee.bots.sandbox import Sandbox, Tier
from referee.rules import deal_tiles
from tests.e2e.inprocess import told
from tournaments.runner.arena import Arena
from tournaments.runner.jobs import Job, TableJob

DEALS = 4
ROUNDS = 3


@pytest.fixture(autouse=True)
def no_bot_left_behind(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Gives the bots of a test a place of their own."""
    with tempfile.TemporaryDirectory(prefix="m") as name:
        monkeypatch.setenv("XDG_RUNTIME_DIR", name)
        yield


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """Returns the file in which the bots note what they meet."""
    path = tmp_path / "report"
    path.touch()
    return path


class Met(NamedTuple):
    """A process that meets a deal, or recognises it."""

    process: int
    block: int
    deal: int
    seat: int


def read(report: Path, job: Job, tables: Sequence[TableJob]) -> tuple[list[Met], list[Met]]:
    """Returns the deals that were met, and those that were recognised.

    A bot knows no blocks; which one a deal is of is told by the hand.
    """
    rules = job.terms().rules
    keys = {table.block: bytes.fromhex(table.key) for table in tables}
    dealt = {
        (deal, seat, hand): block
        for block, key in keys.items()
        for deal in range(DEALS)
        for seat, hand in enumerate(deal_tiles(key, deal, rules).hands)
    }
    met: list[Met] = []
    known: list[Met] = []
    for line in report.read_text().splitlines():
        *numbers, word = line.split()
        process, deal, seat, hand = map(int, numbers)
        found = Met(process, dealt[deal, seat, hand], deal, seat)
        (met if word == "new" else known).append(found)
    return met, known


def met_again(met: Sequence[Met]) -> list[tuple[int, int, int]]:
    """Returns the process, the block and the deal, wherever a process met a deal more than once."""
    times = Counter((m.process, m.block, m.deal) for m in met)
    return [deal for deal, count in times.items() if count > 1]


def unheld(job: Job) -> Job:
    """Returns *job* with bots that may write a report where they like."""
    return msgspec.structs.replace(job, sandbox=Sandbox(Tier.NONE))


def remembering(report: Path) -> str:
    return f"remembers=./{REMEMBERS.name}?report={quote(str(report))}"


async def test_with_lanes_a_bot_that_remembers_every_deal_plays_as_if_it_remembered_none(
    report: Path,
) -> None:
    job = unheld(make_job(remembering(report), deals=DEALS))
    tables = make_tables(job, rounds=ROUNDS)
    results = await play(job, tables)
    met, known = read(report, job, tables)
    at_tables = sum(CHEAT in table.seats for table in tables)
    assert len(met) == at_tables * DEALS, "it does not look at every deal"
    assert (met_again(met), known) == ([], [])
    assert told(results) == told(await play(make_job("counter", deals=DEALS), tables))


async def test_without_lanes_the_same_bot_recognises_deals_and_clearly_beats_counter(
    report: Path,
) -> None:
    job = unheld(make_job(remembering(report), deals=DEALS))
    tables = make_tables(job, rounds=ROUNDS)
    results = await play(job, on_one_lane(tables))
    met, known = read(report, job, tables)
    repeated = len(met) - len({(m.block, m.deal) for m in met})
    assert len(met_again(met)) == repeated / 2, "two more tables with each deal of the first"
    assert len(known) > 0.9 * repeated
    assert Mean.of(ahead_by_block(results, DEALS)).low > 0


@pytest.mark.parametrize("lanes", [True, False])
async def test_the_two_seats_of_a_pair_and_its_seats_on_other_lanes_are_different_processes(
    report: Path, lanes: bool
) -> None:
    bot = remembering(report)
    job = msgspec.structs.replace(
        unheld(make_job(bot, deals=DEALS, rules="tournament-4p")),
        entrants={"ann": (bot, bot), "bob": (bot, bot)},
    )
    tables = make_tables(job, rounds=1)
    await play(job, tables if lanes else on_one_lane(tables))
    met, known = read(report, job, tables)
    seats = {(m.process, m.seat) for m in met}
    assert len(met) == 2 * 4 * DEALS
    if lanes:
        assert len(seats) == len({m.process for m in met}) == 8
        assert (met_again(met), known) == ([], [])
    else:
        assert len(seats) == 8
        assert len({m.process for m in met}) == 4
        assert len(met_again(met)) == 4 * DEALS
        assert known


async def test_two_seats_of_a_table_are_refused_the_same_process() -> None:
    async with Arena(make_job("counter", deals=1)) as arena:
        same = LineKey(CHEAT, 0, 0)
        with pytest.raises(ValueError, match="one process"):
            arena.pool.seat([same, LineKey("greedy", 0, 0), same])
        arena.pool.seat([same, LineKey(CHEAT, 0, 1), LineKey(CHEAT, 1, 0)])


async def test_a_table_that_was_void_is_played_again_by_processes_that_have_not_seen_its_deals(
    report: Path,
) -> None:
    bot = remembering(report)
    job = msgspec.structs.replace(
        unheld(make_job(bot, deals=DEALS)), entrants=dict.fromkeys(("ann", "bob", "cyd"), (bot,))
    )
    table = make_tables(job, rounds=1)[0]

    def fail(_: object) -> None:
        raise RuntimeError("our own fault")

    async with Arena(job) as arena:
        void = await arena.result(table, watch=fail)
        assert void.result.is_void
        before, _ = read(report, job, [table])
        again = await arena.result(msgspec.structs.replace(table, attempt=2))
    assert not again.result.is_void
    met, _ = read(report, job, [table])
    assert {m.deal for m in before} == {0}
    assert {m.process for m in before}.isdisjoint(m.process for m in met[len(before) :])
    assert met_again(met) == []
