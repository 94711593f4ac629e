"""How the scores of blocks, one after the other, become a verdict on one pairing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Protocol

from tournaments.compare.verdicts import Claim, Verdict
from tournaments.evidence import (
    FLOOR,
    Bounds,
    Direction,
    MeanSequence,
    Tally,
    TwoSidedRun,
    TwoSidedTest,
    e_bh,
    expected_length,
    holm,
)


class Judge(Protocol):
    """Looks at the tally of one pairing, and may come to a verdict."""

    @property
    def strength(self) -> float:
        """What speaks for one of the two, in the measure that the plan weighs."""

    def look(self, tally: Tally, *, last: bool = False) -> None:
        """Looks at the scores so far; *last* if there will be no more."""

    def verdict(self, *, is_rejected: bool) -> Verdict:
        """Returns the verdict; *is_rejected*: whether the plan takes the strength for enough."""

    def within(self, tally: Tally) -> float:
        """Returns within how many points a deal the two are, if they are found equal."""

    def blocks_left(self, tally: Tally) -> float:
        """Returns how many blocks more it will about take; infinite if nothing is known of it."""


class Plan(Protocol):
    """How a comparison comes to its verdicts."""

    @property
    def alpha(self) -> float:
        """How often one may be called better that is not, among all pairings."""

    def blocks_needed(self, pairings: int) -> int:
        """Returns before how many blocks none of so many *pairings* can be called better."""

    def judge(self, imagined: float, pairings: int) -> Judge:
        """Returns the judge of one of so many *pairings*; `MeanSequence` says what is imagined."""

    def rejected(self, judges: Sequence[Judge]) -> Sequence[bool]:
        """Returns for each of *judges* whether its strength is enough among all of them."""


@dataclass(frozen=True, slots=True)
class RatioPlan:
    """The two-sided t-value test; several pairings by Holm's procedure on p-values.

    The p-values hold at whatever look one stops, so Holm's may be applied at every look.
    """

    test: TwoSidedTest

    @property
    def alpha(self) -> float:
        """That of the test."""
        return self.test.alpha

    def blocks_needed(self, pairings: int) -> int:
        """Returns what the clearest lead takes, or the floor."""
        return self.test.blocks_to_win(pairings)

    def judge(self, imagined: float, pairings: int) -> RatioJudge:
        """Returns the judge of a pairing; its strength is a p-value."""
        del pairings
        return RatioJudge(self.test, MeanSequence(imagined))

    def rejected(self, judges: Sequence[Judge]) -> Sequence[bool]:
        """Returns what Holm's procedure rejects."""
        return [p <= self.alpha for p in holm([judge.strength for judge in judges])]


@dataclass(frozen=True, slots=True)
class ClaimPlan:
    """A confidence sequence until a claim is decided; several pairings by e-BH on e-values."""

    claim: Claim
    alpha: float = 0.05

    def blocks_needed(self, pairings: int) -> int:
        """Returns when the confidence sequence begins."""
        del pairings
        return FLOOR

    def judge(self, imagined: float, pairings: int) -> ClaimJudge:
        """Returns the judge of a pairing; its strength is the logarithm of an e-value."""
        return ClaimJudge(self.claim, MeanSequence(imagined, alpha=self.alpha / pairings))

    def rejected(self, judges: Sequence[Judge]) -> Sequence[bool]:
        """Returns what e-BH rejects."""
        return e_bh([judge.strength for judge in judges], self.alpha)


class RatioJudge:
    """Looks at a pairing by the two-sided t-value test."""

    def __init__(self, test: TwoSidedTest, sequence: MeanSequence) -> None:
        self.test, self.run = test, TwoSidedRun(test)
        self._sequence = sequence

    @property
    def strength(self) -> float:
        """The p-value of no difference."""
        return self.run.p_value

    def look(self, tally: Tally, *, last: bool = False) -> None:
        """Looks at the scores so far, where a look is due."""
        if last or self.test.is_look(tally.blocks):
            self.run.look(tally)

    def verdict(self, *, is_rejected: bool) -> Verdict:
        """Returns the verdict."""
        found = self.run.direction(is_rejected=is_rejected)
        return Verdict.NOT_DECIDED if found is None else _VERDICTS[found]

    def within(self, tally: Tally) -> float:
        """Returns the difference that is excluded: t1 standard deviations of a block score."""
        return self.test.t1 * self._sequence.sd(tally)

    def blocks_left(self, tally: Tally) -> float:
        """Returns what a Brownian motion with the drift seen so far would take."""
        if tally.blocks < 2:
            return inf
        t, run, test = tally.mean / self._sequence.sd(tally), self.run, self.test
        sides = [(t, run.up, run.level_up), (-t, run.down, run.level_down)]
        lengths = [self._length(*side) for side in sides]
        # The one that is ahead ends it all by itself; else both have to come down.
        ahead = 0 if t >= 0.0 else 1
        is_won = abs(t) > 0.5 * test.t1 and not sides[ahead][2]
        likely = lengths[ahead] if is_won else max(lengths)
        return max(likely, float(test.floor - tally.blocks))

    def _length(self, t: float, ratio: float, is_level: bool) -> float:
        if is_level:
            return 0.0
        limits = self.test.bounds()
        left = Bounds(min(limits.lower - ratio, -1e-6), max(limits.upper - ratio, 1e-6))
        return expected_length(t, 0.0, self.test.t1, left).observations


