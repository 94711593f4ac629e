"""The same hand at the same place of the auction, in the hands of somebody else.

The tables of a block replay the same deals with the seats turned, so that every entrant holds every
hand once. Where two of them were asked with the same hand after the same bids and chose
differently, what became of the deal says what the difference was worth.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from referee.match.lines import Call
from referee.rules import Bid
from tournaments.lab.reading import LabDeal


class Chosen(NamedTuple):
    """What one entrant did with a hand, and what came of it."""

    entrant: str
    deal: LabDeal
    call: Call

    @property
    def net(self) -> int:
        """The net points of its side, as `LabDeal.net`."""
        return self.deal.net[self.call.seat]

    @property
    def has_made(self) -> bool:
        """Whether this very bid won the auction and was made."""
        auction = self.deal.auction
        won = auction.declarer == self.call.seat and auction.contract == self.call.bid
        return bool(self.call.bid and won and self.deal.made)


class Comparison(NamedTuple):
    """The same question to two entrants; every two come once each way round."""

    mine: Chosen
    other: Chosen

    @property
    def gain(self) -> int:
        """The net points that the first of the two got more than the other."""
        return self.mine.net - self.other.net

    @property
    def is_missed(self) -> bool:
        """Whether the other one bid more, and made it."""
        return self.other.call.bid > self.mine.call.bid and self.other.has_made

    @property
    def choice(self) -> str:
        """What the two chose, in words."""
        return f"{self.mine.call.bid}, the other {_doing(self.other.call.bid)}"


def comparisons(deals: Iterable[LabDeal]) -> Iterator[Comparison]:
    """Yields every two answers of different entrants to one question in the deals of a block."""
    questions: dict[tuple[object, ...], list[Chosen]] = {}
    for deal in deals:
        for call in deal.auction.calls:
            if call.is_free:
                key = (deal.number, deal.first, deal.forced, call.seat, call.before)
                chosen = Chosen(deal.entrants[call.seat], deal, call)
                questions.setdefault(key, []).append(chosen)
    for answers in questions.values():
        yield from _pairs(answers)


def _pairs(answers: Sequence[Chosen]) -> Iterator[Comparison]:
    for at, mine in enumerate(answers):
        for other in answers[at + 1 :]:
            # A block deals to each seat what it dealt there before; whoever reads a store in which
            # it did not would compare unlike things.
            if mine.entrant != other.entrant and _same_hand(mine, other):
                yield Comparison(mine, other)
                yield Comparison(other, mine)


def _same_hand(mine: Chosen, other: Chosen) -> bool:
    return mine.deal.hands[mine.call.seat] == other.deal.hands[other.call.seat]


def _doing(bid: Bid) -> str:
    return f"bids {bid}" if bid else "passes"
