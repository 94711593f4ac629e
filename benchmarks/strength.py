"""How much stronger each sample bot is than the one before it.

    python benchmarks/strength.py                       # every step, both games
    python benchmarks/strength.py counter 'counter?risk=0.3' --rules tournament-4p --blocks 500

Bots are called directly: no process, wire or clock. Three players: the two bots and one of them
again, by turns, in the three cyclic seatings over one sequence of deals. Four: two of each as
pairs, and the sides swapped. Those tables together are a block, and a block is one observation: the
intervals are Student's t over blocks. The same command gives the same figures on any machine.
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import shlex
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from referee.bots.spec import parse_bot
from referee.match import Match, MatchReferee, Terms
from referee.rules import derive_key, parse_rules, seed_key
from referee.sdk import Bot, View
from referee.sdk.asking import ask
from tournaments.rating.student import student_quantile

STEPS = ("first_legal", "random", "greedy", "counter", "sampler")
GAMES = ("tournament-3p", "tournament-4p")


class Table(NamedTuple):
    """What became of a table, by seat."""

    points: tuple[int, ...]
    wins: tuple[float, ...]
    """The share each seat has in the first place."""
    deals: int


class Step(NamedTuple):
    """Two bots to compare, and what they play."""

    weaker: str
    stronger: str
    rules: str
    deals: int | None
    seed: str


class Block(NamedTuple):
    """The tables over one sequence of deals: means over the seats of the weaker, the stronger."""

    points: tuple[float, float]
    """Points a deal."""
    wins: tuple[float, float]
    """Matches won."""


class Figure(NamedTuple):
    """A mean over blocks."""

    mean: float
    half: float
    """Half the width of its 95 % interval."""

    @classmethod
    def of(cls, blocks: Sequence[float]) -> Figure:
        """Returns the mean of *blocks*."""
        count = len(blocks)
        half = student_quantile(0.95, count - 1) * statistics.stdev(blocks) / count**0.5
        return cls(statistics.mean(blocks), half)


def make(text: str) -> Bot:
    """Returns the sample bot that *text* names, such as ``counter?risk=0.3``."""
    spec = parse_bot(text, Path.cwd())
    module = importlib.import_module(spec.command[-1])
    kind = next(
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, Bot)
        and value.__module__ == module.__name__
    )
    return kind.with_params(dict(spec.params))


def play(bots: Sequence[Bot], terms: Terms, key: bytes) -> Table:
    """Plays a table.

    Raises:
        RuntimeError: if a bot makes an illegal choice.
    """
    referee = MatchReferee("strength", Match.start(terms, key), tuple(bot.name for bot in bots))
    while (question := referee.question) is not None:
        choice = ask(bots[question.seat], View.of(question.view))
        if fault := referee.answer(choice, 0):
            raise RuntimeError(f"{bots[question.seat].name}: {fault}")
    result, rules = referee.result, terms.rules
    assert result is not None
    sides = [rules.side_of(seat) for seat in range(rules.players)]
    firsts = result.places.count(1)
    return Table(
        tuple(result.scores[side] for side in sides),
        tuple((result.places[side] == 1) / firsts for side in sides),
        referee.match.number + 1,
    )


def block(step: Step, number: int) -> Block:
    """Plays the block with *number*."""
    bots = [make(step.weaker), make(step.stronger)]
    terms = Terms(parse_rules(step.rules), deals=step.deals)
    key = derive_key(seed_key(step.seed), f"block/{number}")
    if terms.rules.players == 3:
        trio = (0, 1, number % 2)
        seatings = [tuple(trio[(seat + turn) % 3] for seat in range(3)) for turn in range(3)]
    else:
        seatings = [(0, 1, 0, 1), (1, 0, 1, 0)]
    tables = [play([bots[who] for who in seats], terms, key) for seats in seatings]
    deals = statistics.mean(table.deals for table in tables)

    def mean(who: int, values: Callable[[Table], Sequence[float]]) -> float:
        rows = zip(seatings, tables, strict=True)
        return statistics.mean(
            value
            for seats, table in rows
            for at, value in zip(seats, values(table), strict=True)
            if at == who
        )

    points, wins = [
        (mean(0, values), mean(1, values))
        for values in (lambda table: table.points, lambda table: table.wins)
    ]
    return Block((points[0] / deals, points[1] / deals), wins)


def blocks(step: Step, count: int, workers: int) -> Iterator[Block]:
    """Yields so many blocks of *step*, in order."""
    work = partial(block, step)
    if workers == 1:
        yield from map(work, range(count))
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        yield from pool.map(work, range(count), chunksize=4)


def line(step: Step, played: Sequence[Block], seconds: float) -> str:
    """Returns the line of the table that sums *step* up."""
    points = Figure.of([stronger - weaker for weaker, stronger in (b.points for b in played)])
    wins = Figure.of([stronger - weaker for weaker, stronger in (b.wins for b in played)])
    weaker, stronger = (statistics.mean(b.wins[who] for b in played) for who in (0, 1))
    return (
        f"{step.rules:19}{f'{step.stronger} over {step.weaker}':28}"
        f"{f'{points.mean:+.2f} ± {points.half:.2f}':>15}"
        f"{f'{stronger:.1%} to {weaker:.1%}':>18}{f'{wins.mean:+.1%} ± {wins.half:.1%}':>18}"
        f"{len(played):8}{seconds:8.0f} s"
    )


def main() -> None:
    """Plays what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("bots", nargs="*", default=STEPS, help="each is measured against the next")
    parser.add_argument("--rules", action="append", help=f"default: {' and '.join(GAMES)}")
    parser.add_argument("--blocks", type=int, default=100, help="default: %(default)s")
    parser.add_argument("--deals", type=int, help="deals of a match; default: to the target")
    parser.add_argument("--seed", default="strength", help="of the deals; default: %(default)s")
    parser.add_argument("--workers", type=int, default=1, help="processes; default: %(default)s")
    options = parser.parse_args()
    if len(options.bots) < 2 or options.blocks < 2:
        parser.error("at least two bots and two blocks")
    print(
        f"{'rules':19}{'':28}{'points a deal':>15}{'wins a seat':>18}{'difference':>18}"
        f"{'blocks':>8}{'time':>10}"
    )
    for rules in options.rules or GAMES:
        for weaker, stronger in pairwise(options.bots):
            step = Step(weaker, stronger, rules, options.deals, options.seed)
            begun = time.perf_counter()
            played = list(blocks(step, options.blocks, options.workers))
            print(line(step, played, time.perf_counter() - begun), flush=True)
    print("± is half of a 95 % interval over blocks; an even seat wins 33.3% of three, 50% of four")
    print(f"again: python benchmarks/strength.py {shlex.join(sys.argv[1:])}".rstrip())


if __name__ == "__main__":
    main()
