"""What equal deals, and playing out only what differs, save in comparing how two bots bid.

    python benchmarks/bidding.py                            # 300 blocks at three distances
    python benchmarks/bidding.py --blocks 100 --risk 0.5

`counter` bids against `counter?risk=R`, and `counter` plays for both; matches of one deal, inside
this process. The same six seatings are played on a deal each (*independent*), on one deal
(*equal*), and on one deal of which only what differs is played out (*differing*: the same scores).
Blocks needed are those that tell the difference to within 0.1 points a deal, at 95 %:
(1.96 sd / 0.1)^2. Times are processor time, of bots and referee together.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from math import sqrt

from referee.bots.terms import ClockTerms
from referee.rules import derive_key, seed_key
from tournaments.compare import Pairing, comparison_schedule, score_block
from tournaments.evidence import Tally
from tournaments.results import TableResult
from tournaments.runner.arena import Arena
from tournaments.runner.jobs import BlockDone, BlockJob, Job, TableJob
from tournaments.schedule import EntrantId

Play = Callable[[Arena, BlockJob], Awaitable[Sequence[TableResult]]]

BOT = "inproc:sample_bots.counter:Counter"
PAIRING = Pairing(EntrantId("as it is"), EntrantId("risky"))


def job_of(risk: float) -> Job:
    return Job(
        rules="tournament-3p",
        entrants={
            PAIRING.first: (f"{BOT} / {BOT}",),
            PAIRING.second: (f"{BOT}?risk={risk:g} / {BOT}",),
        },
        base="",
        deals=1,
        clock=ClockTerms(move_time=60.0, first_move=60.0, startup=60.0, grace=0.1),
    )


def blocks_of(count: int, *, equal: bool) -> list[BlockJob]:
    """Returns the blocks, each on one deal, or with a deal for each table."""
    schedule = comparison_schedule([PAIRING], blocks=count, seats=3)
    made = []
    for block in schedule.blocks:
        tables = []
        for table in block.tables:
            label = block.label if equal else f"{block.label}/{table.lane}"
            key = derive_key(seed_key("bidding"), label).hex()
            tables.append(TableJob(table.number, table.block, table.lane, table.seats, key))
        made.append(BlockJob(tuple(tables), {PAIRING.first: 1, PAIRING.second: -1}))
    return made


async def whole(arena: Arena, block: BlockJob) -> Sequence[TableResult]:
    return [(await arena.result(table)).result for table in block.tables]


async def differing(arena: Arena, block: BlockJob) -> Sequence[TableResult]:
    over: asyncio.Future[BlockDone] = asyncio.get_running_loop().create_future()
    arena.play_block(block, over.set_result)
    return (await over).results


async def measure(risk: float, count: int) -> None:
    job = job_of(risk)
    rules = job.terms().rules
    ways: dict[str, tuple[Play, bool]] = {
        "independent": (whole, False),
        "equal": (whole, True),
        "differing": (differing, True),
    }
    for way, (play, equal) in ways.items():
        async with Arena(job) as arena:
            begun = time.process_time()
            played = [await play(arena, block) for block in blocks_of(count, equal=equal)]
            spent = (time.process_time() - begun) / count
        scores = [score_block(rules, PAIRING, results) for results in played]
        tally = Tally(score.difference or 0.0 for score in scores)
        sd = sqrt(tally.squares / (count - 1))
        needed = (1.96 * sd / 0.1) ** 2
        low, high = tally.student_interval() or (tally.mean, tally.mean)
        out = sum(score.played_out for score in scores)
        print(
            f"{risk:5.2f}  {way:12}{tally.mean:+8.3f}  {low:+7.3f} to {high:+7.3f}{sd:8.3f}"
            f"{tally.decided / count:8.0%}{out:8}{needed:10.0f}{1000 * spent:10.1f}"
            f"{needed * spent / 60:10.1f}",
            flush=True,
        )


def main() -> None:
    """Measures what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--blocks", type=int, default=300, help="default: %(default)s")
    parser.add_argument("--risk", type=float, nargs="*", default=[0.1, 0.3, 1.0])
    options = parser.parse_args()
    print(
        f"{'risk':>5}  {'deals':12}{'mean':>8}  {'95 %':18}{'sd':>8}{'decided':>8}{'played':>8}"
        f"{'blocks':>10}{'ms/block':>10}{'CPU min':>10}"
    )
    for risk in options.risk:
        asyncio.run(measure(risk, options.blocks))


if __name__ == "__main__":
    main()
