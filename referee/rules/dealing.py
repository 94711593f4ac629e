"""The deals of a match: a keyed function of (secret seed, deal number) and of nothing else.

The function is described byte by byte, with example deals, in ``docs/deals.md``.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from referee.rules.decisions import SEATS, Seat
from referee.rules.errors import NotationError
from referee.rules.options import HAND_SIZE, Rules
from referee.rules.tiles import TILES, Tile


class Dealt(NamedTuple):
    """What was dealt."""

    hands: tuple[int, ...]
    """By seat: the tiles, as a bit mask."""
    middle: tuple[Tile, ...]
    """The tiles left over, as they were dealt. The first one is the widow."""

    @property
    def widow(self) -> Tile | None:
        """The tile the declarer takes, or ``None`` when no tile is left over."""
        return self.middle[0] if self.middle else None


def seed_key(seed: str) -> bytes:
    """Returns the 32-byte key of a seed, which may be any text.

    A seed of fewer than 128 secret bits can be guessed from a few hands; leave it out of a rated
    tournament and a random one of 256 bits is drawn.

    Raises:
        NotationError: if *seed* is no text that UTF-8 can write.
    """
    try:
        return hashlib.sha256(b"moon-league/seed/v1\n" + seed.encode()).digest()
    except UnicodeEncodeError:
        raise NotationError("seed", seed, "a seed is text") from None


def derive_key(key: bytes, label: str) -> bytes:
    """Returns the key for *label* under *key*: HMAC-SHA256 of ``derive/`` and the label."""
    return hmac.digest(key, b"derive/" + label.encode(), "sha256")


_LIMITS = (0, *(256 - 256 % count for count in range(1, len(TILES) + 1)))
"""By count: the last multiple of it that a byte can reach."""


def deal_tiles(key: bytes, number: int, rules: Rules) -> Dealt:
    """Returns the deal with *number*, from 0, of the match with *key*.

    The tiles in play, ascending, are shuffled from the last place down: the tile at place *i*
    changes places with the one at a place drawn from 0 to *i*. Then seat 0 gets the first seven,
    seat 1 the next seven, and so on; what is left lies in the middle.
    """
    # Shuffled as the bits of a mask, of which a hand is the sum.
    tiles = list(_bits(rules))
    place = len(tiles) - 1
    # As `_draw` does it, without a call for every tile.
    for byte in _bytes(key, b"deal/" + number.to_bytes(8, "big")):
        if byte < _LIMITS[place + 1]:
            other = byte % (place + 1)
            tiles[place], tiles[other] = tiles[other], tiles[place]
            place -= 1
            if not place:
                break
    ends = range(0, HAND_SIZE * rules.players, HAND_SIZE)
    hands = tuple([sum(tiles[at : at + HAND_SIZE]) for at in ends])
    middle = tiles[HAND_SIZE * rules.players :]
    return Dealt(hands, tuple([TILES[bit.bit_length() - 1] for bit in middle]))


@lru_cache(maxsize=64)
def _bits(rules: Rules) -> tuple[int, ...]:
    return tuple(1 << tile for tile in rules.tiles)


def first_bidder(key: bytes, rules: Rules) -> Seat:
    """Returns who bids first in deal 0 of the match with *key*: a lot by the same stream (B1)."""
    return SEATS[_draw(_bytes(key, b"lot/"), rules.players)]


def _bytes(key: bytes, label: bytes) -> Iterator[int]:
    """Yields the bytes of HMAC-SHA256(key, label + part), part 0, 1, 2 ... as four bytes."""
    part = 0
    while True:
        yield from hmac.digest(key, label + part.to_bytes(4, "big"), "sha256")
        part += 1


def _draw(stream: Iterator[int], count: int) -> int:
    """Returns an unbiased number below *count*: bytes at or above the last multiple are skipped."""
    limit = _LIMITS[count]
    while (byte := next(stream)) >= limit:
        pass
    return byte % count
