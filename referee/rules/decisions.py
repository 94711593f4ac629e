"""The question put to a seat, and the answers to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple, NewType, TypeAlias

from referee.rules.bids import Bid
from referee.rules.errors import IllegalChoiceError
from referee.rules.suits import SUITS, TRUMPS, Suit, Trump
from referee.rules.tiles import TILES, Tile

Seat = NewType("Seat", int)
"""A place at the table, from 0, numbered clockwise."""

SEATS: tuple[Seat, ...] = (Seat(0), Seat(1), Seat(2), Seat(3))
"""Every seat of the largest table."""


class Kind(IntEnum):
    """What is asked."""

    BID = 1
    TRUMP = 2
    EXCHANGE = 3
    DISCARD = 4
    PLAY = 5

    @property
    def word(self) -> str:
        """The kind as a word: ``bid``, ``trump``, ``exchange``, ``discard`` or ``play``."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class MakeBid:
    """Bids, or passes."""

    bid: Bid

    def __str__(self) -> str:
        """Returns ``bid 5`` or ``pass``."""
        return f"bid {self.bid}" if self.bid else "pass"


@dataclass(frozen=True, slots=True)
class NameTrump:
    """Names the trump."""

    trump: Trump

    def __str__(self) -> str:
        """Returns ``trump 5``."""
        return f"trump {self.trump}"


@dataclass(frozen=True, slots=True)
class Exchange:
    """Takes the widow, or leaves it unseen."""

    take: bool

    def __str__(self) -> str:
        """Returns ``take the widow`` or ``leave the widow``."""
        return "take the widow" if self.take else "leave the widow"


@dataclass(frozen=True, slots=True)
class Discard:
    """Puts a tile aside, after the widow was taken."""

    tile: Tile

    def __str__(self) -> str:
        """Returns ``discard 6-4``."""
        return f"discard {self.tile}"


@dataclass(frozen=True, slots=True)
class Play:
    """Plays a tile to the trick."""

    tile: Tile
    called: Suit | None = None
    """The suit a leader calls; only where the leader calls it, else ``None``."""

    def __str__(self) -> str:
        """Returns ``play 6-4``, with the suit called if one is."""
        return f"play {self.tile}" + ("" if self.called is None else f" as {self.called}")


Choice: TypeAlias = MakeBid | NameTrump | Exchange | Discard | Play
"""An answer to a decision."""

BIDDING: dict[Bid, MakeBid] = {bid: MakeBid(bid) for bid in Bid}
"""By bid: the choice that makes it."""
NAMING: tuple[NameTrump, ...] = tuple(NameTrump(trump) for trump in TRUMPS)
"""By trump: the choice that names it."""
TAKE, LEAVE = Exchange(True), Exchange(False)
DISCARDING: tuple[Discard, ...] = tuple(Discard(tile) for tile in TILES)
"""By tile: the choice that discards it."""
PLAYING: tuple[Play, ...] = tuple(Play(tile) for tile in TILES)
"""By tile: the choice that plays it without calling a suit."""
CALLING: tuple[tuple[Play, ...], ...] = tuple(
    tuple(Play(tile, suit) for suit in SUITS) for tile in TILES
)
"""By tile, then by suit: the choice that leads it and calls that suit."""


_HALF = 14
"""The bits of a hand that are looked up at once: half of the tiles."""


class _ChoicesOfHalf(dict[int, tuple[Choice, ...]]):
    """By mask of half of the tiles: a choice for each of them.

    A mask is added when it is asked for, so there are never more than 2 ** 14.
    """

    def __init__(self, choices: Sequence[Choice]) -> None:
        super().__init__()
        self._choices = choices

    def __missing__(self, mask: int) -> tuple[Choice, ...]:
        found = tuple([choice for bit, choice in enumerate(self._choices) if mask >> bit & 1])
        self[mask] = found
        return found


_LOWER_MASK = (1 << _HALF) - 1
_LOWER_PLAYS, _UPPER_PLAYS = _ChoicesOfHalf(PLAYING[:_HALF]), _ChoicesOfHalf(PLAYING[_HALF:])
_LOWER_DISCARDS = _ChoicesOfHalf(DISCARDING[:_HALF])
_UPPER_DISCARDS = _ChoicesOfHalf(DISCARDING[_HALF:])


def plays_of(mask: int) -> tuple[Choice, ...]:
    """Returns the choices that play the tiles of *mask* without calling a suit, ascending."""
    return _LOWER_PLAYS[mask & _LOWER_MASK] + _UPPER_PLAYS[mask >> _HALF]


def discards_of(mask: int) -> tuple[Choice, ...]:
    """Returns the choices that discard the tiles of *mask*, ascending."""
    return _LOWER_DISCARDS[mask & _LOWER_MASK] + _UPPER_DISCARDS[mask >> _HALF]


class Decision(NamedTuple):
    """A question to one seat."""

    kind: Kind
    seat: Seat
    legal: tuple[Choice, ...]
    """Every choice that is allowed, all of one kind; never empty. Bids ascend from the pass, trumps
    and tiles by number; taking the widow comes before leaving it."""

    def check(self, choice: Choice) -> Choice:
        """Returns the legal choice that equals *choice*.

        Raises:
            IllegalChoiceError: if *choice* is not among the legal ones.
        """
        for legal in self.legal:
            if legal is choice:  # as nearly always, and quicker than to compare values
                return legal
        try:
            return self.legal[self.legal.index(choice)]
        except ValueError:
            raise illegal(choice, self) from None


def illegal(choice: Choice, decision: Decision) -> IllegalChoiceError:
    """Returns the error that says what was chosen and what would have been legal."""
    allowed = ", ".join(map(str, decision.legal))
    return IllegalChoiceError(f"seat {decision.seat} may not {choice}; legal: {allowed}")
