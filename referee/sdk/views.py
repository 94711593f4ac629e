"""The view that a bot's functions are given."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any, Generic, TypeVar

from moon.v1 import bot_service_pb2 as pb
from moon.v1 import table_pb2 as pb_table

from referee.rules import (
    SEATS,
    Bid,
    Kind,
    Play,
    Seat,
    Suit,
    Tile,
    Trump,
    rules_text,
)
from referee.rules import View as SeatView
from referee.rules.bids import TRICKS
from referee.rules.scoring import needed_tricks, side_tricks
from referee.rules.sealing import open_twin
from referee.rules.views import view_of
from referee.wire.choices import decode_question
from referee.wire.views import FIELDS, UNREADABLE, refusal

ValueT = TypeVar("ValueT", Bid, Trump, bool, Tile)

_FIELDS = attrgetter(*SeatView.__slots__)
_BID, _PLAY = Kind.BID, Kind.PLAY


class View(SeatView, Generic[ValueT]):
    """The table as the asked seat sees it, with the legal answers as plain values.

    Everything of `referee.rules.View` is here too: ``hand``, ``unseen``, ``bids``, ``declarer``,
    ``contract``, ``trump``, ``trick``, ``tricks``, ``leader``, ``partner``, ``scores``, ``rules``
    and the rest. A view cannot be changed.
    """

    __slots__ = ("_legal", "_message", "_rng")

    _legal: tuple[ValueT, ...]
    _message: pb_table.View
    _rng: random.Random

    @classmethod
    def of(cls, view: SeatView) -> View[ValueT]:
        """Returns *view* with what a bot's functions need on top."""
        return view_of(cls, _FIELDS(view))

    @classmethod
    def read(cls, message: pb.Decision) -> View[ValueT]:
        """Returns the view in *message*, with its question.

        What it shows besides is read when the bot first looks at it: most of what a view holds is
        not looked at for most decisions.

        Raises:
            WireError: if the message asks nothing, or by rules that nobody knows. For any other
                value that stands for nothing it is raised by the first look at it.
        """
        shown = message.view
        view: Any = object.__new__(open_twin(cls))
        view.decision = decision = decode_question(message)
        view.seat = decision.seat
        view._message = shown
        view.rules = _read(shown, "rules")
        view.__class__ = cls
        closed: View[ValueT] = view
        return closed

    def __getattr__(self, name: str) -> Any:
        """Finds what was not looked at before, and keeps it."""
        if name in FIELDS:
            value = _read(self._message, name)
        elif name in _FOUND_LATER:
            value = _FOUND_LATER[name](self)
        else:
            message = f"{type(self).__name__!r} object has no attribute {name!r}"
            raise AttributeError(message, name=name, obj=self)
        object.__setattr__(self, name, value)
        return value

    def __setattr__(self, name: str, value: object) -> None:
        """Refuses.

        Raises:
            AttributeError: always; what the referee sent stays as it is.
        """
        raise AttributeError(f"a view cannot be changed: {name}")

    @property
    def kind(self) -> Kind:
        """What is asked."""
        assert self.decision is not None
        return self.decision.kind

    @property
    def legal(self) -> tuple[ValueT, ...]:
        """Every legal answer, never empty.

        Bids ascend from the pass, trumps and tiles by number; ``True``, which takes the widow,
        comes before ``False``.
        """
        return self._legal

    @property
    def calls(self) -> tuple[Play, ...]:
        """Every lead with the suit it calls, under rules where the leader calls it; else empty.

        ``play`` may return one of these, or a tile alone, which is then led as its higher end.
        """
        plays = [choice for choice in self.choices if isinstance(choice, Play)]
        return tuple(plays) if plays and plays[0].called is not None else ()

    @property
    def rng(self) -> random.Random:
        """A generator for this decision alone.

        It is seeded by the question and by nothing else: not by the match, the clock, or what was
        asked before. The same question gives the same draws, on any machine.
        """
        return self._rng

    @property
    def question(self) -> str:
        """All that this view holds, in one line of text."""
        parts = [
            rules_text(self.rules),
            f"deal {self.deal_number}" + ("" if self.deals is None else f" of {self.deals}"),
            f"scores {_words(self.scores)}",
            f"seat {self.seat}",
            f"bids from {self.first_bidder}: {_words(self.bids) or '-'}"
            + (" (the last must bid)" if self.forced else ""),
        ]
        if self.declarer is not None:
            parts.append(
                f"seat {self.declarer} declares {self.contract}, trump {_word(self.trump)}"
            )
        if self.taken is not None:
            parts.append(f"widow {'taken' if self.taken else 'left'}")
        if self.widow is not None:
            parts.append(f"was {self.widow}, laid {_word(self.discarded)}")
        if self.leaders:
            parts += [f"won {_words(self.tricks_won)}", f"led {_words(self.leaders)}"]
        if self.called:
            parts.append(f"as {_words(self.called)}")
        parts += [f"plays {_words(self.plays) or '-'}", f"hand {self.hand}"]
        parts.append(", ".join(map(str, self.choices)))
        return " | ".join(parts)

    # Scores.

    @property
    def target(self) -> int:
        """The score that ends the match, unless it has a fixed number of deals."""
        return self.rules.target

    @property
    def my_score(self) -> int:
        """The score of this side before this deal."""
        return self.scores[self.side]

    @property
    def best_rival_score(self) -> int:
        """The highest score of another side before this deal."""
        return max(score for side, score in enumerate(self.scores) if side != self.side)

    # Contract.

    @property
    def high_bid(self) -> Bid:
        """The highest bid so far, or a pass."""
        return max(self.bids, default=Bid.PASS)

    @property
    def is_declarer(self) -> bool:
        """Whether this seat has won the auction."""
        return self.declarer == self.seat

    @property
    def is_declaring(self) -> bool:
        """Whether this seat or its partner has won the auction."""
        return self.declarer is not None and self.rules.side_of(self.declarer) == self.side

    @property
    def tricks_needed(self) -> int | None:
        """How many more tricks the declaring side must take, 0 when the contract is made.

        ``None`` before the end of the auction.
        """
        if self.declarer is None:
            return None
        taken = side_tricks(self.rules, self.tricks_won)[self.rules.side_of(self.declarer)]
        return max(0, needed_tricks(self.rules, self.contract) - taken)

    @property
    def tricks_left(self) -> int:
        """How many tricks are not finished yet, the open one included."""
        return TRICKS - sum(self.tricks_won)

    # The open trick.

    @property
    def led(self) -> Suit | None:
        """The suit that was led to the open trick, or ``None``."""
        trick = self.trick
        return trick.suit if trick else None

    @property
    def after(self) -> tuple[Seat, ...]:
        """The seats that still play to the open trick after this one, in order."""
        trick, players = self.trick, self.rules.players
        if trick is None or self.decision is None:
            return ()
        left = players - len(trick.tiles) - 1
        return tuple(SEATS[(self.seat + 1 + step) % players] for step in range(left))

    def takes(self, tile: Tile) -> bool:
        """Whether *tile*, played now, would be the highest of the open trick so far."""
        trick = self.trick
        if trick is None or trick.suit is None:
            return trick is not None
        strength = self.table.strength[trick.suit]
        return strength[tile] > max(strength[played] for played in trick.tiles)

    def is_with_me(self, seat: Seat | None) -> bool:
        """Whether *seat* is this seat or its partner."""
        return seat is not None and self.rules.side_of(seat) == self.side


