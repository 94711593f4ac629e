"""How long results take to read when there are many: time and memory of each command by tables.

    python benchmarks/standings.py [--tables 10000 50000 100000] [--entrants 20 5] [--shuffles 100]
    python benchmarks/standings.py --commands report [--tables 20000] [--entrants 20]

Makes stores of finished tables with three seats, and times the commands that read them, each as a
process of its own. Nothing is played for most of the tables: for every seating of four bots inside
the program (`first_legal`, `random`, `greedy`, `counter`, which are the bots of the entrants by
turns) some matches to the target are really played, with their records and times. The tables of a
store are these matches again, of the bots that sit there, under the number and the names of the
table, and they go into it by the store's own code. So results, records and sizes are those of a
real run, but for the deals, which do not follow from the seed, and matches come more than once.

Then a log of 20,000 tables is rated in as many orders as asked for, and an update of the live table
is timed by what was played before; with `--commands` nothing but these is timed. Exits with 1 if a
command fails, or two orders give other bytes.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice, product
from pathlib import Path
from typing import NamedTuple

from referee.bots.terms import ClockTerms
from referee.rules import derive_key, seed_key
from tournaments.config import TournamentConfig, parse_config
from tournaments.figures import table_figures
from tournaments.rating import Game, SkillModel
from tournaments.rating.preview import Preview
from tournaments.reports.standings_report import csv_rows
from tournaments.results import TableResult
from tournaments.runner.arena import Arena
from tournaments.runner.jobs import Job, TableJob
from tournaments.schedule import Table
from tournaments.standings import Results
from tournaments.store import Store

ROOT = Path(__file__).resolve().parents[1]
BOTS = {
    "first_legal": "inproc:first_legal:FirstLegal",
    "random": "inproc:random_bot:Random",
    "greedy": "inproc:greedy:Greedy",
    "counter": "inproc:counter:Counter",
}
"""By name: the bots that really play."""
MATCHES = 6
"""How many matches are played for each seating of them."""
GROUP = 100
"""How many tables go into the store at a time."""
SHUFFLED = 20_000
"""How many tables the log has that is rated in many orders."""
COMMANDS = {
    "standings": ("tournament", "standings"),
    "standings --json": ("tournament", "standings", "--json"),
    "h2h": ("tournament", "h2h"),
    "export csv": ("tournament", "export", "--format", "csv"),
    "export jsonl": ("tournament", "export", "--format", "jsonl"),
    "export jsonl --times": ("tournament", "export", "--format", "jsonl", "--times"),
    "report": ("report", "-o", "-"),
}

LAUNCHER = """
import os, resource, subprocess, sys, time
os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
began = time.monotonic()
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
took = time.monotonic() - began
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(took, used.ru_utime + used.ru_stime, used.ru_maxrss)
"""
"""Runs a command on one core. A process starts with the peak memory of the one that started it, so
that has to be a small one."""

Templates = dict[tuple[str, ...], list[TableResult]]
"""By who sits where: what became of some matches."""


async def play_templates() -> Templates:
    """Returns the matches that all stores are made of, played inside this process."""
    job = Job(
        rules="tournament-3p",
        entrants={name: (text,) for name, text in BOTS.items()} | _twins(),
        base=str(ROOT / "sample_bots"),
        clock=ClockTerms(grace=0.02),
    )
    wanted = [(kinds, match) for kinds in product(BOTS, repeat=3) for match in range(MATCHES)]
    found: Templates = {}
    async with Arena(job) as arena:
        tables = [
            TableJob(0, 0, 0, _seats(kinds), derive_key(seed_key("many"), f"{kinds}{match}").hex())
            for kinds, match in wanted
        ]
        for outcome, (kinds, _) in zip(
            await asyncio.gather(*map(arena.result, tables)), wanted, strict=True
        ):
            assert not outcome.problem, outcome.problem
            found.setdefault(kinds, []).append(outcome.result)
    return found


def _seats(kinds: Sequence[str]) -> tuple[str, ...]:
    """Returns the entrants of a table; the second of a kind is a twin."""
    return tuple(f"{kind}{kinds[:seat].count(kind) or ''}" for seat, kind in enumerate(kinds))


def _twins() -> dict[str, tuple[str]]:
    """Returns the same bots under other names, as an entrant has one seat at a table."""
    return {f"{name}{twin}": (text,) for name, text in BOTS.items() for twin in (1, 2)}


def tournament(entrants: int, tables: int) -> TournamentConfig:
    """Returns a tournament of so many entrants, with at least so many tables."""
    kinds = list(BOTS)
    names = [f"{kinds[n % len(kinds)]}-{n:02}" for n in range(entrants)]
    texts = [BOTS[kinds[n % len(kinds)]] for n in range(entrants)]
    data = {
        "name": "many",
        "bots": [f"{name}={text}" for name, text in zip(names, texts, strict=True)],
        "seed": "standings",
        "rounds": 1,
    }
    config = parse_config(data, path=ROOT / "sample_bots" / "many.toml")
    rounds = -(-tables // len(config.schedule().tables))
    return replace(config, rounds=rounds)


def result_at(table: Table, templates: Templates) -> TableResult:
    """Returns the result of *table*: a match of the bots that sit there, under its own name."""
    kinds = tuple(name.rpartition("-")[0] for name in table.seats)
    matches = templates[kinds]
    # Any rule by which every seating takes all matches in turn would do.
    match = matches[table.block * 7 % len(matches)]
    record = match.record.replace('"table":"0.0"', f'"table":"{table.id}"', 1)
    for seat, name in zip(match.seats, table.seats, strict=True):
        record = record.replace(f'"{seat}"', f'"{name}"', 1)
    return replace(
        match,
        number=table.number,
        block=table.block,
        lane=table.lane,
        seats=table.seats,
        record=record,
    )


def make_store(path: Path, config: TournamentConfig, tables: int, templates: Templates) -> None:
    """Makes a store in which the first *tables* of the schedule are played."""
    wanted = islice(config.schedule().tables, tables)
    with Store.create(path, config, code_version="benchmark") as store:
        while group := [result_at(table, templates) for table in islice(wanted, GROUP)]:
            store.add_results(group)


class Took(NamedTuple):
    """What a command took."""

    seconds: float
    """By the wall clock."""
    cpu: float
    """Of processor time, in seconds."""
    memory: float
    """At most, in MiB."""


def time_command(words: Sequence[str]) -> Took:
    """Runs `moon` with *words* on one core, and returns what it took."""
    environment = os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'proto'}"}
    # As where moon is installed: compiled once, and not at every start.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    program = [sys.executable, "-m", "tournaments.cli.main", *words]
    launcher = [sys.executable, "-c", LAUNCHER, *program]
    told = subprocess.run(launcher, env=environment, stdout=subprocess.PIPE, check=True).stdout
    seconds, cpu, memory = map(float, told.split())
    return Took(seconds, cpu, memory / 1024)


def measure(
    folder: Path,
    templates: Templates,
    sizes: Sequence[tuple[int, int]],
    commands: Sequence[str],
) -> None:
    """Prints a line for each store and command."""
    print(f"{'tables':>8}{'entrants':>10}{'MiB':>6}  {'command':22}{'s':>8}{'CPU s':>8}{'MiB':>6}")
    for entrants, tables in sizes:
        path = folder / f"{tables}-{entrants}.sqlite"
        make_store(path, tournament(entrants, tables), tables, templates)
        size = path.stat().st_size / 2**20
        for name in commands:
            took = time_command((*COMMANDS[name], str(path)))
            print(
                f"{tables:8}{entrants:10}{size:6.0f}  {name:22}"
                f"{took.seconds:8.1f}{took.cpu:8.1f}{took.memory:6.0f}",
                flush=True,
            )
        path.unlink()


def results_of(tables: int, templates: Templates) -> tuple[TournamentConfig, list[TableResult]]:
    """Returns a tournament of 20, and the results of its first *tables* with their figures."""
    config = tournament(20, tables)
    results = []
    for table in islice(config.schedule().tables, tables):
        result = result_at(table, templates)
        results.append(replace(result, figures=table_figures(result.record).to_text(), record=""))
    return config, results


def measure_update(templates: Templates) -> None:
    """Prints what an update of the live table takes, by the tables that were played before."""
    config, results = results_of(50_100, templates)
    schedule = config.schedule()
    for before in (1_000, 50_000):
        live = Results(config.rules, schedule, 1, results[:before])
        preview = Preview(schedule.entrants, SkillModel(), live.ratings())
        began = time.process_time()
        for result in results[before : before + GROUP]:
            live.take(result)
            preview.record(Game.of(result.seats, result.places))
        rows = len(live.figures), len(preview.ratings)
        took = time.process_time() - began
        assert rows == (20, 20)
        print(f"live table, {GROUP} tables after {before:6}: {1000 * took:6.1f} ms of CPU")


def all_orders_agree(shuffles: int, templates: Templates) -> bool:
    """Prints and returns whether the standings of a log are the same bytes in any order."""
    config, results = results_of(SHUFFLED, templates)
    schedule = config.schedule()
    rng = random.Random(1)
    seen = set()
    for _ in range(shuffles):
        rng.shuffle(results)
        table = Results(config.rules, schedule, 1, results).standings()
        told = repr(table.ranks) + repr(list(csv_rows(table)))
        seen.add(hashlib.sha256(told.encode()).hexdigest())
    print(f"{shuffles} orders of {SHUFFLED} tables: {len(seen)} different standings")
    return len(seen) <= 1


def main() -> int:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tables", type=int, nargs="+", default=[10_000, 50_000, 100_000])
    parser.add_argument("--entrants", type=int, nargs="+", default=[20, 5])
    parser.add_argument("--shuffles", type=int, default=100)
    parser.add_argument("--commands", nargs="+", choices=COMMANDS, help="time only these")
    parser.add_argument("--folder", help="where the stores are made, one at a time")
    options = parser.parse_args()
    templates = asyncio.run(play_templates())
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        sizes = list(product(options.entrants, options.tables))
        measure(Path(folder), templates, sizes, options.commands or list(COMMANDS))
    if options.commands:
        return 0
    measure_update(templates)
    return 0 if all_orders_agree(options.shuffles, templates) else 1


if __name__ == "__main__":
    sys.exit(main())
