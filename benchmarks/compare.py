"""How often `moon compare` is wrong, and how many blocks it needs: simulated comparisons.

    python benchmarks/compare.py --test gsprt --effect 0.3     # 2,000 of each kind
    python benchmarks/compare.py unlike --test until --leads 0 0.3 0.5 --comparisons 200

Nobody plays: block scores are drawn. Three kinds of two bots: *close* ones differ at one block in
four, *unlike* ones at every block, and *lopsided* ones lose a little at nine blocks of ten and gain
much at one. The last have scores of two values only, so nothing is drawn: each number of gains that
there may be is followed with its probability. Two kinds more are played on request: a moon is all
that tells two bots apart, in three blocks of a hundred, where four sit at a table as *pairs* (it
counts 21/2 a block of matches of one deal) or with a *third* bot (21/6). A lead is given in
standard deviations of a block score. Each comparison is judged as the command judges it; of what is
drawn, looks that are far from deciding anything are left out. The same command gives the same
figures on any machine.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache, partial
from math import copysign, log, sqrt
from typing import NamedTuple

from tournaments.compare import (
    Claim,
    ClaimJudge,
    ClaimPlan,
    Judge,
    Plan,
    RatioJudge,
    RatioPlan,
    Verdict,
)
from tournaments.evidence import FLOOR, MeanSequence, Scores, Tally, TwoSidedTest

GAMES = 6

IMAGINED = 21 / 9
"""The imagined block of a confidence sequence: a moon at one of nine seats, in one deal."""

NEAR_UPPER = 0.5
"""See `Kind.near`."""

NEGLIGIBLE = 1e-9
"""The probability of what is not followed any further."""

UNLIKELY = 3.5
"""Student's log-likelihood ratio below which no confidence sequence leaves a mean out: it takes at
least 4.7 by the empirical one, which is about the same where scores are not lopsided."""


class Kind(NamedTuple):
    """How the scores of a block come about, less their mean."""

    sd: float
    draw: Callable[[random.Random], float]
    near: float
    """How near the log-likelihood ratio of the t-value has to be to the lower bound, by its closed
    form, to be worked out. The form is too high there by up to 0.4 for unlike bots and by up to
    1.4 for close ones; at the upper bound it is not too low by more than `NEAR_UPPER`."""


class TwoValues(NamedTuple):
    """Scores of two values, with a mean of 0."""

    sd: float
    usual: float
    rare: float
    chance: float
    """How often the score is the rare one."""
    imagined: float = IMAGINED
    """See `MeanSequence`."""


def close(rng: random.Random) -> float:
    """Draws a score of two bots that play three deals of four alike."""
    return 0.0 if rng.random() < 0.75 else rng.choice((-6, -3, -2, -1, 1, 2, 3, 6)) / 9


def unlike(rng: random.Random) -> float:
    """Draws the mean of six tables on one deal, of which each is lucky with the others."""
    shared = rng.gauss(0.0, 0.8)
    return round(9 * (shared + rng.gauss(0.0, 1.0 / sqrt(GAMES)))) / 9


def moons(size: float, chance: float = 0.03) -> TwoValues:
    """Returns scores of which a moon is gained in a few, and a little lost in all others."""
    loss = -size * chance / (1.0 - chance)
    return TwoValues((size - loss) * sqrt(chance * (1.0 - chance)), loss, size, chance, size)


KINDS: dict[str, Kind | TwoValues] = {
    "close": Kind(sqrt(0.25 * (36 + 9 + 4 + 1) / 4) / 9, close, 1.5),
    "unlike": Kind(sqrt(0.64 + 1 / GAMES + 1 / (12 * 81)), unlike, 0.5),
    "lopsided": TwoValues(0.6, -0.2, 1.8, 0.1),
    "pairs": moons(21 / 2),
    "third": moons(21 / 6),
}

USUAL = ("close", "unlike", "lopsided")

PLANS = ("gsprt", "until")


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
    """Whether the 95 % interval, as it is printed at the end, holds the true mean."""
    is_always_covered: bool
    """Whether the interval for every look held it at every look."""


class RememberingTest(TwoSidedTest):
    """A test that works out once what is asked for often."""

    @lru_cache(1000)  # noqa: B019 - it lives as long as the program
    def ratio(self, scores: Scores) -> float:
        """Returns what the test does."""
        return super().ratio(scores)


class Path(NamedTuple):
    """What matters of the scores of two values so far."""

    rare: int = 0
    """How many of them were the rare ones."""
    is_level_up: bool = False
    """Whether the test of a lead of the first has accepted that there is none."""
    is_level_down: bool = False
    is_always_covered: bool = True


def reckoned(task: Task, kind: TwoValues) -> Counter[End]:
    """Returns how a comparison of scores of two values may end, each end with its probability."""
    found, paths = Counter[End](), Counter({Path(): 1.0})
    for blocks in range(1, task.most + 1):
        later = Counter[Path]()
        for path, share in paths.items():
            later[path] += share * (1.0 - kind.chance)
            later[path._replace(rare=path.rare + 1)] += share * kind.chance
        paths.clear()
        for path, share in later.items():
            if share < NEGLIGIBLE:
                continue
            after, end = (path, None) if blocks < FLOOR else follow(task, kind, path, blocks)
            if end is None:
                paths[after] += share
            else:
                found[end] += share
    return found


def follow(task: Task, kind: TwoValues, path: Path, blocks: int) -> tuple[Path, End | None]:
    """Returns what a path comes to by a look after so many *blocks*, and how it ends if it does."""
    mean, tally = task.lead * kind.sd, Tally()
    for score, count in ((kind.usual, blocks - path.rare), (kind.rare, path.rare)):
        if count:
            tally.add(score + mean, count)
    always = path.is_always_covered and MeanSequence(kind.imagined).side(tally, mean) == 0
    path = path._replace(is_always_covered=always)
    judge, is_last = task.plan.judge(kind.imagined, 1), blocks == task.most
    if isinstance(judge, RatioJudge):
        judge.run.level_up, judge.run.level_down = path.is_level_up, path.is_level_down
    judge.look(tally, last=is_last)
    if isinstance(judge, RatioJudge):
        run = judge.run
        path = path._replace(is_level_up=run.level_up, is_level_down=run.level_down)
    [is_rejected] = task.plan.rejected([judge])
    verdict = judge.verdict(is_rejected=is_rejected)
    if verdict is Verdict.NOT_DECIDED and not is_last:
        return path, None
    low, high = tally.interval() or (mean, mean)
    return path, End(verdict, blocks, low <= mean <= high, always)


class Spread:
    """The mean and the variance so far, at little cost."""

    __slots__ = ("blocks", "squares", "total")

    def __init__(self) -> None:
        self.blocks, self.total, self.squares = 0, 0.0, 0.0

    def add(self, score: float) -> None:
        """Takes one score more."""
        self.blocks += 1
        self.total += score
        self.squares += score * score

    def ratio(self, mean: float) -> float:
        """Returns Student's log-likelihood ratio against *mean*."""
        found = self.total / self.blocks
        variance = self.squares / self.blocks - found * found
        return 0.5 * self.blocks * (found - mean) ** 2 / max(variance, 1e-12)

    def may_decide(self, judge: Judge, near: float) -> bool:
        """Whether a look may come to a verdict."""
        if isinstance(judge, ClaimJudge):
            return self.ratio(judge.claim.edge) > UNLIKELY
        assert isinstance(judge, RatioJudge)
        test, run, n = judge.test, judge.run, self.blocks
        bounds, t = test.bounds(), copysign(sqrt(2.0 * self.ratio(0.0) / n), self.total)
        sides = [t] * (not run.level_up) + [-t] * (not run.level_down)
        ratios = [0.5 * n * log((1.0 + t * t) / (1.0 + (t - test.t1) ** 2)) for t in sides]
        low, high = bounds.lower + near, bounds.upper - NEAR_UPPER
        return test.is_look(n) and not all(low < ratio < high for ratio in ratios)