def _legal_values(view: View[Any]) -> tuple[Any, ...]:
    """Returns the choices as what they choose."""
    decision = view.decision
    assert decision is not None
    kind = decision.kind
    choices: tuple[Any, ...] = decision.legal
    if kind is _PLAY:  # the kind asked most often
        tiles = [choice.tile for choice in choices]
        # A tile that can be led as two suits is legal twice, but it is one tile.
        return tuple(tiles if choices[0].called is None else dict.fromkeys(tiles))
    if kind is _BID:
        return tuple([choice.bid for choice in choices])
    if kind is Kind.DISCARD:
        return tuple([choice.tile for choice in choices])
    if kind is Kind.TRUMP:
        return tuple([choice.trump for choice in choices])
    return tuple([choice.take for choice in choices])


def _generator(view: View[Any]) -> random.Random:
    digest = hashlib.blake2b(view.question.encode(), digest_size=16).digest()
    # Bots have no secrets to draw; what counts is that a draw can be repeated.
    return random.Random(int.from_bytes(digest))  # noqa: S311 - no secret


_FOUND_LATER: dict[str, Callable[[View[Any]], Any]] = {
    "_legal": _legal_values,
    "_rng": _generator,
}
"""By name: what finds it, once."""


def _read(message: pb_table.View, name: str) -> Any:
    """Returns the field *name* of the view in *message*.

    Raises:
        WireError: if it stands for nothing.
    """
    try:
        return FIELDS[name](message)
    except UNREADABLE as error:
        raise refusal(message, error) from None


def _words(values: Iterable[object]) -> str:
    return " ".join(map(str, values))


def _word(value: object) -> str:
    return "-" if value is None else str(value)
