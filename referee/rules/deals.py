"""One deal: auction, trump, exchange, and seven tricks.

A `Deal` is a value: `Deal.play` returns the next one and leaves the old one as it was, so a state
can be kept, compared, hashed and searched. Inside it tiles are numbers and hands are bit masks, and
every question about a trick is a lookup in the `SuitTable` of the trump.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from referee.rules.auction import Auction, bid, legal_bids, start_auction
from referee.rules.bids import TRICKS, Bid
from referee.rules.dealing import Dealt
from referee.rules.decisions import (
    BIDDING,
    CALLING,
    DISCARDING,
    LEAVE,
    NAMING,
    SEATS,
    TAKE,
    Choice,
    Decision,
    Discard,
    Exchange,
    Kind,
    MakeBid,
    NameTrump,
    Play,
    Seat,
    illegal,
    plays_of,
)
from referee.rules.errors import IllegalChoiceError
from referee.rules.options import (
    ExchangeRule,
    FirstLead,
    FollowRule,
    LedSuit,
    PlayOut,
    Rules,
    TrumpNamed,
)
from referee.rules.scoring import DealScore, needed_tricks, score_deal, side_tricks
from referee.rules.suits import SUITS, Suit, Trump, callable_suits
from referee.rules.tiles import Tile, tiles_in

# The constructor of a named tuple is a Python function; these states are made by the million.
_new = tuple.__new__
_PLAY = Kind.PLAY


class Deal(NamedTuple):
    """A deal in some state."""

    rules: Rules
    dealt: Dealt
    """What was dealt."""
    forced: bool
    """Whether the last bidder must bid when all others passed."""
    auction: Auction
    bids: tuple[Bid, ...]
    """Every bid and pass, in turn order."""
    hands: tuple[int, ...]
    """By seat: the tiles held now, as a bit mask."""
    turn: Seat | None
    """The seat that is asked next, or ``None`` when the deal is over."""
    trump: Trump | None = None
    taken: bool | None = None
    """Whether the declarer took the widow; ``None`` before that, and without an exchange."""
    discarded: Tile | None = None
    plays: tuple[Tile, ...] = ()
    """Every tile played, in order."""
    leaders: tuple[Seat, ...] = ()
    """By trick: who leads it, with the trick that is open now."""
    suits: tuple[Suit, ...] = ()
    """By trick that has begun: the suit that was led."""
    tricks_won: tuple[int, ...] = ()
    """By seat."""

    @classmethod
    def start(
        cls, rules: Rules, dealt: Dealt, first_bidder: Seat | int, *, forced: bool = False
    ) -> Deal:
        """Returns the deal before the first bid.

        Args:
            rules: The rules.
            dealt: What was dealt.
            first_bidder: Who bids first.
            forced: Whether the last bidder must bid when all others passed.
        """
        auction = start_auction(SEATS[first_bidder])
        return cls(
            rules,
            dealt,
            forced,
            auction,
            (),
            dealt.hands,
            auction.turn,
            tricks_won=(0,) * rules.players,
        )

    # What is known of the deal.

    @property
    def declarer(self) -> Seat | None:
        """Who won the auction, or ``None`` before its end and when everybody passed."""
        return self.auction.declarer if self.auction.turn is None else None

    @property
    def contract(self) -> Bid:
        """The declarer's bid, or a pass while there is no declarer."""
        return self.auction.contract if self.auction.turn is None else Bid.PASS

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to choose."""
        return self.turn is None

    @property
    def is_thrown_in(self) -> bool:
        """Whether everybody passed, so that the deal counts for nothing."""
        return self.auction.is_thrown_in

    @property
    def kind(self) -> Kind | None:
        """What is asked next, or ``None`` when the deal is over."""
        if self.turn is None:
            return None
        if self.leaders:
            return Kind.PLAY
        if self.auction.turn is not None:
            return Kind.BID
        rules = self.rules
        if self.trump is None and (
            rules.trump_named is TrumpNamed.BEFORE_EXCHANGE or self._exchange_done
        ):
            return Kind.TRUMP
        return Kind.EXCHANGE if self.taken is None else Kind.DISCARD

    @property
    def _exchange_done(self) -> bool:
        if self.rules.exchange is ExchangeRule.NONE or self.taken is False:
            return True
        return self.discarded is not None

    def score(self) -> DealScore:
        """Returns what the finished deal is worth.

        Raises:
            ValueError: if the deal is not over, or was thrown in.
        """
        declarer = self.auction.declarer
        if self.turn is not None or declarer is None:
            raise ValueError("only a deal that was played to its end has a score")
        return score_deal(self.rules, declarer, self.auction.contract, self.tricks_won)

    # The question.

    @property
    def decision(self) -> Decision | None:
        """The open question, or ``None`` once the deal is over."""
        seat = self.turn
        if seat is None:
            return None
        if self.leaders:
            return _new(Decision, (_PLAY, seat, self._legal_plays(seat)))
        kind = self.kind
        assert kind is not None
        return Decision(kind, seat, self._legal_before_play(kind, seat))

    def _legal_before_play(self, kind: Kind, seat: Seat) -> tuple[Choice, ...]:
        match kind:
            case Kind.BID:
                return _bid_choices(legal_bids(self.rules, self.auction, self.forced))
            case Kind.TRUMP:
                return _trump_choices(self.rules.trumps)
            case Kind.EXCHANGE:
                return (TAKE, LEAVE)
            case _:
                return tuple([DISCARDING[tile] for tile in tiles_in(self.hands[seat])])

    def legal_mask(self) -> int:
        """Returns the tiles that may be played now, as a bit mask; 0 outside the tricks."""
        seat = self.turn
        if seat is None or not self.leaders:
            return 0
        hand = self.hands[seat]
        rules = self.rules
        trump = self.trump
        assert trump is not None
        table = rules.tables[trump]
        if len(self.suits) < len(self.leaders):
            if not self.plays and rules.first_lead is FirstLead.TRUMP:
                return hand & table.trumps or hand
            return hand
        following = hand & table.follows[self.suits[-1]]
        if rules.follow_rule is FollowRule.FOLLOW_OR_TRUMP:
            following |= hand & table.trumps if self.suits[-1] is not table.trump_suit else 0
        return following or hand

    def _legal_plays(self, seat: Seat) -> tuple[Choice, ...]:
        mask = self.legal_mask()
        rules = self.rules
        if rules.led_suit is LedSuit.LEADER_CALLS and len(self.suits) < len(self.leaders):
            assert self.trump is not None
            table = rules.tables[self.trump]
            return tuple(
                [
                    CALLING[tile][suit]
                    for tile in tiles_in(mask)
                    for suit in callable_suits(tile, table)
                ]
            )
        return plays_of(mask)

    # The answer.

    def play(self, choice: Choice) -> Deal:
        """Returns the state after *choice*.

        Raises:
            IllegalChoiceError: if *choice* is not allowed now.
        """
        asks_tile = self.leaders and self.turn is not None
        if asks_tile and choice.__class__ is Play and choice.tile.__class__ is Tile:
            return self._play_tile(choice)  # without building the list of what is legal
        decision = self.decision
        if decision is None:
            raise IllegalChoiceError(f"the deal is over, so nobody may {choice}")
        match decision.check(choice):
            case MakeBid(made):
                return self._bid(made)
            case NameTrump(trump):
                return self._replace(trump=trump)._ready()
            case Exchange(take):
                return self._exchange(take)
            case Discard(tile):
                hands = _without(self.hands, decision.seat, tile)
                return self._replace(hands=hands, discarded=tile)._ready()
            case Play() as play:
                return self._play_tile(play)

    def _bid(self, made: Bid) -> Deal:
        auction = bid(self.rules, self.auction, made)
        after = self._replace(auction=auction, bids=(*self.bids, made), turn=auction.turn)
        if auction.turn is not None or auction.declarer is None:
            return after
        after = after._replace(turn=auction.declarer)
        return after._ready()

    def _exchange(self, take: bool) -> Deal:
        if not take:
            return self._replace(taken=False)._ready()
        seat, widow = self.auction.declarer, self.dealt.widow
        assert seat is not None
        assert widow is not None
        held = self.hands[seat] | 1 << widow
        hands = (*self.hands[:seat], held, *self.hands[seat + 1 :])
        return self._replace(hands=hands, taken=True)

    def _ready(self) -> Deal:
        """Takes the widow where it must be taken, and opens the first trick when all is named."""
        if self.kind is Kind.EXCHANGE and self.rules.exchange is ExchangeRule.TAKE_THEN_DISCARD:
            return self._exchange(True)
        if self.trump is not None and self._exchange_done:
            declarer = self.auction.declarer
            assert declarer is not None
            return self._replace(leaders=(declarer,))
        return self

    def _play_tile(self, choice: Play) -> Deal:
        (rules, dealt, forced, auction, bids, hands, turn, trump, taken, discarded, plays, leaders,
         suits, tricks_won) = self  # fmt: skip
        tile = choice.tile
        assert turn is not None
        assert trump is not None
        if not self.legal_mask() >> tile & 1:
            raise illegal(choice, Decision(Kind.PLAY, turn, self._legal_plays(turn)))
        if len(suits) < len(leaders):
            suits = (*suits, self._led_suit(choice, turn, trump))
        elif choice.called is not None:
            raise illegal(choice, Decision(Kind.PLAY, turn, self._legal_plays(turn)))
        hands = (*hands[:turn], hands[turn] ^ 1 << tile, *hands[turn + 1 :])
        plays = (*plays, tile)
        players = rules.players
        if len(plays) % players:
            turn = _NEXT[players][turn]
        else:
            winner = trick_winner(rules, trump, leaders[-1], plays[-players:], suits[-1])
            won = tricks_won[winner] + 1
            tricks_won = (*tricks_won[:winner], won, *tricks_won[winner + 1 :])
            if len(suits) == TRICKS or _is_decided(rules, auction, tricks_won):
                turn = None
            else:
                turn = winner
                leaders = (*leaders, winner)
        return _new(Deal, (
            rules, dealt, forced, auction, bids, hands, turn, trump, taken, discarded, plays,
            leaders, suits, tricks_won,
        ))  # fmt: skip

    def _led_suit(self, choice: Play, turn: Seat, trump: Trump) -> Suit:
        table = self.rules.tables[trump]
        if self.rules.led_suit is LedSuit.HIGHER_END:
            if choice.called is None:
                return table.leads[choice.tile]
        elif choice.called in callable_suits(choice.tile, table):
            assert choice.called is not None
            return SUITS[choice.called]
        raise illegal(choice, Decision(Kind.PLAY, turn, self._legal_plays(turn)))


@cache
def _bid_choices(bids: tuple[Bid, ...]) -> tuple[Choice, ...]:
    return tuple(BIDDING[made] for made in bids)


@cache
def _trump_choices(trumps: tuple[Trump, ...]) -> tuple[Choice, ...]:
    return tuple(NAMING[trump] for trump in trumps)


_NEXT: tuple[tuple[Seat, ...], ...] = tuple(
    tuple(SEATS[(seat + 1) % players] for seat in range(players)) if players else ()
    for players in range(5)
)
"""By number of players, then by seat: the seat to the left."""


def _without(hands: tuple[int, ...], seat: Seat, tile: Tile) -> tuple[int, ...]:
    return (*hands[:seat], hands[seat] & ~(1 << tile), *hands[seat + 1 :])


def _is_decided(rules: Rules, auction: Auction, tricks_won: tuple[int, ...]) -> bool:
    """Whether no further trick can change whether the contract is kept (D9)."""
    if rules.play_out is PlayOut.ALL_SEVEN or auction.declarer is None:
        return False
    mine = side_tricks(rules, tricks_won)[rules.side_of(auction.declarer)]
    needed = needed_tricks(rules, auction.contract)
    return mine >= needed or mine + TRICKS - sum(tricks_won) < needed


def trick_winner(
    rules: Rules, trump: Trump, leader: Seat | int, tiles: tuple[Tile, ...], led: Suit
) -> Seat:
    """Returns who takes a trick, or would take it if nobody played on.

    That is the highest trump, else the highest of the led suit (D7).
    """
    strength = rules.tables[trump].strength[led]
    best, at = -1, 0
    for place, tile in enumerate(tiles):
        if strength[tile] > best:
            best, at = strength[tile], place
    return SEATS[(leader + at) % rules.players]
