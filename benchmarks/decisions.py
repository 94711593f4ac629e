"""How many decisions a second the referee gets out of three Python bots, by calls and streams.

    python benchmarks/decisions.py [--seconds 5] [--rounds 3]

Three `first_legal` bots play matches by the tournament rules with every forced choice left to the
referee. Each way of asking plays in turn, several times, in one process of the referee, so that the
ratios hold on a busy machine. Beside them: a bare gRPC echo of messages of the same size, unary and
streamed, between two Python processes; that is what no harness on gRPC can beat.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import time
from itertools import count

from referee.bots.handshake import open_channel
from referee.bots.terms import CallStyle
from referee.rules import derive_key, seed_key
from tournaments.runner.arena import Arena
from tournaments.runner.jobs import Done, Job, TableJob

ENTRANTS = ("a", "b", "c")
WAYS = {
    "unary, one table": (CallStyle.UNARY, 1),
    "stream, one table": (CallStyle.STREAM, 1),
    "stream, 8 tables in flight": (CallStyle.STREAM, 8),
    "stream, 32 tables in flight": (CallStyle.STREAM, 32),
    "stream, 128 tables in flight": (CallStyle.STREAM, 128),
}
MESSAGE = bytes(200)


class Way:
    """One way of asking, with its bots running."""

    def __init__(self, arena: Arena, tables: int) -> None:
        self.arena = arena
        self.tables = tables
        self.numbers = count()

    async def rate(self, seconds: float) -> float:
        """Returns the decisions a second over about so many seconds."""
        end = time.perf_counter() + seconds
        decisions = 0
        in_play = 0
        over = asyncio.Event()

        def begin() -> None:
            nonlocal in_play
            in_play += 1
            number = next(self.numbers)
            key = derive_key(seed_key("benchmark"), str(number)).hex()
            self.arena.play(TableJob(number, number, 0, ENTRANTS, key), done)

        def done(outcome: Done) -> None:
            nonlocal decisions, in_play
            assert not outcome.result.faults, outcome.result.faults
            seats = json.loads(outcome.result.timings)["seats"]
            decisions += sum(sum(seat["buckets"].values()) for seat in seats)
            in_play -= 1
            if time.perf_counter() < end:
                begin()
            elif in_play == 0:
                over.set()

        start = time.perf_counter()
        for _ in range(self.tables):
            begin()
        await over.wait()
        return decisions / (time.perf_counter() - start)


async def echo_rates(seconds: float) -> tuple[float, float]:
    """Returns the bare calls a second of gRPC between two Python processes: unary, streamed."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", ECHO, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    target = (await process.stdout.readline()).decode().strip()
    try:
        async with open_channel(target) as channel:
            unary = channel.unary_unary("/echo/unary")
            await unary(MESSAGE, wait_for_ready=True)
            calls, start = 0, time.perf_counter()
            while time.perf_counter() - start < seconds:
                await unary(MESSAGE)
                calls += 1
            unary_rate = calls / (time.perf_counter() - start)
            stream = channel.stream_stream("/echo/stream")()
            calls, start = 0, time.perf_counter()
            while time.perf_counter() - start < seconds:
                await stream.write(MESSAGE)
                await stream.read()
                calls += 1
            stream_rate = calls / (time.perf_counter() - start)
            stream.cancel()
    finally:
        process.kill()
        await process.wait()
    return unary_rate, stream_rate


ECHO = """
import sys, tempfile
from concurrent.futures import ThreadPoolExecutor
import grpc

class Echo(grpc.GenericRpcHandler):
    def service(self, details):
        if details.method == "/echo/unary":
            return grpc.unary_unary_rpc_method_handler(lambda request, context: request)
        return grpc.stream_stream_rpc_method_handler(lambda requests, context: requests)

server = grpc.server(ThreadPoolExecutor(2), handlers=[Echo()])
target = "unix:" + tempfile.mkdtemp() + "/s"
server.add_insecure_port(target)
server.start()
print(target, flush=True)
server.wait_for_termination(600)
"""


async def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=3.0, help="for each measurement")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    rates: dict[str, list[float]] = {}
    for round_number in range(options.rounds):
        print(f"round {round_number + 1} of {options.rounds}", file=sys.stderr)
        unary, stream = await echo_rates(options.seconds)
        rates.setdefault("bare echo, unary", []).append(unary)
        rates.setdefault("bare echo, stream", []).append(stream)
        for name, (style, tables) in WAYS.items():
            job = Job(
                rules="tournament-3p",
                entrants=dict.fromkeys(ENTRANTS, ("first_legal",)),
                base=".",
                call=style,
                tables_in_flight=tables,
            )
            async with Arena(job) as arena:
                way = Way(arena, tables)
                await way.rate(min(1.0, options.seconds))
                rates.setdefault(name, []).append(await way.rate(options.seconds))
    base = statistics.median(rates["unary, one table"])
    print(f"{'':30}{'per second':>12}{'us each':>10}{'x unary':>9}")
    for name, measured in rates.items():
        rate = statistics.median(measured)
        print(f"{name:30}{rate:12,.0f}{1e6 / rate:10.0f}{rate / base:9.2f}")


if __name__ == "__main__":
    asyncio.run(main())
