"""How many decisions a second the referee gets out of three Python bots, by number of tables.

    python benchmarks/decisions.py [--seconds 5] [--rounds 3]

Three `first_legal` bots play matches by the tournament rules with every forced choice left to the
referee: by calls, by the stream, and inside the process. Each way of asking plays in turn, several
times, in one process of the referee, so that the ratios hold on a busy machine. Beside them: the
bare ways between two Python processes, which no harness on them can beat. `moon bench` is the short
form of this.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from referee.bots.echo import Echo
from referee.bots.terms import CallStyle
from tournaments.bench.decisions import BEHIND, INSIDE, Tables, job_of
from tournaments.runner.arena import Arena

UNARY = "unary, one table"
TABLES = (1, 8, 32, 96, 256)


async def ways(stack: AsyncExitStack) -> dict[str, Callable[[float], Awaitable[float]]]:
    """Returns every way of asking, its bots running, and the bare ways beside them."""
    echo = await stack.enter_async_context(Echo())
    found: dict[str, Callable[[float], Awaitable[float]]] = {
        "bare unix socket": echo.socket,
        "bare gRPC, unary": echo.unary,
        "bare gRPC, stream": echo.stream,
        "bare gRPC, 32 in a message": echo.batches,
        "bare gRPC, 32 decisions in a message": echo.decisions,
    }
    unary = Tables(await stack.enter_async_context(Arena(job_of(BEHIND, CallStyle.UNARY))))
    found[UNARY] = partial(unary.rate, 1)
    for name, bot in (("stream", BEHIND), ("inside", INSIDE)):
        tables = Tables(await stack.enter_async_context(Arena(job_of(bot))))
        for many in TABLES:
            words = "one table" if many == 1 else f"{many} tables in flight"
            found[f"{name}, {words}"] = partial(tables.rate, many)
    return found


async def main() -> None:
    """Measures and prints."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=3.0, help="for each measurement")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    rates: dict[str, list[float]] = {}
    async with AsyncExitStack() as stack:
        measured = await ways(stack)
        for number in range(options.rounds):
            print(f"round {number + 1} of {options.rounds}", file=sys.stderr)
            for name, rate in measured.items():
                rates.setdefault(name, []).append(await rate(options.seconds))
    base = statistics.median(rates[UNARY])
    print(f"{'':38}{'per second':>12}{'us each':>10}{'x unary':>9}")
    for name, values in rates.items():
        value = statistics.median(values)
        print(f"{name:38}{value:12,.0f}{1e6 / value:10.1f}{value / base:9.2f}")


if __name__ == "__main__":
    asyncio.run(main())
