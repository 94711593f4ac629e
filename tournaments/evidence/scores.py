"""Scores of blocks, games or pairs of games as a distribution, and the numbers made of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum

PSEUDO_COUNT = 0.001
"""What an empty bin counts, as in fishtest and fastchess."""


class EvidenceError(ValueError):
    """Scores or settings from which nothing can be concluded."""


@dataclass(frozen=True, slots=True)
class Scores:
    """How often each score happened. The unit is whatever was observed independently."""

    values: tuple[float, ...]
    """The possible scores, ascending."""

    counts: tuple[float, ...]
    """How often each happened, above 0."""

    def __post_init__(self) -> None:
        if len(self.values) != len(self.counts):
            raise EvidenceError(f"{len(self.values)} scores need as many counts, not {self.counts}")
        if not self.values or min(self.counts) <= 0.0:
            raise EvidenceError(f"scores need counts above 0, not {self.counts!r}")

    @classmethod
    def of(cls, observed: Iterable[float], support: Iterable[float] = ()) -> Scores:
        """Returns the distribution of what was *observed*.

        Args:
            observed: one score an observation.
            support: scores that can happen; those that did not get a pseudo-count, so that
                a sample without any spread can be judged too.
        """
        counts: dict[float, float] = dict.fromkeys(support, PSEUDO_COUNT)
        counts.update(Counter(observed))
        ordered = sorted(counts.items())
        return cls(tuple(value for value, _ in ordered), tuple(count for _, count in ordered))

    @classmethod
    def of_bins(cls, counts: Sequence[float], values: Sequence[float] | None = None) -> Scores:
        """Returns the distribution of *counts*, lowest score first, empty bins filled.

        The reference values are told so; a comparison counts its scores with `Tally`.

        Args:
            counts: three bins for losses, draws and wins, five for pairs of games, or any.
            values: the score of each bin; left out, from 0 to 1 in equal steps.
        """
        if values is None:
            values = [i / (len(counts) - 1) for i in range(len(counts))]
        return cls(tuple(values), tuple(count or PSEUDO_COUNT for count in counts))

    @property
    def total(self) -> float:
        """The number of observations, pseudo-counts included."""
        return fsum(self.counts)

    @property
    def shares(self) -> tuple[float, ...]:
        """The empirical probabilities."""
        total = self.total
        return tuple(count / total for count in self.counts)

    @property
    def mean(self) -> float:
        """The mean score."""
        return mean_of(self.values, self.shares)

    @property
    def variance(self) -> float:
        """The variance of the empirical distribution."""
        return variance_of(self.values, self.shares)


def mean_of(values: Sequence[float], shares: Sequence[float]) -> float:
    """Returns the mean of a distribution."""
    return fsum(a * p for a, p in zip(values, shares, strict=True))


def variance_of(values: Sequence[float], shares: Sequence[float]) -> float:
    """Returns the variance of a distribution."""
    mean = mean_of(values, shares)
    return fsum(p * (a - mean) ** 2 for a, p in zip(values, shares, strict=True))