def run(task: Task, kind: Kind, seed: int) -> End:
    """Runs one comparison."""
    mean, rng = task.lead * kind.sd, random.Random(f"{task.kind}/{task.lead}/{seed}")
    tally, sequence, judge = Tally(), MeanSequence(IMAGINED), task.plan.judge(IMAGINED, 1)
    spread, waiting, verdict, always = Spread(), list[float](), Verdict.NOT_DECIDED, True
    while verdict is Verdict.NOT_DECIDED and spread.blocks < task.most:
        waiting.append(kind.draw(rng) + mean)
        spread.add(waiting[-1])
        is_last = spread.blocks == task.most
        if spread.blocks < FLOOR and not is_last:
            continue
        is_look = is_last or spread.may_decide(judge, kind.near)
        is_far = always and spread.ratio(mean) > UNLIKELY
        if is_look or is_far:
            while waiting:
                tally.add(waiting.pop())
        if is_look:
            judge.look(tally, last=is_last)
            [is_rejected] = task.plan.rejected([judge])
            verdict = judge.verdict(is_rejected=is_rejected)
        if is_far:
            always = not sequence.side(tally, mean)
    low, high = tally.interval() or (mean, mean)
    return End(verdict, tally.blocks, low <= mean <= high, always)


def ends(task: Task, count: int, workers: int) -> Counter[End]:
    """Returns how often so many comparisons ended how, or the probability of each end."""
    kind = KINDS[task.kind]
    if isinstance(kind, TwoValues):
        return reckoned(task, kind)
    work = partial(run, task, kind)
    if workers == 1:
        return Counter(map(work, range(count)))
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        return Counter(pool.map(work, range(count), chunksize=10))


