"""The auction as it may go on, in a world where every hand is known."""

from __future__ import annotations

from functools import cache, partial

from referee.sdk import Bid, BidRounds, ExchangeRule, Rules, Seat, Trump, View
from sample_bots._rollout import whole_deal
from sample_bots._sense import bids_by_seat, next_seat
from sample_bots._worlds import World
from sample_bots._worth import (
    best_trump,
    chance_of_bid,
    deal_worth,
    likely_bid,
    standing_worth,
    ways,
)


class Auction:
    """The auction that *view* asks for a bid in.

    The others are taken to bid by what they may expect of their hands, once each.
    """

    def __init__(self, view: View[Bid]) -> None:
        self._view = view
        self._rules = rules = view.rules
        self._made = bids_by_seat(view)
        self._later = self._still_to_bid()
        self._worth = cache(partial(deal_worth, view))
        self._hope = cache(partial(best_trump, rules))
        self._tricks = cache(partial(_declared, rules))

    def _still_to_bid(self) -> list[Seat]:
        """Returns who can bid after this seat, in order."""
        once = self._rules.bid_rounds is BidRounds.ONCE
        out = {seat for seat, bid in self._made if once or not bid}
        seat, later = next_seat(self._view, self._view.seat), []
        while seat != self._view.seat:
            if seat not in out:
                later.append(seat)
            seat = next_seat(self._view, seat)
        return later

    def fits(self, world: World) -> float:
        """Returns the chance that the others bid as they did if they hold these hands."""
        chance, high = 1.0, Bid.PASS
        for seat, bid in self._made:
            higher = [other for other in self._rules.bids if other > high]
            if seat != self._view.seat and higher:
                expected, _ = self._hope(world.hands[seat])
                bids = chance_of_bid(self._rules, bid or higher[0], expected)
                chance *= bids if bid else 1 - bids
            high = max(high, bid)
        return chance

    def worth(self, world: World, bid: Bid) -> float:
        """Returns what it is worth to make this bid, or to pass, in this world."""
        high, declarer = self._won(world, bid)
        if declarer is None:
            return standing_worth(self._view, self._view.scores)
        _, trump = self._hope(world.hands[declarer])
        return self._worth(declarer, high, self._tricks(world, declarer, trump))

    def _won(self, world: World, bid: Bid) -> tuple[Bid, Seat | None]:
        """Returns how the auction ends after *bid*."""
        made = [*self._made, (self._view.seat, bid)]
        high, declarer = max(((b, seat) for seat, b in made if b), default=(Bid.PASS, None))
        for seat in self._later:
            likely = likely_bid(self._rules, self._hope(world.hands[seat])[0])
            if high < likely and not high.is_moon:
                high, declarer = likely, seat
        return high, declarer


def _declared(rules: Rules, world: World, declarer: Seat, trump: Trump) -> tuple[int, ...]:
    """Returns the tricks of each seat when *declarer* plays, after the exchange if there is one."""
    hand = world.hands[declarer]
    if rules.exchange is not ExchangeRule.NONE:
        widow = world.rest & -world.rest
        best = ways(rules, (trump,), hand | widow)[0]
        hand = (hand | widow) & ~(1 << best.tile)
    hands = (*world.hands[:declarer], hand, *world.hands[declarer + 1 :])
    return whole_deal(rules, trump, declarer, hands)
