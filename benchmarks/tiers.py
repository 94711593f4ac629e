"""What holding a bot costs: its start and its round trips, in each tier beside none, in one run.

    python benchmarks/tiers.py [--starts 20] [--calls 500]

The bot is `first_legal`. The tiers take turns, start by start, so that whatever else the machine
does meets all of them. A start lasts from the request to the answer of the handshake; a round trip
is a unary handshake of the running bot, one after another.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from referee.bots.calls import BotCalls
from referee.bots.handshake import open_channel, shake_hands
from referee.bots.keeper_client import Keeper
from referee.bots.process import BotProcess
from referee.bots.sandbox import Limits, Sandbox, Tier, TierUnavailableError, check_tier
from referee.bots.spec import parse_bot

PATIENCE = 60.0


async def one(keeper: Keeper, tier: Tier, calls: int) -> tuple[float, list[float]]:
    """Returns how long a bot took to start, and each of its round trips, in milliseconds."""
    process = BotProcess(parse_bot("first_legal", Path()), keeper, Sandbox(tier, Limits()))
    begun = time.perf_counter()
    async with process:
        channel = open_channel(await asyncio.wait_for(process.listening(), PATIENCE))
        try:
            bot = BotCalls(channel)
            await shake_hands(bot, PATIENCE)
            ready = 1000 * (time.perf_counter() - begun)
            trips = []
            for _ in range(calls):
                since = time.perf_counter()
                await shake_hands(bot, PATIENCE)
                trips.append(1000 * (time.perf_counter() - since))
        finally:
            await channel.close()
    return ready, trips


def available() -> list[Tier]:
    """Returns the tiers of this host, and says why one is missing."""
    found = []
    for tier in Tier:
        try:
            check_tier(tier)
        except TierUnavailableError as error:
            print(error)
        else:
            found.append(tier)
    return found


def share(values: Sequence[float], part: float) -> float:
    """Returns what *part* (0 to 1) of *values* do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


async def main(starts: int, calls: int) -> None:
    """Measures and prints."""
    tiers = available()
    ready: dict[Tier, list[float]] = defaultdict(list)
    trips: dict[Tier, list[float]] = defaultdict(list)
    async with Keeper() as keeper:
        for _ in range(starts):
            for tier in tiers:
                taken, more = await one(keeper, tier, calls)
                ready[tier].append(taken)
                trips[tier] += more
    print(f"{starts} starts and {starts * calls} calls in each tier; milliseconds")
    print(f"{'':10}{'start':>8}{'(least)':>9}{'added':>8}{'trip p50':>10}{'p90':>8}{'p99':>8}")
    for tier in tiers:
        middle = statistics.median(ready[tier])
        added = middle - statistics.median(ready[tiers[0]])
        times = [share(trips[tier], part) for part in (0.5, 0.9, 0.99)]
        print(
            f"{tier:10}{middle:8.0f}{min(ready[tier]):9.0f}{added:8.0f}"
            f"{times[0]:10.2f}{times[1]:8.2f}{times[2]:8.2f}"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--starts", type=int, default=20)
    parser.add_argument("--calls", type=int, default=500)
    arguments = parser.parse_args()
    asyncio.run(main(arguments.starts, arguments.calls))
