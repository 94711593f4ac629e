"""The auction: whose turn it is, what may be bid, and how it ends."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from referee.rules.bids import Bid
from referee.rules.decisions import SEATS, Seat
from referee.rules.options import BidRounds, ForceValue, MoonOvercall, Rules


class Auction(NamedTuple):
    """An auction after some bids."""

    first_bidder: Seat
    turn: Seat | None
    """Who bids next, or ``None`` when the auction is over."""
    declarer: Seat | None
    """Who holds the highest bid so far; the declarer once ``turn`` is ``None``."""
    contract: Bid
    """The highest bid so far, or a pass."""
    passed: int = 0
    """The seats that have passed, as a bit mask."""
    bid_count: int = 0
    """How many bids and passes were made."""

    @property
    def is_thrown_in(self) -> bool:
        """Whether everybody passed."""
        return self.turn is None and self.declarer is None


def start_auction(first_bidder: Seat) -> Auction:
    """Returns the auction before the first bid."""
    return Auction(first_bidder, first_bidder, None, Bid.PASS)


def legal_bids(rules: Rules, auction: Auction, forced: bool) -> tuple[Bid, ...]:
    """Returns what the seat in turn may bid, a pass first.

    Args:
        rules: The rules.
        auction: An auction that is not over.
        forced: Whether the last bidder must bid when all others passed.
    """
    bids = rules.bids_over[auction.contract]
    if forced and _others_passed(rules, auction):
        return (Bid(rules.min_bid),) if rules.force_value is ForceValue.EXACT_MIN else bids[1:]
    return bids


def _others_passed(rules: Rules, auction: Auction) -> bool:
    return auction.declarer is None and auction.passed.bit_count() == rules.players - 1


@lru_cache(maxsize=1 << 14)  # there are only a few hundred auctions by the same rules
def bid(rules: Rules, auction: Auction, made: Bid) -> Auction:
    """Returns the auction after the seat in turn made a bid that is legal."""
    seat = auction.turn
    assert seat is not None
    count = auction.bid_count + 1
    if made is Bid.PASS:
        declarer, contract, passed = (
            auction.declarer,
            auction.contract,
            auction.passed | 1 << seat,
        )
    else:
        declarer, contract, passed = seat, made, auction.passed
    turn = None
    if not _is_closed(rules, declarer, contract, passed, count):
        turn = SEATS[(seat + 1) % rules.players]
        while passed >> turn & 1:
            turn = SEATS[(turn + 1) % rules.players]
    return Auction(auction.first_bidder, turn, declarer, contract, passed, count)


def _is_closed(rules: Rules, declarer: Seat | None, contract: Bid, passed: int, count: int) -> bool:
    """Whether nobody may bid any more.

    The highest bid of the game ends the auction at once (B9), a moon too unless it can be outbid.
    In an open auction a seat that passed is out, and the last one left has won it (B4).
    """
    if contract is Bid.DOUBLE_MOON:
        return True
    if contract is Bid.MOON and rules.moon_overcall is MoonOvercall.OFF:
        return True
    if rules.bid_rounds is BidRounds.ONCE:
        return count == rules.players
    if declarer is None:
        return passed.bit_count() == rules.players
    return passed.bit_count() == rules.players - 1
