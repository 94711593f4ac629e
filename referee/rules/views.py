"""What one seat may know.

`view` is the only form in which a deal leaves the referee. A `View` has no field for another
seat's hand, and it holds the widow and the discard only for the declarer who has seen them, so
a leak would have to be a new field.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias, TypeVar

from referee.rules.bids import Bid
from referee.rules.deals import Deal
from referee.rules.decisions import SEATS, Choice, Decision, Kind, Seat
from referee.rules.options import LedSuit, Rules, Sides
from referee.rules.sealing import open_twin
from referee.rules.suits import Suit, SuitTable, Trump
from referee.rules.tiles import Hand, Tile, hand_of, mask_of
from referee.rules.tricks import trick_winner

_PASS, _LEADER_CALLS = Bid.PASS, LedSuit.LEADER_CALLS


class Trick(NamedTuple):
    """A trick, finished or open."""

    leader: Seat
    suit: Suit | None
    """The suit that was led, or ``None`` before the lead."""
    tiles: tuple[Tile, ...]
    """What was played, from the leader on, clockwise."""
    winner: Seat | None
    """Who took it, or ``None`` while it is open."""


@dataclass(frozen=True, slots=True)
class View:
    """A deal as one seat sees it."""

    rules: Rules
    seat: Seat
    """Who looks."""
    scores: tuple[int, ...]
    """By side: the score before this deal."""
    deal_number: int
    """The number of this deal in the match, from 0, deals that were thrown in included."""
    deals: int | None
    """How many deals the match has, or ``None`` when it ends at the target."""
    forced: bool
    """Whether the last bidder must bid when all others pass."""
    hand: Hand
    """What this seat holds now."""
    first_bidder: Seat
    bids: tuple[Bid, ...]
    """Every bid and pass, in turn order."""
    declarer: Seat | None
    """Who won the auction, or ``None`` before its end."""
    contract: Bid
    """The declarer's bid, or a pass while there is no declarer."""
    trump: Trump | None
    taken: bool | None
    """Whether the declarer took the widow; ``None`` before that, and without an exchange."""
    widow: Tile | None
    """The widow, for the declarer who took it; ``None`` for everybody else."""
    discarded: Tile | None
    """The discard, for the declarer who made it; ``None`` for everybody else."""
    plays: tuple[Tile, ...]
    """Every tile played in this deal, in order."""
    leaders: tuple[Seat, ...]
    """By trick: who leads it, with the trick that is open now."""
    called: tuple[Suit, ...]
    """By trick that has begun: the suit the leader called; empty unless the leader calls it."""
    tricks_won: tuple[int, ...]
    """By seat."""
    decision: Decision | None
    """The question to this seat, or ``None`` when it is not its turn."""

    @property
    def choices(self) -> tuple[Choice, ...]:
        """Every choice that is legal now, or none when it is not this seat's turn."""
        return self.decision.legal if self.decision else ()

    @property
    def side(self) -> int:
        """The side of this seat."""
        return self.rules.side_of(self.seat)

    @property
    def partner(self) -> Seat | None:
        """The seat across the table with four players, else ``None``."""
        return SEATS[(self.seat + 2) % 4] if self.rules.sides is Sides.PAIRS else None

    @property
    def table(self) -> SuitTable:
        """The suits under the trump.

        Raises:
            ValueError: if no trump is named yet, as where the discard comes before it.
        """
        if self.trump is None:
            raise ValueError(f"no trump is named yet; {self._why_no_trump()}")
        return self.rules.tables[self.trump]

    def _why_no_trump(self) -> str:
        if self.decision is not None and self.decision.kind is Kind.DISCARD:
            return "under these rules the discard comes before it"
        return "it can be asked from then on"

    @property
    def unseen(self) -> Hand:
        """The tiles this seat has not seen: in other hands, left over, or put aside by another."""
        seen = self.hand.mask | mask_of(self.plays)
        if self.discarded is not None:
            seen |= 1 << self.discarded
        return Hand(self.rules.tile_mask & ~seen)

    @property
    def tricks(self) -> tuple[Trick, ...]:
        """Every finished trick, and the open one if the deal has come to the tricks."""
        players = self.rules.players
        tricks = []
        for number, leader in enumerate(self.leaders):
            tiles = self.plays[number * players : (number + 1) * players]
            suit = self._suit(number, tiles[0]) if tiles else None
            winner = self._ahead(leader, tiles, suit) if len(tiles) == players else None
            tricks.append(Trick(leader, suit, tiles, winner))
        return tuple(tricks)

    def _ahead(self, leader: Seat, tiles: tuple[Tile, ...], suit: Suit | None) -> Seat | None:
        if suit is None:
            return None
        assert self.trump is not None
        return trick_winner(self.rules, self.trump, leader, tiles, suit)

    def _suit(self, number: int, led: Tile) -> Suit:
        return self.called[number] if self.called else self.table.leads[led]

    @property
    def trick(self) -> Trick | None:
        """The open trick, or ``None`` outside the tricks."""
        if not self.leaders:
            return None
        played = self.plays[(len(self.leaders) - 1) * self.rules.players :]
        suit = self._suit(len(self.leaders) - 1, played[0]) if played else None
        return Trick(self.leaders[-1], suit, played, None)

    @property
    def winning(self) -> Seat | None:
        """Who would take the open trick if nobody played on, or ``None`` before the lead."""
        trick = self.trick
        return self._ahead(trick.leader, trick.tiles, trick.suit) if trick else None

    @property
    def leader(self) -> Seat | None:
        """Who leads the open trick, or ``None`` outside the tricks."""
        return self.leaders[-1] if self.leaders else None


