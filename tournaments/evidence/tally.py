"""Block scores as they come in: counted, never listed, so that a look costs what the values do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import fsum, inf, sqrt

from tournaments.evidence.scores import EvidenceError, Scores
from tournaments.evidence.sequential import ASYMPTOTIC, NormalMixture
from tournaments.rating.student import student_quantile

INTENDED = 400
"""The number of blocks near which the confidence sequence of a mean is sharpest."""


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

    def add(self, score: float) -> None:
        """Takes one score more."""
        self._counts[score + 0.0] += 1  # there is one zero, not two
        self.blocks += 1

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
        """The sum of the squared distances from the mean; exactly 0 if all scores are alike."""
        mean = self.mean
        return fsum(n * (x - mean) ** 2 for x, n in self._counts.items())

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
        squares = self.squares
        if squares == 0.0:
            return None
        n = self.blocks
        half = student_quantile(confidence, n - 1) * sqrt(squares / (n - 1) / n)
        return self.mean - half, self.mean + half


class MeanSequence:
    """The confidence sequence of the mean of scores whose variance is not known either.

    The normal mixture of RATING.md 6.6 in units of the standard deviation seen so far, so it is
    asymptotic, and says nothing before `ASYMPTOTIC` blocks. The spread holds one *imagined* score
    besides the real ones: scores that were all alike so far are not taken for certain.
    """

    def __init__(self, imagined: float, *, alpha: float = 0.05, intended: int = INTENDED) -> None:
        """Prepares a sequence.

        Args:
            imagined: How far from the mean the imagined score lies, in the unit of the scores.
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

    def half(self, tally: Tally) -> float:
        """Returns half the width of the interval round the mean; infinite at first."""
        n = tally.blocks
        return self.sd(tally) * self._mixture.bound(float(n)) / n if n >= ASYMPTOTIC else inf

    def interval(self, tally: Tally) -> tuple[float, float]:
        """Returns the interval of the mean."""
        half = self.half(tally)
        return tally.mean - half, tally.mean + half

    def log_e(self, tally: Tally, mean: float) -> float:
        """Returns the logarithm of the e-value against *mean*; 0 at first."""
        n = tally.blocks
        if n < ASYMPTOTIC:
            return 0.0
        return self._mixture.log_e(n * (tally.mean - mean) / self.sd(tally), float(n))
