"""What a comparison can come to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from referee.errors import ConfigError


class Verdict(Enum):
    """Which of two is better. The values are part of the JSON document."""

    FIRST_BETTER = "a_better"
    SECOND_BETTER = "b_better"
    EQUAL = "equal"
    """Neither is better by more than a stated number of points a deal."""
    NOT_WORSE = "not_worse"
    """The first is not worse by more than the margin; whether it is better was not asked."""
    NOT_DECIDED = "not_decided"


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence about the difference of two entrants, in points a deal, to be decided.

    >>> print(Claim.parse("diff>0.1"), Claim.parse("|diff| > 0.2"), Claim.at_least(-0.1))
    diff>0.1 |diff|>0.2 diff>-0.1
    """

    edge: float
    """The difference that is claimed to be passed."""
    both: bool = False
    """Whether it may be passed in either direction."""
    falls: bool = False
    """Whether the claim is that the difference is below the edge."""

    @classmethod
    def parse(cls, text: str) -> Claim:
        """Returns the claim that *text* makes.

        Raises:
            ConfigError: if it makes none.
        """
        found = _CLAIM.fullmatch(text)
        if found is None:
            raise ConfigError(
                None,
                "--until",
                f"expected 'diff>D', 'diff<-D' or '|diff|>D' with D in points a deal, such as "
                f"'diff>0.1', got {text!r}",
            )
        name, sign, number = found.groups()
        claim = cls(float(number), name == "|diff|", sign == "<")
        if claim.is_margin or (claim.both and (claim.falls or not claim.edge > 0.0)):
            raise ConfigError(
                None,
                "--until",
                f"{text!r} could hold of two that are equal; claim that one is ahead, as 'diff>0.1'"
                " does, or use --regression to show that one is not worse",
            )
        return claim

    @classmethod
    def at_least(cls, edge: float) -> Claim:
        """Returns the claim that the difference is above *edge*, which may be below 0."""
        return cls(edge)

    @property
    def is_margin(self) -> bool:
        """Whether it also holds of two that are equal: that the first is not worse by much."""
        return not self.both and (self.edge > 0.0 if self.falls else self.edge < 0.0)

    def __str__(self) -> str:
        """Returns the claim as `parse` reads it."""
        sign = "<" if self.falls else ">"
        return f"{'|diff|' if self.both else 'diff'}{sign}{self.edge:g}"

    def is_met(self, verdict: Verdict) -> bool | None:
        """Returns whether *verdict* says that the claim holds; ``None`` if it says neither."""
        if verdict is Verdict.NOT_DECIDED:
            return None
        if self.both:
            return verdict is not Verdict.EQUAL
        if self.falls:
            return verdict is Verdict.SECOND_BETTER
        return verdict in {Verdict.FIRST_BETTER, Verdict.NOT_WORSE}


_CLAIM = re.compile(r"\s*(diff|\|diff\|)\s*([<>])\s*([+-]?(?:\d+\.?\d*|\.\d+))\s*")
