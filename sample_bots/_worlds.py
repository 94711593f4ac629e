"""Deals the tiles that a seat has not seen, so that everything that was shown could be so."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import NamedTuple

from referee.sdk import AnyView
from sample_bots._sense import hand_sizes, may_hold

TRIES = 30
"""So many deals may fail before what was shown is left aside."""
DOUBTS = 6
"""So many deals are looked at, at most, for one that fits the bids."""


class World(NamedTuple):
    """One way in which the tiles may lie."""

    hands: tuple[int, ...]
    """By seat."""
    rest: int
    """The tiles that nobody holds: the widow before the exchange, another's discard after it."""


def worlds(view: AnyView, samples: int, fits: Callable[[World], float]) -> Iterator[World]:
    """Yields so many worlds that agree with all plays, and are likely to agree with the bids.

    Args:
        view: What is known.
        samples: How many worlds.
        fits: Returns the chance that somebody with these hands would have bid as was bid.
    """
    unseen, rng = Unseen(view), view.rng
    for _ in range(samples):
        world = unseen.deal(rng)
        for _ in range(DOUBTS):
            if rng.random() < fits(world):
                break
            world = unseen.deal(rng)
        yield world


class Unseen:
    """The tiles that the asked seat has not seen, and who may hold them."""

    def __init__(self, view: AnyView) -> None:
        self._seat, self._own = view.seat, view.hand.mask
        self._sizes = hand_sizes(view)
        self._sizes[view.seat] = 0
        self._spare = len(view.unseen) - sum(self._sizes)
        others = [seat for seat, size in enumerate(self._sizes) if size]
        held = may_hold(view)
        homes = [(tile, [s for s in others if held[s] >> tile & 1]) for tile in view.unseen]
        # The tiles with the fewest homes are dealt first, so that few deals fail.
        self._homes = sorted(homes, key=lambda row: len(row[1]))
        self._anywhere = [(tile, others) for tile, _ in homes]

    def deal(self, rng: Random) -> World:
        """Returns a world, drawn with *rng*."""
        for _ in range(TRIES):
            world = self._try(rng, self._homes)
            if world is not None:
                return world
        # Almost no world agrees with the plays: one that does not is better than no answer.
        world = self._try(rng, self._anywhere)
        assert world is not None
        return world

    def _try(self, rng: Random, homes: Sequence[tuple[int, list[int]]]) -> World | None:
        """Deals each tile to one of its homes, or aside; the more room there, the likelier."""
        room, spare = self._sizes.copy(), self._spare
        hands, rest = [0] * len(room), 0
        for tile, seats in homes:
            draw = rng.random() * (sum([room[seat] for seat in seats]) + spare)
            for seat in seats:
                draw -= room[seat]
                if draw < 0:
                    room[seat] -= 1
                    hands[seat] |= 1 << tile
                    break
            else:
                if not spare:
                    return None
                spare -= 1
                rest |= 1 << tile
        hands[self._seat] = self._own
        return World(tuple(hands), rest)