def line(task: Task, name: str, found: Counter[End]) -> str:
    """Returns the line of the table that sums comparisons up."""
    total = sum(found.values())

    def share(of: Callable[[End], bool]) -> float:
        return sum(weight for end, weight in found.items() if of(end)) / total

    verdicts = (
        Verdict.FIRST_BETTER,
        Verdict.SECOND_BETTER,
        Verdict.EQUAL,
        Verdict.NOT_DECIDED,
    )
    shares = "".join(f"{share(lambda end, v=v: end.verdict is v):9.1%}" for v in verdicts)
    mean = sum(end.blocks * weight for end, weight in found.items()) / total
    blocks = sorted({end.blocks for end in found})
    most = next(n for n in blocks if share(lambda end, n=n: end.blocks <= n) >= 0.95)
    covered = share(lambda end: end.is_covered)
    always = share(lambda end: end.is_always_covered)
    return (
        f"{name:14}{task.kind:10}{task.lead:+6.2f}{shares}{mean:8.0f}{most:8}"
        f"{covered:10.1%}{always:10.1%}"
    )


def main() -> None:
    """Simulates what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "kinds", nargs="*", help=f"of {', '.join(KINDS)}; default: {', '.join(USUAL)}"
    )
    parser.add_argument("--comparisons", type=int, default=2000, help="default: %(default)s")
    parser.add_argument("--test", choices=PLANS, help="default: both")
    parser.add_argument("--effect", type=float, default=0.1, help="default: %(default)s")
    parser.add_argument("--leads", nargs="+", type=float, help="default: 0, T and -T of --effect")
    parser.add_argument("--alpha", type=float, default=0.05, help="default: %(default)s")
    parser.add_argument("--beta", type=float, default=0.05, help="default: %(default)s")
    parser.add_argument("--max-blocks", type=int, default=5000, help="default: %(default)s")
    parser.add_argument("--workers", type=int, default=1, help="processes; default: %(default)s")
    options = parser.parse_args()
    if unknown := set(options.kinds) - set(KINDS):
        parser.error(f"no such kinds: {', '.join(sorted(unknown))}")
    test = RememberingTest(options.effect, options.alpha, options.beta)
    plans: dict[str, Plan] = {
        "gsprt": RatioPlan(test),
        "until": ClaimPlan(Claim(0.0), options.alpha),
    }
    print(
        f"{'':14}{'':10}{'lead':>6}{'A better':>9}{'B better':>9}{'equal':>9}{'open':>9}"
        f"{'blocks':>8}{'95 %':>8}{'covered':>10}{'always':>10}"
    )
    for name in [options.test] if options.test else PLANS:
        for kind in options.kinds or USUAL:
            for lead in options.leads or (0.0, options.effect, -options.effect):
                most = options.max_blocks if name == "gsprt" else 1000
                task = Task(kind, lead, plans[name], most)
                found = ends(task, options.comparisons, options.workers)
                print(line(task, name, found), flush=True)
    print("lead: in standard deviations of a block; blocks: mean, and 95 of 100 took no more;")
    print("covered: the interval printed at the end; always: the one for every look, at every look")


if __name__ == "__main__":
    main()
