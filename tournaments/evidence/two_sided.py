"""Whether either of two is better, or neither by much: two one-sided tests at once.

One test asks whether the t-value of the block scores is 0 or t1, the other whether it is 0 or -t1
(P. Armitage, "Sequential analysis with more than two alternative hypotheses", 1950). Each stops by
itself. The first to accept its H1 says who is better; when both have accepted 0, neither is.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import ceil, exp, floor, inf, log, sqrt

from tournaments.evidence.gsprt import Bounds, bounds, t_llr
from tournaments.evidence.scores import EvidenceError, Scores
from tournaments.evidence.tally import FLOOR, Tally

CLEAR = 1.0
"""The t-value from which on the difference is clear: a larger one counts for no more."""


class Direction(Enum):
    """What a two-sided test says."""

    UP = "up"
    """The mean is above 0."""
    DOWN = "down"
    """The mean is below 0."""
    LEVEL = "level"
    """The mean is less than t1 standard deviations from 0."""


@dataclass(frozen=True, slots=True)
class TwoSidedTest:
    """How a two-sided test decides."""

    t1: float = 0.1
    """The t-value of a block score that must not be missed, in either direction."""

    alpha: float = 0.05
    """How often one is called better when the mean is 0, both directions together."""

    beta: float = 0.05
    """How often one that is better by t1 is not called better."""

    floor: int = FLOOR
    """How many blocks there must be before anything is decided."""

    def ratio(self, scores: Scores) -> float:
        """Returns the log-likelihood ratio of t1 against 0, no further off than `_clear` says.

        The exact one. Where scores lie so far from 0 that the distributions of the hypotheses can
        hardly be fitted, and would be made of scores that never came, it is that of a t-value of
        `CLEAR` by the closed form, and no other is beyond it: so a larger lead is never less
        evidence.
        """
        blocks = floor(scores.total)  # pseudo-counts are no blocks
        least, most = (blocks * self._clear(t) for t in (-CLEAR, CLEAR))
        sd = sqrt(scores.variance)
        if sd > 0.0 and abs(scores.mean) < CLEAR * sd:
            try:
                return min(max(t_llr(scores, 0.0, self.t1), least), most)
            except EvidenceError:
                pass
        t = min(max(scores.mean / sd if sd > 0.0 else scores.mean * inf, -CLEAR), CLEAR)
        return blocks * self._clear(t)

    def _clear(self, t: float) -> float:
        """Returns what one block says where the t-value is *t*, by the closed approximation."""
        return 0.5 * log((1.0 + t * t) / (1.0 + (t - self.t1) ** 2))

    def bounds(self, hypotheses: int = 1) -> Bounds:
        """Returns Wald's bounds for each of the two tests, for the first of several *hypotheses*.

        Raises:
            EvidenceError: if alpha and beta are not probabilities that sum to less than 1.
        """
        usual = bounds(0.5 * self.alpha, self.beta)
        return Bounds(usual.lower, bounds(0.5 * self.alpha / hypotheses, self.beta).upper)

    def blocks_to_win(self, hypotheses: int = 1) -> int:
        """Returns before how many blocks nobody is called better, however clear the lead is.

        That of a lead of `CLEAR` standard deviations, which is the most that `ratio` comes to; or
        the floor.

        >>> TwoSidedTest().blocks_to_win(), TwoSidedTest(t1=0.5).blocks_to_win()
        (73, 60)
        """
        return max(self.floor, ceil(self.bounds(hypotheses).upper / self._clear(CLEAR)))

    def blocks_to_level(self) -> int:
        """Returns how many blocks it takes to find two equal whose mean is exactly 0; or the floor.

        By the closed approximation: two that are level in every block.

        >>> TwoSidedTest().blocks_to_level(), TwoSidedTest(t1=0.5).blocks_to_level()
        (598, 60)
        """
        return max(self.floor, ceil(self.bounds().lower / self._clear(0.0)))

    def is_look(self, blocks: int) -> bool:
        """Whether the test is looked at after so many *blocks*.

        After each of the first 200, then after about every hundredth part more: the exact ratio
        costs more the more different scores there are.
        """
        return blocks % max(1, blocks // 100) == 0


class TwoSidedRun:
    """A two-sided test under way.

    Attributes:
        up: The log-likelihood ratio of t1 against 0 at the last look.
        down: That of -t1 against 0.
        level_up: Whether the first of them has accepted 0.
        level_down: Whether the second has.
    """

    def __init__(self, test: TwoSidedTest) -> None:
        self.test = test
        self.up = self.down = 0.0
        self.level_up = self.level_down = False
        self._most_up = self._most_down = -inf

    def measure(self, tally: Tally) -> None:
        """Takes the ratios of *tally*, and decides nothing by them."""
        test = self.test
        self.up = test.ratio(tally.scores()) if tally.blocks else 0.0
        self.down = test.ratio(tally.turned()) if tally.blocks else 0.0

    def look(self, tally: Tally) -> None:
        """Looks at the scores so far."""
        self.measure(tally)
        if tally.blocks < self.test.floor:
            return
        lower = self.test.bounds().lower
        if not self.level_up:
            self._most_up = max(self._most_up, self.up)
            self.level_up = self.up <= lower
        if not self.level_down:
            self._most_down = max(self._most_down, self.down)
            self.level_down = self.down <= lower

    @property
    def p_value(self) -> float:
        """The p-value against a mean of 0, valid at whatever look one stops (Wald's inequality).

        It is at most alpha exactly when the upper bound was reached.
        """
        most = max(self._most_up, self._most_down)
        return min(1.0, 2.0 * (1.0 - self.test.beta) * exp(-most)) if most > 0.0 else 1.0

    def direction(self, *, is_rejected: bool | None = None) -> Direction | None:
        """Returns what is decided, if anything is.

        Args:
            is_rejected: Whether the p-value is small enough, where it has to be so among those of
                other tests; by default it has to be at most alpha.
        """
        if self.p_value <= self.test.alpha if is_rejected is None else is_rejected:
            return Direction.UP if self._most_up > self._most_down else Direction.DOWN
        return Direction.LEVEL if self.level_up and self.level_down else None
