"""How long ratings take, beside a loop that tells how fast the machine is; does order matter?

    python benchmarks/ratings.py [--tables 100000] [--entrants 20] [--shuffles 100]

Makes a log of tables for three by a model in which performances are normal, and rates it: all games
at once (`rate`), with the intervals of the standings (`rank_table`), and by the second opinion
(`plackett_luce`). Times are of one core, and also in calibration loops of plain Python, so that
figures of different machines can be compared. Then a log of 20,000 tables of ten entrants is rated
in as many orders as asked for; `benchmarks/standings.py` does the same with records that were
really played.
Exits with 1 if two orders give other bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import TypeVar

from tournaments.rating import Block, Game, plackett_luce, rank_table, rate

T = TypeVar("T")
SHUFFLED, FIELD = 20_000, 10
"""How many tables the log has that is rated in many orders, and how many entrants."""
LOOPS = 5_000_000
"""Rounds of the calibration loop."""


def calibration() -> float:
    """Returns the seconds that the calibration loop takes: the least of three."""
    best = float("inf")
    for _ in range(3):
        began = time.process_time()
        total = 0
        for each in range(LOOPS):
            total += each & 3
        best = min(best, time.process_time() - began)
    return best


def log_of(tables: int, entrants: int) -> list[Block]:
    """Returns blocks of three tables, of entrants whose skills are spread by 0.3 beta."""
    rng = random.Random(1)
    names = [f"bot-{number:02}" for number in range(entrants)]
    skill = {name: rng.gauss(0.0, 0.3) for name in names}
    known: dict[tuple[tuple[str, ...], tuple[int, ...]], Game] = {}
    blocks = []
    for _ in range(tables // 3):
        seats = tuple(sorted(rng.sample(names, 3)))
        games = []
        for _ in range(3):
            shown = [skill[name] + rng.gauss(0.0, 1.0) for name in seats]
            ranks = tuple(sorted(shown, reverse=True).index(each) for each in shown)
            if rng.random() < 0.05:
                ranks = tuple(max(0, rank - 1) for rank in ranks)
            # Equal games are one object, as the standings make them.
            games.append(known.setdefault((seats, ranks), Game.of(seats, ranks)))
        blocks.append(Block("-".join(seats), tuple(games)))
    return blocks


def timed(what: str, unit: float, work: Callable[[], T]) -> T:
    """Runs *work*, and prints the seconds of one core it took, and how many calibration loops."""
    began = time.process_time()
    found = work()
    took = time.process_time() - began
    print(f"{what:40}{took:8.2f} s{took / unit:8.1f} loops", flush=True)
    return found


def main() -> int:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tables", type=int, default=100_000)
    parser.add_argument("--entrants", type=int, default=20)
    parser.add_argument("--shuffles", type=int, default=100)
    options = parser.parse_args()
    unit = calibration()
    print(f"{'calibration loop':40}{unit:8.2f} s", flush=True)
    about = f"{options.tables} tables of {options.entrants}"
    blocks = log_of(options.tables, options.entrants)
    games = [game for block in blocks for game in block.games]
    timed(f"rate, {about}", unit, lambda: rate(games))
    timed(f"rank_table, {about}", unit, lambda: rank_table(blocks))
    numbered = {number: block.games for number, block in enumerate(blocks)}
    timed(f"plackett_luce, {about}", unit, lambda: plackett_luce(numbered))
    different = orders(options.shuffles)
    print(f"{options.shuffles} orders of {SHUFFLED} tables: {different} different ratings")
    return 0 if different <= 1 else 1


def orders(shuffles: int) -> int:
    """Returns how many different ratings so many orders of one log give."""
    played = [game for block in log_of(SHUFFLED + 2, FIELD) for game in block.games][:SHUFFLED]
    # What a game is called does not depend on the order, and takes longer than to rate them all.
    outcomes = {id(game): game.outcome for game in played}
    log = [outcomes[id(game)] for game in played]
    rng, seen = random.Random(2), set()
    for _ in range(shuffles):
        rng.shuffle(log)
        seen.add(hashlib.sha256(repr(rate(Counter(log))).encode()).hexdigest())
    return len(seen)


if __name__ == "__main__":
    sys.exit(main())
