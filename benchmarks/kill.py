"""What is left of a run that is killed again and again: everything.

    python benchmarks/kill.py [--tables 500] [--kills 5] [--seed 1] [--workers 2]

Plays a tournament of built-in bots through, then the same one with `kill -9` at random moments,
continued each time, and compares what both say: the standings (measured times apart), every record,
and the fingerprint. After each kill it looks how long it takes until no worker, keeper or bot runs.
Exits with 1 if anything differs, or lives for more than two seconds.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
import time
from pathlib import Path

from referee.errors import StoreError
from tests.e2e.league import League, league
from tests.e2e.processes import belonging_to
from tournaments.store import Store

BOTS = ("first_legal", "random", "greedy", "counter")
TABLES_A_ROUND = 24
GONE = 2.0
"""Seconds within which everybody has to be gone."""
PATIENCE = 30.0


def main() -> int:
    options = _options()
    rounds = -(-options.tables // TABLES_A_ROUND)
    with league() as home:
        file = home.write(
            "night.toml", bots=BOTS, rounds=rounds, workers=options.workers, deals=None
        )
        print(f"{rounds * TABLES_A_ROUND} tables, {', '.join(BOTS)}, {options.workers} workers")
        through, killed = home.folder / "through.sqlite", home.folder / "killed.sqlite"
        began = time.monotonic()
        home.moon("tournament", "run", file, "--store", through)
        whole = time.monotonic() - began
        print(f"through: {whole:.1f} s")
        slowest = kill_again_and_again(home, file, killed, options)
        home.moon("tournament", "run", file, "--store", killed)
        print(f"continued to the end: {played(killed)} tables\n")
        same = compare(told(home, through), told(home, killed))
    print(f"\nall gone at most {slowest:.2f} s after a kill (allowed: {GONE:g} s)")
    return 0 if same and slowest <= GONE else 1


def kill_again_and_again(
    home: League, file: Path, store: Path, options: argparse.Namespace
) -> float:
    """Starts, kills and starts again; returns the longest that anybody lived on, in seconds."""
    rng = random.Random(options.seed)
    slowest = 0.0
    for number in range(1, options.kills + 1):
        process = home.start("tournament", "run", file, "--store", store)
        wanted = played(store) + rng.randrange(2 * options.tables // (options.kills + 2))
        while process.poll() is None and played(store) < wanted:
            time.sleep(0.05)
        time.sleep(rng.uniform(0.0, 1.0))
        running = belonging_to(home.folder)
        if process.poll() is not None:
            print(f"kill {number}: too late, it had ended")
            continue
        process.kill()
        process.communicate()
        began = time.monotonic()
        while left := belonging_to(home.folder):
            if time.monotonic() - began > PATIENCE:
                print(f"  still running: {sorted(each.pid for each in left)}")
                break
            time.sleep(0.01)
        gone = time.monotonic() - began
        slowest = max(slowest, gone)
        print(
            f"kill {number}: {len(running)} processes, all gone after {gone:.2f} s; "
            f"{played(store)} tables stored"
        )
    return slowest


def played(store: Path) -> int:
    try:
        with Store.open(store) as opened:
            return opened.counts().played
    except StoreError:  # killed before it was made
        return 0


def told(home: League, store: Path) -> dict[str, str]:
    """Returns all that the commands tell of *store*, what was measured apart, by what it is."""
    standings = json.loads(home.out("tournament", "standings", store, "--json"))
    del standings["measured"]
    return {
        "fingerprint": standings["fingerprint"],
        "standings": _hash(json.dumps(standings)),
        "records": _hash(home.out("tournament", "export", store, "--format", "jsonl")),
    }


def compare(through: dict[str, str], killed: dict[str, str]) -> bool:
    """Prints both side by side and returns whether they are the same."""
    for name, one in through.items():
        verdict = "equal" if one == killed[name] else f"DIFFERENT: {killed[name]}"
        print(f"{name:11} {one} {verdict}")
    return through == killed


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tables", type=int, default=500, help="rounded up to whole rounds")
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1, help="of the moments of the kills")
    parser.add_argument("--workers", type=int, default=2)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
