"""Who bids too much or too little, said only where it is sure.

The criterion, for an entrant and a bid. *Overbids*: where it made that bid, and another with the
same hand at the same place of the auction chose less, it came out worse than the other, and it lost
points against the others at its table. *Underbids*: where it chose less and the other made that
bid, it came out worse, and the other won points. Both halves have to hold (an intersection-union
test, R. L. Berger 1982: the larger of the two p-values is the p-value of both).

Each half is betted on block by block, by the mean of what a block says (`MixtureBetting`). What a
deal can bring is bounded by the rules, so the p-value is right for any number of blocks, however
lopsided the points are. (Student's t takes many small losses for a sure one where the seldom large
gain that pays for them has not come yet.) All entrants, all bids and both directions are looked at,
so the p-values are adjusted together by Holm's method: the chance of naming anybody wrongly is at
most 5 % in one look at a run whose length was fixed before. Who looks again and again until
somebody is named has more chances than that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from referee.rules import Rules
from tournaments.evidence import MixtureBetting, holm
from tournaments.lab.comparisons import Comparison
from tournaments.lab.estimates import Estimate, Moments
from tournaments.lab.reading import net_range

ALPHA = 0.05
"""The chance that anybody is named wrongly, in one look."""
LEAST_BLOCKS = 20
"""Blocks with such a difference below which nothing is asked: it would hardly be answered, and
would make the other answers less sure."""


class _Question(NamedTuple):
    """What is asked: of whom, and about which bid."""

    entrant: str
    level: int
    direction: str


@dataclass(frozen=True, slots=True)
class Finding:
    """What is sure about how an entrant bids. Points are net points a deal."""

    entrant: str
    direction: str
    """``overbids`` or ``underbids``."""
    level: str
    """The bid that it makes too often, or not often enough."""
    p: float
    """The p-value of the criterion, adjusted by Holm's method."""
    questions: int
    """Over how many questions it was adjusted."""
    gain: Estimate
    """What it got more than the other one with the same hand: below 0."""
    worth: Estimate
    """What the bid won against the others at the table: of its own bid if it overbids, of the
    other's if it underbids."""
    made: Estimate
    """The share of deals in which that bid won the auction and was made."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked before anybody was named, or nobody."""

    questions: int
    """How many there were with `LEAST_BLOCKS`: over these p-values are adjusted."""
    about: int
    """How many of them are about who was asked for; all of them, if nobody was."""
    least_p: float | None
    """The least p-value of these, adjusted; ``None`` without any."""
    most_blocks: int
    """The most blocks that any question about them has, even if it was not asked for want of
    them; 0 if nobody ever chose otherwise with the same hand."""
    most: str
    """That question, in words."""


class _Evidence:
    """The evidence on one question."""

    def __init__(self) -> None:
        self.gain, self.worth, self.made = Moments(), Moments(), Moments()
        self.against_gain, self.against_worth = MixtureBetting(), MixtureBetting()

    @property
    def p(self) -> float:
        """The p-value of both halves together."""
        return max(self.against_gain.p_value, self.against_worth.p_value)


class Inquiry:
    """Collects the evidence on all questions, and answers them together."""

    def __init__(self, rules: Rules) -> None:
        """Makes an inquiry without evidence, into matches of these rules."""
        lowest, highest = net_range(rules)
        self._most_gain, self._most_worth = highest - lowest, max(-lowest, highest)
        self._scale = rules.side_count - 1
        self._evidence: dict[_Question, _Evidence] = {}

    def take(self, found: list[Comparison]) -> None:
        """Takes the comparisons of one block."""
        sums: dict[_Question, list[int]] = {}
        for comparison in found:
            mine, other = comparison.mine, comparison.other
            if mine.call.bid == other.call.bid:
                continue
            over = mine.call.bid > other.call.bid
            bidder = mine if over else other
            direction = "overbids" if over else "underbids"
            question = _Question(mine.entrant, int(bidder.call.bid), direction)
            totals = sums.setdefault(question, [0, 0, 0, 0])
            for at, value in enumerate((comparison.gain, bidder.net, bidder.has_made, 1)):
                totals[at] += value
        for question, (gain, worth, made, count) in sums.items():
            evidence = self._evidence.setdefault(question, _Evidence())
            evidence.gain.add(gain, count)
            evidence.worth.add(worth, count)
            evidence.made.add(made, count)
            evidence.against_gain.take(-gain / count / self._most_gain)
            loss = -worth if question.direction == "overbids" else worth
            evidence.against_worth.take(loss / count / self._most_worth)

    def findings(self) -> tuple[Finding, ...]:
        """Returns what is sure, the surest first."""
        asked = self._asked()
        found = [
            Finding(
                entrant=question.entrant,
                direction=question.direction,
                level=str(question.level),
                p=p,
                questions=len(asked),
                gain=evidence.gain.as_mean(self._scale),
                worth=evidence.worth.as_mean(self._scale),
                made=evidence.made.as_share(),
            )
            for question, evidence, p in asked
            if p <= ALPHA
        ]
        return tuple(sorted(found, key=lambda each: (each.p, each.entrant, each.level)))

    def asked(self, only: str | None = None) -> Asked:
        """Returns what was asked, about *only* or about everybody."""
        asked = self._asked()
        about = [p for question, _, p in asked if only in (None, question.entrant)]
        most = min(
            (
                (-evidence.gain.blocks, question)
                for question, evidence in self._evidence.items()
                if only in (None, question.entrant)
            ),
            default=None,
        )
        blocks, words = 0, ""
        if most is not None:
            blocks, question = -most[0], most[1]
            words = f"whether {question.entrant} {question.direction} at {question.level}"
        return Asked(len(asked), len(about), min(about, default=None), blocks, words)

    def _asked(self) -> list[tuple[_Question, _Evidence, float]]:
        """Returns the questions that have blocks enough, each with its adjusted p-value."""
        asked = [
            (question, evidence)
            for question, evidence in sorted(self._evidence.items(), key=lambda each: each[0])
            if evidence.gain.blocks >= LEAST_BLOCKS
        ]
        p_values = holm([evidence.p for _, evidence in asked])
        return [(*each, p) for each, p in zip(asked, p_values, strict=True)]
