"""The record of a match: only what happened, enough to judge all of it again.

A record is deterministic: the same bots on the same deals give the same bytes. What was measured
(times) and what depends on the host (the wording of a fault) is kept beside it, never in it.
"""

from __future__ import annotations

from dataclasses import dataclass

from referee.match.faults import FaultMark
from referee.match.matches import FinishedDeal, Result, Terms
from referee.rules import Bid, Deal, Dealt, Seat, Suit, Tile, Trump
from referee.rules.options import LedSuit

VERSION = 1
"""The version of the record format."""


@dataclass(frozen=True, slots=True)
class DealRecord:
    """One deal, as it was played."""

    number: int
    """The number of the deal in the match, from 0."""
    forced: bool
    """Whether the last bidder had to bid when all others passed."""
    first_bidder: Seat
    dealt: Dealt
    bids: tuple[Bid, ...]
    trump: Trump | None
    taken: bool | None
    discarded: Tile | None
    plays: tuple[Tile, ...]
    called: tuple[Suit, ...]
    """By trick: the suit the leader called; empty unless the leader calls it."""
    tricks_won: tuple[int, ...]
    """By seat."""
    made: bool | None
    """Whether the contract was kept; ``None`` if the deal was thrown in or broken off."""
    points: tuple[int, ...] | None
    """By side: what the deal was worth; ``None`` if it was thrown in or broken off."""
    unasked: tuple[int, ...] = ()
    """The choices of the deal, from 0, that had only one legal answer and were not asked for."""
    faults: tuple[FaultMark, ...] = ()

    @classmethod
    def of(
        cls,
        number: int,
        deal: Deal,
        finished: FinishedDeal | None,
        unasked: tuple[int, ...] = (),
        faults: tuple[FaultMark, ...] = (),
    ) -> DealRecord:
        """Returns the record of *deal*, which *finished* ended (or a forfeit, if ``None``)."""
        score = finished.score if finished else None
        return cls(
            number,
            deal.forced,
            deal.auction.first_bidder,
            deal.dealt,
            deal.bids,
            deal.trump,
            deal.taken,
            deal.discarded,
            deal.plays,
            deal.suits if deal.rules.led_suit is LedSuit.LEADER_CALLS else (),
            deal.tricks_won,
            score.made if score else None,
            score.points if score else None,
            unasked,
            faults,
        )


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """A whole match."""

    table: str
    """The id of the table, such as ``17.2``."""
    terms: Terms
    seats: tuple[str, ...]
    """By seat: the name of the bot."""
    ask_forced: bool
    """Whether choices with only one legal answer were asked for too."""
    strikes: int
    """How many faults a seat was allowed before it forfeited."""
    deals: tuple[DealRecord, ...]
    result: Result
