"""Deals the tiles it has not seen at random, again and again, and plays each deal out.

Whatever it is asked, it tries every sensible answer in the same deals, and gives the one that was
worth most on average. The deals fit what was shown: who did not follow has none of the suit, and
who bid has a hand to bid on. To play a deal out costs little (see `_rollout`): there can be many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from typing import TypeVar

from referee.sdk import AnyView, Bid, Bot, Param, Play, Tile, Trump, View, serve
from sample_bots._auction import Auction
from sample_bots._rollout import after_play, whole_deal
from sample_bots._sense import plays_by_seat
from sample_bots._worlds import World, worlds
from sample_bots._worth import Way, best_trump, chance_of_bid, deal_worth, expected_tricks, ways

OptionT = TypeVar("OptionT")

HOPELESS = 0.05
"""With less than this chance of the lowest bid it passes without a trial."""
TRUMPS, WAYS = 4, 6
"""So many trumps, and ways to discard, are tried; the rest is too poor at first sight."""


class Sampler(Bot):
    """Answers with what was worth most in many random deals."""

    name = "sampler"
    version = "1"
    author = "Moon League"

    samples = Param(40, "how many deals it plays out for each decision, and twice that for a bid")

    def bid(self, view: View[Bid]) -> Bid:
        """Returns the bid, or the pass, after which the deal should be worth most."""
        tricks, _ = best_trump(view.rules, view.hand.mask)
        lowest = next((bid for bid in view.legal if bid), Bid.PASS)
        if not view.legal[0] and chance_of_bid(view.rules, lowest, tricks) < HOPELESS:
            return Bid.PASS
        auction = Auction(view)
        # A moon is worth or costs so much that it takes many deals to tell which.
        return best(view.legal, worlds(view, 2 * self.samples, auction.fits), auction.worth)

    def trump(self, view: View[Trump]) -> Trump:
        """Returns the best of the trumps that look good."""
        rules, hand = view.rules, view.hand.mask
        trumps = sorted(view.legal, key=lambda trump: -expected_tricks(rules, trump, hand))
        declared = _declared(view)
        return best(
            trumps[:TRUMPS],
            worlds(view, self.samples, _anything),
            lambda world, trump: declared(world, trump, hand),
        )

    def exchange(self, view: View[bool]) -> bool:
        """Takes the widow: what it does not want of eight tiles it can lay away."""
        return True

    def discard(self, view: View[Tile]) -> Tile:
        """Returns the best of the discards that look good, with the trump to follow."""
        hand = view.hand.mask
        trumps = view.rules.trumps if view.trump is None else (view.trump,)
        declared = _declared(view)

        def worth(world: World, way: Way) -> float:
            return declared(world, way.trump, hand & ~(1 << way.tile))

        tried = ways(view.rules, trumps, hand)[:WAYS]
        return best(tried, worlds(view, self.samples, _anything), worth).tile

    def play(self, view: View[Tile]) -> Play:
        """Returns the play that turned out best."""
        assert view.declarer is not None
        plays = [choice for choice in view.choices if isinstance(choice, Play)]
        worth = cache(partial(deal_worth, view, view.declarer, view.contract))
        return best(
            plays,
            worlds(view, self.samples, _declarer_fits(view)),
            lambda world, play: worth(after_play(view, world.hands, play)),
        )


def best(
    options: Sequence[OptionT],
    trials: Iterable[World],
    worth: Callable[[World, OptionT], float],
) -> OptionT:
    """Returns the option that is worth most over all *trials*, the first of several."""
    totals = [0.0] * len(options)
    for world in trials:
        for at, option in enumerate(options):
            totals[at] += worth(world, option)
    return options[totals.index(max(totals))]


def _declared(view: AnyView) -> Callable[[World, Trump, int], float]:
    """Returns the function that says what a world is worth with a trump and a hand of seven."""
    seat = view.seat
    worth = cache(partial(deal_worth, view, seat, view.contract))

    def declared(world: World, trump: Trump, hand: int) -> float:
        hands = (*world.hands[:seat], hand, *world.hands[seat + 1 :])
        return worth(whole_deal(view.rules, trump, seat, hands))

    return declared


def _anything(_: World) -> float:
    """Accepts every world."""
    return 1.0


def _declarer_fits(view: AnyView) -> Callable[[World], float]:
    """Returns the function that says how likely the declarer bids as it did with such a hand."""
    rules, trump, declarer = view.rules, view.trump, view.declarer
    assert trump is not None
    assert declarer is not None
    if declarer == view.seat:
        return _anything
    played = sum(1 << tile for seat, tile in plays_by_seat(view) if seat == declarer)

    def fits(world: World) -> float:
        expected = expected_tricks(rules, trump, world.hands[declarer] | played)
        return chance_of_bid(rules, view.contract, expected)

    return fits


if __name__ == "__main__":
    serve(Sampler())
