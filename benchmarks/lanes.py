"""What a bot that remembers deals wins over counter: with lanes, and without them.

    python benchmarks/lanes.py [--rounds 8] [--deals 6]

The bot is `tests/fixtures/remembers.py`. It plays a round robin with two counters and a greedy, as
processes, by the tournament rules: once as every tournament is played, and once with all tables of
a block on one lane, so that the same process plays them all. Beside it: counter in its place.

A block is one observation: the points a deal that the entrant was ahead of the counters at its
tables. The intervals are Student's t over blocks. What memory is worth is the difference to counter
in its place, block by block.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import msgspec

from referee.bots.terms import ClockTerms
from referee.rules import derive_key, seed_key
from tournaments.rating.student import student_quantile
from tournaments.results import TableResult
from tournaments.runner.arena import Arena
from tournaments.runner.jobs import Job, TableJob
from tournaments.schedule import EntrantId, round_robin

REMEMBERS = Path(__file__).resolve().parents[1] / "tests" / "fixtures" / "remembers.py"
CHEAT = "cheat"
COUNTERS = ("counter1", "counter2")
IN_FLIGHT = 8
"""Blocks that are played at a time."""


class Mean(NamedTuple):
    """The mean over blocks, in points a deal."""

    value: float
    half: float
    """Half the width of its 95 % interval."""
    blocks: int

    @classmethod
    def of(cls, blocks: Sequence[float]) -> Mean:
        """Returns the mean of *blocks* with its interval."""
        count = len(blocks)
        half = student_quantile(0.95, count - 1) * statistics.stdev(blocks) / count**0.5
        return cls(statistics.mean(blocks), half, count)

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self.value - self.half

    def __str__(self) -> str:
        """Returns the mean with its interval."""
        return f"{self.value:+.2f} +- {self.half:.2f}"


def make_job(cheat: str, *, deals: int, rules: str = "tournament-3p") -> Job:
    """Returns the round robin in which the bot with the text *cheat* plays against counters."""
    return Job(
        rules=rules,
        entrants={
            CHEAT: (cheat,),
            **dict.fromkeys(COUNTERS, ("counter",)),
            "greedy": ("greedy",),
        },
        base=str(REMEMBERS.parent),
        deals=deals,
        # Nobody shall lose by the clock of a busy machine.
        clock=ClockTerms(move_time=60.0, first_move=60.0, startup=60.0),
    )


def make_tables(job: Job, *, rounds: int, seed: str = "lanes") -> list[TableJob]:
    """Returns the tables of a round robin of the entrants of *job*."""
    schedule = round_robin(
        [EntrantId(name) for name in job.entrants], seats=job.terms().rules.players, rounds=rounds
    )
    keys = [derive_key(seed_key(seed), block.label).hex() for block in schedule.blocks]
    return [TableJob(t.number, t.block, t.lane, t.seats, keys[t.block]) for t in schedule.tables]


def on_one_lane(tables: Sequence[TableJob]) -> list[TableJob]:
    """Returns *tables* with lanes switched off: one process plays every table of a block."""
    return [msgspec.structs.replace(table, lane=0) for table in tables]


async def play(job: Job, tables: Sequence[TableJob]) -> list[TableResult]:
    """Returns what becomes of *tables*; the tables of a block are played one after the other.

    So whatever is learnt at one table of a block can be used at the next.
    """
    async with Arena(job) as arena:
        places = asyncio.Semaphore(IN_FLIGHT)

        async def play_block(block: list[TableJob]) -> list[TableResult]:
            async with places:
                outcomes = [await arena.result(table) for table in block]
            for outcome in outcomes:
                assert not outcome.problem, outcome.problem
                assert not outcome.result.faults, outcome.result.faults
            return [outcome.result for outcome in outcomes]

        blocks = [list(block) for _, block in groupby(tables, key=lambda table: table.block)]
        return [
            result for block in await asyncio.gather(*map(play_block, blocks)) for result in block
        ]


def ahead_by_block(results: Sequence[TableResult], deals: int) -> list[float]:
    """Returns by how many points a deal the bot was ahead of the counters, block by block."""
    ahead: defaultdict[int, list[float]] = defaultdict(list)
    for result in results:
        scores = dict(zip(map(str, result.seats), result.scores, strict=True))
        rivals = [scores[name] for name in COUNTERS if name in scores]
        if CHEAT in scores and rivals:
            ahead[result.block].append((scores[CHEAT] - statistics.mean(rivals)) / deals)
    return [statistics.mean(tables) for tables in ahead.values()]


async def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=8, help="of 8 blocks each")
    parser.add_argument("--deals", type=int, default=6, help="in a match")
    options = parser.parse_args()
    deals = options.deals
    cheat = f"./{REMEMBERS.name}"
    tables = make_tables(make_job(cheat, deals=deals), rounds=options.rounds)
    print(f"{len(tables)} tables of {deals} deals, three times", file=sys.stderr)
    plain = await play(make_job("counter", deals=deals), tables)
    usual = ahead_by_block(plain, deals)
    print(f"points a deal over {len(usual)} blocks{'ahead of counter':>23}{'by memory':>17}")
    print(f"{'counter in its place':30}{Mean.of(usual)!s:>20}", flush=True)
    for name, chosen in (
        ("remembers, with lanes", tables),
        ("remembers, one lane", on_one_lane(tables)),
    ):
        ahead = ahead_by_block(await play(make_job(cheat, deals=deals), chosen), deals)
        memory = [mine - its for mine, its in zip(ahead, usual, strict=True)]
        print(f"{name:30}{Mean.of(ahead)!s:>20}{Mean.of(memory)!s:>17}", flush=True)


if __name__ == "__main__":
    asyncio.run(main())
