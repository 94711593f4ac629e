"""How often `moon compare` is wrong, and how many blocks it needs: simulated comparisons.

    python benchmarks/compare.py                              # 2,000 of each kind
    python benchmarks/compare.py close lopsided --comparisons 200 --effect 0.3 --workers 2

Nobody plays: block scores are drawn. Three kinds of two bots: *close* ones differ at one deal in
four, *unlike* ones at every deal, and *lopsided* ones differ seldom and then by much, in one
direction more than in the other. A lead is given in standard deviations of a block score. Each
comparison is judged as the command judges it. The same command gives the same figures on any
machine.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from math import sqrt
from typing import NamedTuple

from tournaments.compare import Claim, ClaimPlan, Plan, RatioPlan, Verdict
from tournaments.compare.comparison import IMAGINED
from tournaments.evidence import MeanSequence, Tally, TwoSidedTest

GAMES = 6


class Kind(NamedTuple):
    """How the scores of a block are drawn, less their mean."""

    draw: Callable[[random.Random], float]
    sd: float


def close(rng: random.Random) -> float:
    """Draws a score of two bots that play three deals of four alike."""
    return 0.0 if rng.random() < 0.75 else rng.choice((-6, -3, -2, -1, 1, 2, 3, 6)) / 9


def unlike(rng: random.Random) -> float:
    """Draws the mean of six tables on one deal, of which each is lucky with the others."""
    shared = rng.gauss(0.0, 0.8)
    return round(9 * (shared + rng.gauss(0.0, 1.0 / sqrt(GAMES)))) / 9


def lopsided(rng: random.Random) -> float:
    """Draws a score that is a small loss mostly, and now and then a large gain."""
    return 1.8 if rng.random() < 0.1 else -0.2


KINDS = {
    "close": Kind(close, sqrt(0.25 * (36 + 9 + 4 + 1) / 4) / 9),
    "unlike": Kind(unlike, sqrt(0.64 + 1 / GAMES + 1 / (12 * 81))),
    "lopsided": Kind(lopsided, 0.6),
}


class Task(NamedTuple):
    """Comparisons of one kind."""

    kind: str
    lead: float
    """In standard deviations of a block score."""
    plan: Plan
    most: int


class End(NamedTuple):
    """How a comparison ended."""

    verdict: Verdict
    blocks: int
    is_covered: bool
    """Whether Student's interval, as it is printed at the end, holds the true mean."""
    is_always_covered: bool
    """Whether the interval for every look held it at every look."""


def run(task: Task, seed: int) -> End:
    """Runs one comparison."""
    kind = KINDS[task.kind]
    mean, rng = task.lead * kind.sd, random.Random(f"{task.kind}/{task.lead}/{seed}")
    tally, sequence, judge = Tally(), MeanSequence(IMAGINED), task.plan.judge(IMAGINED, 1)
    verdict, always = Verdict.NOT_DECIDED, True
    while verdict is Verdict.NOT_DECIDED and tally.blocks < task.most:
        tally.add(kind.draw(rng) + mean)
        judge.look(tally, last=tally.blocks == task.most)
        [is_rejected] = task.plan.rejected([judge])
        verdict = judge.verdict(is_rejected=is_rejected)
        low, high = sequence.interval(tally)
        always = always and low <= mean <= high
    low, high = tally.student_interval() or (mean, mean)
    return End(verdict, tally.blocks, low <= mean <= high, always)


def ends(task: Task, count: int, workers: int) -> Iterator[End]:
    """Yields the ends of so many comparisons, in order."""
    work = partial(run, task)
    if workers == 1:
        yield from map(work, range(count))
        return
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(work, range(count), chunksize=10)


def line(task: Task, name: str, found: Sequence[End]) -> str:
    """Returns the line of the table that sums comparisons up."""
    count = len(found)
    verdicts = Counter(end.verdict for end in found)
    blocks = sorted(end.blocks for end in found)
    shares = "".join(
        f"{verdicts[verdict] / count:9.1%}"
        for verdict in (
            Verdict.FIRST_BETTER,
            Verdict.SECOND_BETTER,
            Verdict.EQUAL,
            Verdict.NOT_DECIDED,
        )
    )
    covered = sum(end.is_covered for end in found) / count
    always = sum(end.is_always_covered for end in found) / count
    return (
        f"{name:14}{task.kind:10}{task.lead:+6.2f}{shares}{sum(blocks) / count:8.0f}"
        f"{blocks[int(0.95 * count)]:8}{covered:10.1%}{always:10.1%}"
    )


def main() -> None:
    """Simulates what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kinds", nargs="*", help=f"of {', '.join(KINDS)}; default: all")
    parser.add_argument("--comparisons", type=int, default=2000, help="default: %(default)s")
    parser.add_argument("--effect", type=float, default=0.1, help="default: %(default)s")
    parser.add_argument("--alpha", type=float, default=0.05, help="default: %(default)s")
    parser.add_argument("--beta", type=float, default=0.05, help="default: %(default)s")
    parser.add_argument("--max-blocks", type=int, default=5000, help="default: %(default)s")
    parser.add_argument("--workers", type=int, default=1, help="processes; default: %(default)s")
    options = parser.parse_args()
    if unknown := set(options.kinds) - set(KINDS):
        parser.error(f"no such kinds: {', '.join(sorted(unknown))}")
    test = TwoSidedTest(options.effect, options.alpha, options.beta)
    plans = {
        "GSPRT": RatioPlan(test),
        "diff>0": ClaimPlan(Claim(0.0), options.alpha),
    }
    print(
        f"{'':14}{'':10}{'lead':>6}{'A better':>9}{'B better':>9}{'equal':>9}{'open':>9}"
        f"{'blocks':>8}{'95 %':>8}{'covered':>10}{'always':>10}"
    )
    for name, plan in plans.items():
        for kind in options.kinds or KINDS:
            for lead in (0.0, options.effect, -options.effect, 2 * options.effect):
                most = options.max_blocks if isinstance(plan, RatioPlan) else 1000
                task = Task(kind, lead, plan, most)
                found = list(ends(task, options.comparisons, options.workers))
                print(line(task, name, found), flush=True)
    print("lead: in standard deviations of a block; blocks: mean, and 95 of 100 took no more;")
    print("covered: the interval printed at the end; always: the one for every look, at every look")


if __name__ == "__main__":
    main()