ViewT = TypeVar("ViewT", bound=View)
ViewFields: TypeAlias = tuple[
    Rules, Seat, tuple[int, ...], int, int | None, bool, Hand, Seat, tuple[Bid, ...], Seat | None,
    Bid, Trump | None, bool | None, Tile | None, Tile | None, tuple[Tile, ...], tuple[Seat, ...],
    tuple[Suit, ...], tuple[int, ...], Decision | None,
]  # fmt: skip
"""The fields of a `View`, in their order."""


def view_of(kind: type[ViewT], fields: ViewFields) -> ViewT:
    """Returns the view with these *fields* as *kind*, as its constructor would, but faster."""
    seen: Any = object.__new__(open_twin(kind))
    (
        seen.rules, seen.seat, seen.scores, seen.deal_number, seen.deals, seen.forced, seen.hand,
        seen.first_bidder, seen.bids, seen.declarer, seen.contract, seen.trump, seen.taken,
        seen.widow, seen.discarded, seen.plays, seen.leaders, seen.called, seen.tricks_won,
        seen.decision,
    ) = fields  # fmt: skip
    seen.__class__ = kind
    closed: ViewT = seen
    return closed


def view(
    deal: Deal,
    seat: Seat,
    *,
    scores: Sequence[int] = (),
    deal_number: int = 0,
    deals: int | None = None,
    decision: Decision | None = None,
) -> View:
    """Returns what *seat* may know of *deal*.

    Args:
        deal: The deal.
        seat: Who looks.
        scores: By side: the score before this deal; all zero if left out.
        deal_number: The number of the deal in the match, from 0.
        deals: How many deals the match has, or ``None`` when it ends at the target.
        decision: The open question if it was computed before; else it is computed here.
    """
    if decision is None and deal.turn == seat:
        decision = deal.decision
    auction = deal.auction
    declarer = auction.declarer if auction.turn is None else None
    own = declarer == seat
    rules = deal.rules
    seen: Any = object.__new__(_OpenView)  # filled here and closed at the end, see `open_twin`
    seen.rules, seen.seat, seen.scores = rules, seat, tuple(scores or (0,) * rules.side_count)
    seen.deal_number, seen.deals, seen.forced = deal_number, deals, deal.forced
    seen.hand, seen.first_bidder, seen.bids = (
        hand_of(deal.hands[seat]),
        auction.first_bidder,
        deal.bids,
    )
    seen.declarer, seen.trump, seen.taken = declarer, deal.trump, deal.taken
    seen.contract = auction.contract if declarer is not None else _PASS
    seen.widow = deal.dealt.widow if own and deal.taken else None
    seen.discarded = deal.discarded if own else None
    seen.plays, seen.leaders, seen.tricks_won = deal.plays, deal.leaders, deal.tricks_won
    seen.called = deal.suits if rules.led_suit is _LEADER_CALLS else ()
    seen.decision = decision if decision is not None and decision.seat == seat else None
    seen.__class__ = View
    closed: View = seen
    return closed


_OpenView = open_twin(View)
