"""What a decision takes of the processors, in the referee and in the bots.

    python benchmarks/sides.py [--seconds 0.5] [--rounds 5] [--tables 1 96 256]

Three `first_legal` bots are asked over the stream by one process, as in
`benchmarks/decisions.py`, but what counts is processor time, so that other programs that run take
less away; the lowest of the rounds is shown. Beside it stands what the asking end of the bare
stream takes for messages of one and of 32 decisions, in the same rounds. On a busy machine all of
it grows alike, so compare figures of one run with each other.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from contextlib import AsyncExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from referee.bots.echo import BATCH, Echo
from tournaments.bench.decisions import BEHIND, Tables, job_of
from tournaments.runner.arena import Arena
from tournaments.runner.working import spare_the_collector


async def bare(echo: Echo, seconds: float, batch: int) -> float:
    """Returns the microseconds of this process for a decision of the bare stream."""
    before, begun = time.process_time(), time.perf_counter()
    rate = await echo.decisions(seconds, batch)
    return 1e6 * (time.process_time() - before) / (rate * (time.perf_counter() - begun))


async def ours(arena: Arena, tables: Tables, many: int, seconds: float) -> tuple[float, float]:
    """Returns the microseconds for a decision with *many* tables in play: here, and in its bot."""
    decided, before, used = tables.decisions, time.process_time(), _used(arena)
    await tables.rate(many, seconds)
    decisions = tables.decisions - decided
    here, there = time.process_time() - before, _used(arena) - used
    return 1e6 * here / decisions, 1e6 * there / decisions


def _used(arena: Arena) -> float:
    return sum(use.total for use in arena.pool.cpu.values())


async def main() -> None:
    """Measures and prints."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=0.5, help="for each measurement")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tables", type=int, nargs="+", default=[1, 96, 256])
    options = parser.parse_args()
    referee: dict[str, list[float]] = {}
    bots: dict[str, list[float]] = {}
    async with AsyncExitStack() as stack:
        echo = await stack.enter_async_context(Echo())
        arena = await stack.enter_async_context(Arena(job_of(BEHIND)))
        tables = Tables(arena)
        await tables.rate(max(options.tables), options.seconds)
        spare_the_collector()  # as a worker does
        for _ in range(options.rounds):
            for batch in (1, BATCH):
                name = f"bare stream, {batch} in a message"
                referee.setdefault(name, []).append(await bare(echo, options.seconds, batch))
            for many in options.tables:
                name = f"{many} tables in play"
                here, there = await ours(arena, tables, many, options.seconds)
                referee.setdefault(name, []).append(here)
                bots.setdefault(name, []).append(there)
    print(f"{'us of processor time a decision':36}{'asking':>9}{'bot':>9}")
    for name, values in referee.items():
        bot = f"{min(bots[name]):9.1f}" if name in bots else ""
        print(f"{name:36}{min(values):9.1f}{bot}")


if __name__ == "__main__":
    asyncio.run(main())
