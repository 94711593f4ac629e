"""Plays at random, and bids so seldom that it does not ruin itself.

A bid drawn evenly from the legal ones is worse than never to bid: of five bids one is a moon, and a
random hand fails four contracts of five. So what is drawn is tiles: from the hand, one by one, as
long as they have a number in common. A run of four bids the minimum, and names that number.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

from referee.sdk import AnyView, Bid, Bot, Param, Tile, Trump, View, serve

ItemT = TypeVar("ItemT")

RUN = 4
"""So many tiles with a number in common make a bid."""


class Random(Bot):
    """Draws every choice by lot. The same question with the same seed gives the same draw."""

    name = "random"
    version = "1"
    author = "Moon League"

    seed = Param(0, "another seed draws other lots")

    def bid(self, view: View[Bid]) -> Bid:
        """Returns the lowest bid when a run of tiles comes out of the hand, else a pass."""
        run, _ = self._run(view)
        bids = [bid for bid in view.legal if bid]
        return bids[0] if bids and len(run) >= RUN else view.legal[0]

    def trump(self, view: View[Trump]) -> Trump:
        """Returns the number of a run of tiles, if it can be trump."""
        _, numbers = self._run(view)
        return self._draw(view, [trump for trump in view.legal if trump in numbers] or view.legal)

    def exchange(self, view: View[bool]) -> bool:
        """Tosses a coin for the widow."""
        return self._draw(view, view.legal)

    def discard(self, view: View[Tile]) -> Tile:
        """Returns any tile."""
        return self._draw(view, view.legal)

    def play(self, view: View[Tile]) -> Tile:
        """Returns any tile that is legal."""
        return self._draw(view, view.legal)

    def _run(self, view: AnyView) -> tuple[list[Tile], set[int]]:
        """Returns tiles drawn as long as they have a number in common, and what they have."""
        tiles = list(view.hand)
        self._rng(view).shuffle(tiles)
        numbers = set(range(7))
        run: list[Tile] = []
        for tile in tiles:
            shared = numbers & {tile.high, tile.low}
            if not shared:
                break
            numbers = shared
            run.append(tile)
        return run, numbers

    def _draw(self, view: AnyView, items: Sequence[ItemT]) -> ItemT:
        return self._rng(view).choice(items)

    def _rng(self, view: AnyView) -> random.Random:
        return random.Random(view.rng.getrandbits(64) + self.seed)  # noqa: S311 - no secret


if __name__ == "__main__":
    serve(Random())
