"""How often the 95 % intervals of the second opinion hold what the games were drawn from.

    python benchmarks/luce.py [--seasons 400]      # six minutes of one core

Four entrants of known strength play 40 blocks, and a fifth plays some blocks with them. A block has
several tables of the same entrants; with *repeated* 0.5 every table after the first has the finish
of the first with that probability, which changes how much a block tells, and no strength. The
figures are the shares of intervals that held, of the newcomer and of the four others.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from math import exp
from typing import NamedTuple

from tournaments.rating import Game, plackett_luce

OTHERS = {"ann": 0.6, "bob": 0.2, "cyd": -0.2, "dan": -0.6}
NEW = "new"


class Case(NamedTuple):
    """A newcomer, and the blocks it plays."""

    blocks: int
    tables: int
    seats: int
    repeated: float
    strength: float


CASES = (
    *(Case(blocks, 3, 3, repeated, 0.0) for repeated in (0.0, 0.5) for blocks in (10, 15, 30)),
    *(Case(blocks, 2, 2, 0.0, 0.0) for blocks in (10, 15, 30)),
    *(Case(blocks, 1, 3, 0.0, 0.0) for blocks in (10, 15, 30)),
    *(Case(blocks, 3, 3, 0.0, 1.5) for blocks in (10, 30)),
)


def block_of(rng: random.Random, case: Case, names: Sequence[str]) -> list[Game]:
    """Returns the games of a block of *names*."""
    strengths = {**OTHERS, NEW: case.strength}
    games: list[Game] = []
    while len(games) < case.tables:
        if games and rng.random() < case.repeated:
            games.append(games[0])
            continue
        # The model: whoever has the first of exponential clocks is first, and so on.
        clocks = {name: rng.expovariate(exp(strengths[name])) for name in names}
        games.append(Game.of(sorted(names, key=clocks.__getitem__), range(case.seats)))
    return games


def season(case: Case, number: int) -> tuple[list[bool], list[bool]]:
    """Returns whether the interval of the newcomer held, if it had one, and those of the others."""
    rng = random.Random(f"{case} {number}")
    others = sorted(OTHERS)
    blocks = {n: block_of(rng, case, rng.sample(others, case.seats)) for n in range(40)}
    for n in range(40, 40 + case.blocks):
        blocks[n] = block_of(rng, case, [*rng.sample(others, case.seats - 1), NEW])
    strengths = {**OTHERS, NEW: case.strength}
    rows = [row for row in plackett_luce(blocks) if row.low is not None and row.high is not None]
    mean = sum(strengths[row.entrant] for row in rows) / max(1, len(rows))
    held: tuple[list[bool], list[bool]] = ([], [])
    for row in rows:
        assert row.low is not None
        assert row.high is not None
        is_held = row.low <= strengths[row.entrant] - mean <= row.high
        held[row.entrant != NEW].append(is_held)
    return held


def main() -> None:
    """Prints a line for each case."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seasons", type=int, default=400)
    seasons = parser.parse_args().seasons
    print("blocks tables seats repeated strength  new    of  others")
    for case in CASES:
        new: list[bool] = []
        others: list[bool] = []
        for number in range(seasons):
            for found, more in zip((new, others), season(case, number), strict=True):
                found.extend(more)
        print(
            f"{case.blocks:6} {case.tables:6} {case.seats:5} {case.repeated:8} "
            f"{case.strength:8} {100 * sum(new) / max(1, len(new)):6.1f} {len(new):4} "
            f"{100 * sum(others) / max(1, len(others)):6.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
