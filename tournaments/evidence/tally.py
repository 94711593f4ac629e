"""Block scores as they come in: counted, never listed, so that a look costs what the values do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from math import fsum, inf, sqrt

from tournaments.evidence.empirical import best_bet, reach
from tournaments.evidence.scores import EvidenceError, Scores
from tournaments.evidence.sequential import NormalMixture, rejects
from tournaments.rating.student import student_quantile

INTENDED = 400
"""The number of blocks near which the confidence sequence of a mean is sharpest."""

FLOOR = 60
"""Blocks before which nothing is decided. What happens in one block of ten is missing from the
first 30 in 4 comparisons of 100, which then look like a sure lead of the other side; from the
first 60 in 2 of 1,000."""

ROUNDING = 1e-12
"""The part of a score by which two that are the same may differ, as they were added up."""


class Tally:
    """How often each block score happened so far.

    The order in which scores were added changes no number, and the tally of the scores with their
    signs turned has the same numbers with their signs turned, to the last bit.
    """

    def __init__(self, scores: Iterable[float] = ()) -> None:
        self._counts: Counter[float] = Counter()
        self.blocks = 0
        """How many there are."""
        for score in scores:
            self.add(score)

    def add(self, score: float, count: int = 1) -> None:
        """Takes one score more, or so many that are alike."""
        self._counts[score + 0.0] += count  # there is one zero, not two
        self.blocks += count

    @property
    def decided(self) -> int:
        """How many scores are not 0."""
        return self.blocks - self._counts[0.0]

    @property
    def mean(self) -> float:
        """The mean score, 0 if there is none."""
        if len(self._counts) == 1:
            return next(iter(self._counts))
        return fsum(x * n for x, n in self._counts.items()) / self.blocks if self.blocks else 0.0

    @property
    def squares(self) -> float:
        """The sum of the squared distances from the mean; exactly 0 if all scores are alike.

        They are if they differ by no more than their rounding may.
        """
        if self._counts and self._spread() <= ROUNDING * max(map(abs, self._counts)):
            return 0.0
        mean = self.mean
        return fsum(n * (x - mean) ** 2 for x, n in self._counts.items())

    def items(self) -> Collection[tuple[float, int]]:
        """Returns each score with how often it happened."""
        return self._counts.items()

    def scores(self) -> Scores:
        """Returns the distribution, judgeable without spread too.

        What could have happened as well gets a pseudo-count: 0, and the largest score turned round.
        """
        return Scores.of(self._counts.elements(), self._support())

    def turned(self) -> Scores:
        """Returns the distribution of the scores with their signs turned."""
        return Scores.of((-x + 0.0 for x in self._counts.elements()), self._support())

    def _support(self) -> tuple[float, ...]:
        largest = max(map(abs, self._counts), default=0.0) or 1.0
        return -largest, 0.0, largest

    def student_interval(self, confidence: float = 0.95) -> tuple[float, float] | None:
        """Returns Student's interval of the mean, one block being one observation.

        It is for a number of blocks that was fixed beforehand. ``None`` where there is no spread
        to make it of: with fewer than two blocks, or if all scores are alike.
        """
        if self.squares == 0.0:
            return None
        half = student_quantile(confidence, self.blocks - 1) * self._error()
        return self.mean - half, self.mean + half

    def interval(self, confidence: float = 0.95) -> tuple[float, float] | None:
        """Returns an interval of the mean that heeds the shape of the scores.

        From block `FLOOR` on that of the empirical likelihood (A. B. Owen 1988), with Student's
        quantile for the normal one: of lopsided scores it reaches further to where the rare ones
        lie. Before, the shape is not known, and it is Student's. ``None`` as there.
        """
        if self.blocks < FLOOR or self.squares == 0.0:
            return self.student_interval(confidence)
        goal = student_quantile(confidence, self.blocks - 1)
        near, mean = goal * self._error(), self.mean
        below, above = (
            reach(self.items(), mean, side=side, goal=goal, near=near) for side in (-1, 1)
        )
        return mean - below, mean + above

    def _spread(self) -> float:
        return max(self._counts) - min(self._counts)

    def _error(self) -> float:
        """Returns the standard error of the mean."""
        return sqrt(self.squares / (self.blocks - 1) / self.blocks)


class MeanSequence:
    """The confidence sequence of the mean of scores whose distribution is not known.

    The normal mixture of RATING.md 6.6 on the root of twice the empirical log-likelihood ratio,
    which is about normal whatever the shape of the scores, and the more so the more there are: so
    it is asymptotic, and says nothing before block `FLOOR`. One score is *imagined* besides the
    real ones, so that scores that were all alike so far are not taken for certain.
    """

    def __init__(self, imagined: float, *, alpha: float = 0.05, intended: int = INTENDED) -> None:
        """Prepares a sequence.

        Args:
            imagined: How far from the mean the imagined score lies at least, in the unit of the
                scores.
            alpha: How often the mean may ever lie outside.
            intended: The number of blocks near which it is sharpest.

        Raises:
            EvidenceError: if the imagined score is not above 0, or alpha is no probability.
        """
        if not imagined > 0.0:
            raise EvidenceError(f"the imagined score must be away from the mean, not {imagined!r}")
        self.alpha = alpha
        self._imagined = imagined
        self._mixture = NormalMixture.tuned(float(intended), alpha)

    def sd(self, tally: Tally) -> float:
        """Returns the standard deviation of a score, the imagined one included; above 0."""
        return sqrt((tally.squares + self._imagined**2) / max(tally.blocks, 1))

    def interval(self, tally: Tally) -> tuple[float, float]:
        """Returns the interval of the mean; the whole line at first."""
        mean = tally.mean
        return mean - self._reach(tally, -1), mean + self._reach(tally, 1)

    def side(self, tally: Tally, mean: float) -> int:
        """Returns 1 if the interval lies above *mean*, -1 if below, and 0 if it holds it."""
        if rejects(self.log_e(tally, mean), self.alpha):
            return 1 if tally.mean > mean else -1
        return 0

    def log_e(self, tally: Tally, mean: float) -> float:
        """Returns the logarithm of the e-value against *mean*; 0 at first."""
        n = tally.blocks
        if n < FLOOR:
            return 0.0
        won = best_bet(tally.items(), tally.mean, mean, self._imagined).log_wealth
        return self._mixture.log_e(sqrt(2.0 * n * won), float(n))

    def _reach(self, tally: Tally, side: int) -> float:
        n = tally.blocks
        if n < FLOOR:
            return inf
        goal = self._mixture.bound(float(n)) / sqrt(n)
        near = self.sd(tally) * goal / sqrt(n)
        return reach(
            tally.items(), tally.mean, side=side, goal=goal, near=near, imagined=self._imagined
        )
