"""Plays simply and honestly: counts its hand, leads what wins, takes what it can, saves nothing.

It looks at its own hand and at the open trick. It remembers nothing, minds neither the score nor
its partner, and never asks who holds what.
"""

from __future__ import annotations

from collections.abc import Iterable

from referee.sdk import Bid, Bot, Rules, Tile, Trump, View, serve


class Greedy(Bot):
    """Bids what it counts: a trick for each trump and for each other double, less one."""

    name = "greedy"
    version = "1"
    author = "Moon League"

    def bid(self, view: View[Bid]) -> Bid:
        """Returns the highest number bid that the count allows; never a moon."""
        count = max(tricks(view.rules, view.hand, trump) for trump in view.rules.trumps)
        bids = [bid for bid in view.legal if Bid.PASS < bid <= count]
        return bids[-1] if bids else view.legal[0]

    def trump(self, view: View[Trump]) -> Trump:
        """Returns the trump with the highest count."""
        return max(view.legal, key=lambda trump: tricks(view.rules, view.hand, trump))

    def discard(self, view: View[Tile]) -> Tile:
        """Returns the tile without which the count stays highest, the lightest of several."""

        def left(tile: Tile) -> tuple[int, int]:
            rest = [other for other in view.hand if other != tile]
            trumps = view.rules.trumps if view.trump is None else [view.trump]
            return max(tricks(view.rules, rest, trump) for trump in trumps), -tile.pips

        return max(view.legal, key=left)

    def play(self, view: View[Tile]) -> Tile:
        """Leads its strongest tile, takes a trick with the cheapest, else throws the weakest."""
        if view.led is None:
            return max(view.legal, key=lambda tile: _power(view, tile))
        takers = [tile for tile in view.legal if view.takes(tile)]
        return min(takers or view.legal, key=lambda tile: _power(view, tile))


def tricks(rules: Rules, hand: Iterable[Tile], trump: Trump) -> int:
    """Returns the tricks that *hand* looks good for with *trump*."""
    trumps = rules.tables[trump].trumps
    return sum(1 for tile in hand if trumps >> tile & 1 or tile.is_double) - 1


def _power(view: View[Tile], tile: Tile) -> int:
    """Returns how strong *tile* is in the suit it leads; every trump is above every other tile."""
    table = view.table
    return table.strength[table.leads[tile]][tile]


if __name__ == "__main__":
    serve(Greedy())
