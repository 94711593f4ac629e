"""Counts the tiles: what is out, who may be void, and what that makes its own tiles worth.

It bids what is worth most in points and in the chance to win the match, so the score and the target
count too. In pairs it leaves the trick to its partner when the partner's tile is likely to hold.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import or_

from referee.sdk import SEATS, Bid, Bot, Param, Play, Seat, Tile, Trump, View, serve
from sample_bots._sense import (
    bids_by_seat,
    chance_of_none,
    hand_sizes,
    may_hold,
    next_seat,
    senses,
    suit_led,
)
from sample_bots._worth import (
    best_trump,
    contract_worth,
    expected_tricks,
    fair_tricks,
    standing_worth,
    ways,
)

LIKELY = 0.6
"""The chance from which on a tile is counted on to hold."""
SURE = 0.85
"""The chance from which on a cheaper tile is as good as a stronger one."""


class Counter(Bot):
    """Counts tiles and trumps, and bids and plays by what it has counted."""

    name = "counter"
    version = "1"
    author = "Moon League"

    risk = Param(0.0, "tricks it hopes for beyond what it expects; below 0 it bids less")

    def bid(self, view: View[Bid]) -> Bid:
        """Returns the bid that is worth most, or a pass if that is worth more."""
        tricks, _ = best_trump(view.rules, view.hand.mask)

        def worth(bid: Bid) -> float:
            if not bid:
                return _worth_of_passing(view)
            return contract_worth(view, view.seat, bid, tricks + self.risk)

        return max(view.legal, key=worth)

    def trump(self, view: View[Trump]) -> Trump:
        """Returns the trump with which the hand should take most."""
        hand = view.hand.mask
        return max(view.legal, key=lambda trump: expected_tricks(view.rules, trump, hand))

    def exchange(self, view: View[bool]) -> bool:
        """Takes the widow: what it does not want of eight tiles it can lay away."""
        return True

    def discard(self, view: View[Tile]) -> Tile:
        """Returns the tile without which the hand should take most."""
        trumps = view.rules.trumps if view.trump is None else (view.trump,)
        return ways(view.rules, trumps, view.hand.mask)[0].tile

    def play(self, view: View[Tile]) -> Tile | Play:
        """Leads what is likely to hold; takes a trick with the cheapest tile that is."""
        count = _Count(view)
        return count.lead() if view.led is None else count.follow()


def _worth_of_passing(view: View[Bid]) -> float:
    """Returns what a pass is worth: somebody else plays, or the deal is thrown in."""
    made = bids_by_seat(view)
    high, declarer = max(((bid, seat) for seat, bid in made if bid), default=(Bid.PASS, None))
    if declarer is None:
        if len(made) == view.rules.players - 1:
            return standing_worth(view, view.scores)
        # Nobody knows who will bid; the next one, and a five, are as good a guess as any.
        high, declarer = Bid.FIVE, next_seat(view, view.seat)
    return contract_worth(view, declarer, high, fair_tricks(view.rules, high))


class _Count:
    """What is out, and how likely that makes it that a tile holds against all who play after it."""

    def __init__(self, view: View[Tile]) -> None:
        assert view.trump is not None
        self._view = view
        self._known = senses(view.rules)[view.trump]
        self._held = may_hold(view)
        self._sizes = hand_sizes(view)

    def lead(self) -> Play:
        """Returns the lead.

        The declarer draws trumps first. Then comes what is likely to hold, the likeliest first, but
        trumps that draw nothing last; then a suit that the partner led; then the least tile.
        """
        view, known = self._view, self._known
        foes = [seat for seat in SEATS[: view.rules.players] if not view.is_with_me(seat)]
        out = reduce(or_, [self._held[foe] for foe in foes]) & known.trumps
        mine = view.hand.mask & known.trumps
        outnumbers = mine.bit_count() >= out.bit_count()
        partners = {trick.suit for trick in view.tricks if trick.leader == view.partner}

        def promise(play: Play) -> tuple[int, float]:
            tile, suit = play.tile, suit_led(known, play)
            chance = self._holds(suit, tile, foes)
            if known.trumps >> tile & 1:
                highest = not mine & known.beats[suit][tile]
                if view.is_declarer and out and (chance >= LIKELY or (highest and outnumbers)):
                    return 4, chance
                if chance >= LIKELY and not out:
                    return 2, chance
            if chance >= LIKELY:
                return 3, chance
            return int(suit in partners), -known.keep[tile]

        plays = [choice for choice in view.choices if isinstance(choice, Play)]
        return max(plays, key=promise)

    def follow(self) -> Tile:
        """Returns the cheapest tile that is likely to take the trick, or else the least.

        It is the least, too, when the partner's tile is likely to hold.
        """
        view, known, trick = self._view, self._known, self._view.trick
        assert trick is not None
        assert trick.suit is not None
        suit, power = trick.suit, known.power[trick.suit]
        least = min(view.legal, key=known.keep.__getitem__)
        best = max(trick.tiles, key=power.__getitem__)
        if view.is_with_me(view.winning) and self._holds(suit, best, view.after) >= LIKELY:
            return least
        takers = sorted(filter(view.takes, view.legal), key=power.__getitem__)
        chances = [min(SURE, self._holds(suit, tile, view.after)) for tile in takers]
        likeliest = max(chances, default=0.0)
        return takers[chances.index(likeliest)] if likeliest >= LIKELY else least

    def _holds(self, suit: int, tile: int, after: Iterable[Seat]) -> float:
        """Returns the chance that no foe among *after* has a tile to beat *tile* with."""
        beats, follows = self._known.beats[suit][tile], self._known.follows[suit]
        chance = 1.0
        for seat in after:
            held, size = self._held[seat], self._sizes[seat]
            higher, pool = held & beats, held.bit_count()
            if not higher or self._view.is_with_me(seat):
                continue
            following, ruffs = (held & follows).bit_count(), (higher & ~follows).bit_count()
            beaten = 1 - chance_of_none((higher & follows).bit_count(), pool, size)
            if ruffs:
                void = chance_of_none(following, pool, size)
                beaten += void * (1 - chance_of_none(ruffs, pool - following, size))
            chance *= 1 - min(1.0, beaten)
        return chance


if __name__ == "__main__":
    serve(Counter())
