"""What a long night leaves behind: nothing, and nobody grows.

    python benchmarks/soak.py [--tables 1000] [--workers 2]

Plays many short tables of two honest bots and one that goes wrong at about every third of them: it
crashes, sleeps past its time, answers with what is not legal, leaves children, or leaves a process
that has left its session, its parent and its environment, by turns. It prints at 100, 300 and all
tables what the runner, the workers and their keepers hold, and at the end what is left. Exits with
1 if a table is missing, an honest bot was charged, anything is left, or somebody has grown since
the third hundred tables.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from tests.e2e.events import Run
from tests.e2e.league import league
from tests.e2e.processes import belonging_to, below, command_line
from tournaments.store import Store

TABLES_A_ROUND = 6
GROWTH = 16.0
"""MiB by which somebody may differ between two looks; tables in play and bots differ too."""
DESCRIPTORS = 40
"""How many files by which; each running bot takes three or four."""

FAULTY = """
import os, sys, time, zlib
from referee.sdk import Bid, Bot, serve

SLEEP = [sys.executable, "-c", "import time; time.sleep(3600)"]

class Faulty(Bot):
    "Goes wrong at a third of the hands, in one of five ways that the hand decides."
    name = "faulty"

    def bid(self, view):
        luck = zlib.crc32(str(view.hand).encode())
        if luck % 3:
            return view.legal[0]
        return (self.crash, self.sleep, self.cheat, self.fork, self.hide)[luck // 3 % 5](view)

    def crash(self, view):
        os._exit(3)

    def sleep(self, view):
        time.sleep(2.5)
        return view.legal[0]

    def cheat(self, view):
        return next(bid for bid in reversed(Bid) if bid not in view.legal)

    def fork(self, view):
        os.posix_spawn(SLEEP[0], SLEEP, os.environ)
        return view.legal[0]

    def hide(self, view):
        if os.fork() == 0:
            os.setsid()
            os.posix_spawn(SLEEP[0], SLEEP, {})
            os._exit(0)
        os.wait()
        os._exit(4)

serve(Faulty())
"""


class Held(NamedTuple):
    """What a process holds."""

    memory: float
    """In MiB."""
    files: int
    threads: int


def main() -> int:
    options = _options()
    rounds = -(-options.tables // TABLES_A_ROUND)
    tables = rounds * TABLES_A_ROUND
    with league() as home:
        (home.folder / "faulty.py").write_text(FAULTY)
        clock = {"move_time": "1s", "first_move": "5s", "strikes": 1000}
        keys = {"rounds": rounds, "workers": options.workers, "clock": clock}
        file = home.write(
            "night.toml", bots=("./meek.py", "./tall.py", "./faulty.py"), tables_in_flight=8, **keys
        )
        began = time.monotonic()
        run = Run(home, file)
        looks = [look(run, wanted) for wanted in (100, 300) if wanted < tables]
        looks.append(look(run, tables - 4 * options.workers))
        code = run.end()
        print(f"\n{tables} tables in {time.monotonic() - began:.0f} s, exit code {code}")
        left = belonging_to(home.folder)
        files = [path.name for path in home.folder.glob("moon-*")]
        with Store.open(home.folder / "night.sqlite") as store:
            results = list(store.results())
            void = store.counts().void
    faults = Counter((fault.entrant, fault.kind) for r in results for fault in r.faults)
    told = ", ".join(f"{who} {kind} {count}" for (who, kind), count in sorted(faults.items()))
    hit = sum(bool(result.faults) for result in results)
    honest = [who for who, _ in faults if who != "faulty"]
    print(f"{len(results)} played, {void} void, {hit} with faults: {told}")
    ours = run.said.count("a fault of moon's own")
    print(f"honest bots charged: {honest or 'none'}; faults of our own: {ours}")
    print(f"left: {len(left)} processes, {len(files)} directories of bots with their sockets")
    grown = growth(looks[-2], looks[-1]) if len(looks) > 1 else []
    print(f"grown: {', '.join(grown) or 'nobody'}")
    good = code == 0 and len(results) == tables and hit > tables // 6
    return 0 if good and not (honest or left or files or grown or void or ours) else 1


def look(run: Run, wanted: int) -> dict[str, Held]:
    """Prints and returns what everybody holds once *wanted* tables were announced."""
    run.wait_for(wanted)
    everybody = below(run.process.pid)
    found = {"runner": held(run.process.pid)}
    for kind, word in (("worker", "runner.worker"), ("keeper", "keeper/__main__.py")):
        for process in sorted(everybody):
            if word in command_line(process.pid) and (what := held(process.pid)) is not None:
                found[f"{kind} {process.pid}"] = what
    print(f"{len(run.announced)} tables, {len(everybody)} processes below the runner")
    known = {name: what for name, what in found.items() if what is not None}
    for name, what in known.items():
        print(f"  {name:14}{what.memory:7.1f} MiB{what.files:5} files{what.threads:4} threads")
    sys.stdout.flush()
    return known


def held(pid: int) -> Held | None:
    """Returns what *pid* holds; nothing if it is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        files = len(list(Path(f"/proc/{pid}/fd").iterdir()))
    except OSError:
        return None
    status = dict(line.split(":", 1) for line in lines)
    return Held(int(status["VmRSS"].split()[0]) / 1024, files, int(status["Threads"]))


def growth(early: dict[str, Held], late: dict[str, Held]) -> list[str]:
    """Returns who holds more than before, or is not the same process any more."""
    grown = [name for name in early if name not in late]
    for name in early.keys() & late.keys():
        before, after = early[name], late[name]
        more_files = after.files - before.files > DESCRIPTORS
        more_threads = after.threads - before.threads > 4
        if after.memory - before.memory > GROWTH or more_files or more_threads:
            grown.append(name)
    return grown


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tables", type=int, default=1000, help="rounded up to whole rounds")
    parser.add_argument("--workers", type=int, default=2)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
