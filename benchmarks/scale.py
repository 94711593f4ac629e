"""How the cost grows: with tables in flight, batches, workers, entrants, and tables of a night.

    python benchmarks/scale.py rates [--seconds 10]     # tables a second, with one thing changed
    python benchmarks/scale.py memory                   # what a table in flight takes
    python benchmarks/scale.py night [--tables 100000]  # a long night, and what is asked of it

Every bot is a process in the sandbox `basic`, asked over gRPC; every table is stored durably.
`rates` plays matches to the target between `first_legal`, `random` and `greedy`, with what it
changes in front; it counts from the moment on at which every lane has stored a table. `night` plays
matches of one deal with one worker, as `moon tournament run` does; it prints what the runner and
the worker hold after a tenth, half and all of the tables, and how long the commands take that read
it all.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.soak import held
from tests.e2e.events import Run
from tests.e2e.league import League, league
from tests.e2e.processes import below, command_line
from tournaments.bench.decisions import INSIDE, Tables, job_of
from tournaments.bench.tournament import BOTS, tournament_rate
from tournaments.runner.arena import Arena

TABLES_A_ROUND = 6
IN_FLIGHT = (64, 2048)
QUESTIONS = (
    ("standings",),
    ("standings", "--json"),
    ("h2h",),
    ("export", "--format", "jsonl"),
)


def variations() -> Iterator[tuple[str, dict[str, object]]]:
    """Yields what is changed, in words and as keys of a tournament file."""
    yield "as it comes", {}
    for number in (1, 8, 32, 128, 512):
        yield f"tables_in_flight {number}", {"tables_in_flight": number}
    for number in (1, 8, 32):
        yield f"max_batch {number}", {"max_batch": number}
    yield "call unary", {"call": "unary"}
    for number in (1, 2):
        yield f"workers {number}", {"workers": number}
    for number in (3, 6, 12, 24):
        bots = [f"e{place}={BOTS[place % len(BOTS)]}" for place in range(number)]
        yield f"entrants {number}", {"bots": bots}


def rates(seconds: float) -> None:
    """Prints the tables a second of each variation."""
    with tempfile.TemporaryDirectory(prefix="moon-scale-") as folder:
        for number, (words, keys) in enumerate(variations()):
            place = Path(folder) / str(number)
            place.mkdir()
            rate = asyncio.run(tournament_rate(seconds, place, keys))
            print(f"{words:24}{rate:8.1f} tables/s", flush=True)


async def memory() -> None:
    """Prints what a table in flight takes, its two sides of the questions included."""
    async with Arena(job_of(INSIDE)) as arena:
        tables = Tables(arena)
        sizes = []
        for number in IN_FLIGHT:
            await tables.rate(number, 1.0)
            sizes.append(await peak(tables, number))
    few, many = IN_FLIGHT
    each = 1024 * (sizes[1] - sizes[0]) / (many - few)
    print(f"{few} tables {sizes[0]:.1f} MiB, {many} tables {sizes[1]:.1f} MiB: {each:.1f} KiB each")


async def peak(tables: Tables, number: int) -> float:
    """Returns the MiB that this process holds with *number* tables in the middle of their match."""
    gc.collect()
    playing = asyncio.create_task(tables.rate(number, 3.0))
    await asyncio.sleep(2.0)
    what = held_by_us()
    await playing
    return what


def held_by_us() -> float:
    """Returns the MiB that this process holds."""
    text = Path("/proc/self/status").read_text()
    status = dict(line.split(":", 1) for line in text.splitlines())
    return int(status["VmRSS"].split()[0]) / 1024


def night(tables: int) -> None:
    """Plays *tables* tables, and reads them."""
    with league() as home:
        rounds = -(-tables // TABLES_A_ROUND)
        file = home.write("night.toml", bots=BOTS, rounds=rounds, deals=1)
        began = time.monotonic()
        run = Run(home, file)
        for wanted in (tables // 10, tables // 2, rounds * TABLES_A_ROUND - 300):
            run.wait_for(wanted)
            look(home, run, time.monotonic() - began)
        code = run.end()
        seconds = time.monotonic() - began
        print(f"{rounds * TABLES_A_ROUND} tables in {seconds:.0f} s, exit code {code}")
        print(f"store {size(home):.1f} MiB")
        for words in QUESTIONS:
            began = time.monotonic()
            out = home.out("tournament", words[0], "night.sqlite", *words[1:])
            taken = time.monotonic() - began
            print(f"moon tournament {' '.join(words):28}{taken:7.2f} s{len(out) / 2**20:9.1f} MiB")


def look(home: League, run: Run, seconds: float) -> None:
    """Prints what the runner and its worker hold now."""
    parts = []
    for name, word in (("runner", ""), ("worker", "runner.worker"), ("keeper", "keeper/__main__")):
        pids = [run.process.pid] if not word else [
            each.pid for each in below(run.process.pid) if word in command_line(each.pid)
        ]  # fmt: skip
        parts += [f"{name} {what.memory:.1f} MiB" for pid in pids if (what := held(pid))]
    parts.append(f"store {size(home):.1f} MiB")
    print(f"{len(run.announced):7} tables {seconds:6.0f} s  {', '.join(parts)}", flush=True)


def size(home: League) -> float:
    """Returns the MiB of the store, with what is still to be moved into it."""
    return sum(path.stat().st_size for path in home.folder.glob("night.sqlite*")) / 2**20


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("part", choices=("rates", "memory", "night"))
    parser.add_argument("--seconds", type=float, default=10.0, help="for each rate")
    parser.add_argument("--tables", type=int, default=100_000, help="of the night")
    options = parser.parse_args()
    if options.part == "rates":
        rates(options.seconds)
    elif options.part == "memory":
        asyncio.run(memory())
    else:
        night(options.tables)


if __name__ == "__main__":
    main()