class ClaimJudge:
    """Looks at a pairing by a confidence sequence.

    Attributes:
        strength: The logarithm of the e-value against the edge of the claim; 0 on its wrong side.
        alpha: How often the interval may ever miss the difference.
    """

    def __init__(self, claim: Claim, sequence: MeanSequence) -> None:
        self.claim, self.alpha, self.strength = claim, sequence.alpha, 0.0
        self._sequence, self._tally = sequence, Tally()
        self._falls = claim.falls
        self._ends: tuple[float, float] | None = None

    @property
    def low(self) -> float:
        """The lower end of the sequence's interval at the last look, in points a deal."""
        return self._interval[0]

    @property
    def high(self) -> float:
        """The upper end."""
        return self._interval[1]

    def look(self, tally: Tally, *, last: bool = False) -> None:
        """Looks at the scores so far. All looks are covered, so there is one at every block."""
        del last
        self._tally, self._ends = tally, None
        self._falls = tally.mean < 0.0 if self.claim.both else self.claim.falls
        edge = self._edge
        is_beyond = tally.mean < edge if self._falls else tally.mean > edge
        self.strength = max(0.0, self._sequence.log_e(tally, edge)) if is_beyond else 0.0

    def verdict(self, *, is_rejected: bool) -> Verdict:
        """Returns the verdict."""
        claim = self.claim
        if is_rejected:
            if self._falls:
                return Verdict.SECOND_BETTER
            is_better = claim.edge >= 0.0 or self._is_above(0.0)
            return Verdict.FIRST_BETTER if is_better else Verdict.NOT_WORSE
        if claim.is_margin:
            is_worse = self._is_below(claim.edge)
            return Verdict.SECOND_BETTER if is_worse else Verdict.NOT_DECIDED
        size = abs(claim.edge)
        if self._is_below(size) and self._is_above(-size):
            return Verdict.EQUAL
        if not claim.both and not claim.falls and self._is_below(0.0):
            return Verdict.SECOND_BETTER
        if claim.falls and self._is_above(0.0):
            return Verdict.FIRST_BETTER
        return Verdict.NOT_DECIDED

    def within(self, tally: Tally) -> float:
        """Returns the size of the claim."""
        del tally
        return abs(self.claim.edge)

    def blocks_left(self, tally: Tally) -> float:
        """Returns when the interval will about be narrow enough, if the mean stays where it is."""
        if tally.blocks < 2:
            return inf
        if tally.blocks < FLOOR:
            return float(FLOOR - tally.blocks)
        edge, mean = self.claim.edge, tally.mean
        goals = (edge, -edge if self.claim.both else edge)
        goal = min(goals, key=lambda each: abs(mean - each))
        width = mean - self.low if goal < mean else self.high - mean
        return (
            max(0.0, tally.blocks * ((width / (mean - goal)) ** 2 - 1.0)) if mean != goal else inf
        )

    def _is_above(self, mean: float) -> bool:
        return self._tally.mean > mean and self._sequence.side(self._tally, mean) > 0

    def _is_below(self, mean: float) -> bool:
        return self._tally.mean < mean and self._sequence.side(self._tally, mean) < 0

    @property
    def _interval(self) -> tuple[float, float]:
        if self._ends is None:
            self._ends = self._sequence.interval(self._tally)
        return self._ends

    @property
    def _edge(self) -> float:
        return -self.claim.edge if self.claim.both and self._falls else self.claim.edge


_VERDICTS = {
    Direction.UP: Verdict.FIRST_BETTER,
    Direction.DOWN: Verdict.SECOND_BETTER,
    Direction.LEVEL: Verdict.EQUAL,
}
