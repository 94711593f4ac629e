"""One deal: auction, trump, exchange, and seven tricks.

A `Deal` is a value: `Deal.play` returns the next one and leaves the old one as it was, so a state
can be kept, compared, hashed and searched. Inside it tiles are numbers and hands are bit masks, and
every question about a trick is a lookup in the `SuitTable` of the trump.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, TypeAlias

from referee.rules.auction import Auction, bid, legal_bids, start_auction
from referee.rules.bids import TRICKS, Bid
from referee.rules.dealing import Dealt
from referee.rules.decisions import (
    BIDDING,
    CALLING,
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
    discards_of,
    illegal,
    plays_of,
)
from referee.rules.errors import IllegalChoiceError
from referee.rules.options import (
    ExchangeRule,
    LedSuit,
    PlayOut,
    Rules,
    TrumpNamed,
)
from referee.rules.scoring import DealScore, needed_tricks, score_deal, side_tricks
from referee.rules.sealing import open_twin
from referee.rules.suits import SUITS, Suit, Trump, callable_suits
from referee.rules.tiles import Tile, tiles_in
from referee.rules.tricks import first_leads, trick_winner

# States are made by the million: no constructor in Python, no search for members of enumerations.
_new, _new_tuple = object.__new__, tuple.__new__
_BID, _DISCARD, _PLAY = Kind.BID, Kind.DISCARD, Kind.PLAY
_LEADER_CALLS, _ALL_SEVEN = LedSuit.LEADER_CALLS, PlayOut.ALL_SEVEN
_NO_WIDOW, _MUST_TAKE = ExchangeRule.NONE, ExchangeRule.TAKE_THEN_DISCARD
_BEFORE_EXCHANGE = TrumpNamed.BEFORE_EXCHANGE


@dataclass(frozen=True, slots=True)
class Deal:
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
    _legal_mask: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Finds what may be played: it is asked for with the question and with the answer."""
        legal = 0
        if self.turn is not None and self.leaders:
            hand, trump = self.hands[self.turn], self.trump
            assert trump is not None
            if len(self.suits) == len(self.leaders):
                legal = hand & self.rules.may_follow[trump][self.suits[-1]] or hand
            else:
                legal = hand if self.suits else first_leads(self.rules, trump, hand)
        object.__setattr__(self, "_legal_mask", legal)

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
        return _state((
            rules, dealt, forced, auction, (), dealt.hands, auction.turn, None, None, None, (), (),
            (), (0,) * rules.players, 0,
        ))  # fmt: skip

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
        if self.trump is None and (rules.trump_named is _BEFORE_EXCHANGE or self._is_exchanged):
            return Kind.TRUMP
        return Kind.EXCHANGE if self.taken is None else Kind.DISCARD

    @property
    def _is_exchanged(self) -> bool:
        return self.discarded is not None or self.taken is False or self.rules.exchange is _NO_WIDOW

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
            is_calling = self.rules.led_suit is _LEADER_CALLS and len(self.suits) < len(
                self.leaders
            )
            legal = self._calls() if is_calling else plays_of(self._legal_mask)
            return _new_tuple(Decision, (_PLAY, seat, legal))
        kind = self.kind
        assert kind is not None
        return _new_tuple(Decision, (kind, seat, self._legal_before_play(kind, seat)))

    def _legal_before_play(self, kind: Kind, seat: Seat) -> tuple[Choice, ...]:
        if kind is _BID:
            return _bid_choices(self.rules, self.auction, self.forced)
        if kind is _DISCARD:
            return discards_of(self.hands[seat])
        return _trump_choices(self.rules.trumps) if kind is Kind.TRUMP else (TAKE, LEAVE)

    def legal_mask(self) -> int:
        """Returns the tiles that may be played now, as a bit mask; 0 outside the tricks."""
        return self._legal_mask

    def _calls(self) -> tuple[Choice, ...]:
        """Returns every lead with every suit that it can call."""
        assert self.trump is not None
        table = self.rules.tables[self.trump]
        tiles = tiles_in(self._legal_mask)
        return tuple(
            [CALLING[tile][suit] for tile in tiles for suit in callable_suits(tile, table)]
        )

    # The answer.

    def play(self, choice: Choice) -> Deal:
        """Returns the state after *choice*.

        Raises:
            IllegalChoiceError: if *choice* is not allowed now.
        """
        if self._legal_mask and choice.__class__ is Play and choice.tile.__class__ is Tile:
            return self._play_tile(choice)  # without building the list of what is legal
        decision = self.decision
        if decision is None:
            raise IllegalChoiceError(f"the deal is over, so nobody may {choice}")
        auction, bids, hands, trump = self.auction, self.bids, self.hands, self.trump
        match decision.check(choice):
            case MakeBid(made):
                auction = bid(self.rules, auction, made)
                return self._before_tricks(auction, (*bids, made), hands, None, None, None)
            case NameTrump(named):
                return self._before_tricks(auction, bids, hands, named, self.taken, self.discarded)
            case Exchange(take):
                hands = self._with_widow(decision.seat) if take else hands
                return self._before_tricks(auction, bids, hands, trump, take, None)
            case Discard(tile):
                hands = _put(hands, decision.seat, hands[decision.seat] ^ 1 << tile)
                return self._before_tricks(auction, bids, hands, trump, True, tile)
            case Play() as play:
                return self._play_tile(play)

    def _with_widow(self, seat: Seat) -> tuple[int, ...]:
        widow = self.dealt.widow
        assert widow is not None
        return _put(self.hands, seat, self.hands[seat] | 1 << widow)

    def _before_tricks(
        self,
        auction: Auction,
        bids: tuple[Bid, ...],
        hands: tuple[int, ...],
        trump: Trump | None,
        taken: bool | None,
        discarded: Tile | None,
    ) -> Deal:
        """Returns the state in which so much is known, and no tile is played yet.

        The widow is taken where it must be taken; the first trick is open when all is named.
        """
        rules, turn, declarer = self.rules, auction.turn, auction.declarer
        leaders: tuple[Seat, ...] = ()
        legal = 0
        if turn is None and declarer is not None:
            turn, exchange = declarer, rules.exchange
            is_first = trump is not None or rules.trump_named is not _BEFORE_EXCHANGE
            if taken is None and exchange is _MUST_TAKE and is_first:
                taken, hands = True, self._with_widow(declarer)
            is_exchanged = discarded is not None or taken is False or exchange is _NO_WIDOW
            if trump is not None and is_exchanged:
                leaders, legal = (declarer,), first_leads(rules, trump, hands[declarer])
        return _state((
            rules, self.dealt, self.forced, auction, bids, hands, turn, trump, taken, discarded, (),
            leaders, (), self.tricks_won, legal,
        ))  # fmt: skip

    def _play_tile(self, choice: Play) -> Deal:
        rules, turn, trump, tile = self.rules, self.turn, self.trump, choice.tile
        leaders, suits = self.leaders, self.suits
        assert turn is not None
        assert trump is not None
        if not self._legal_mask >> tile & 1:
            raise self._refusal(choice)
        if len(suits) < len(leaders):
            suits += (self._led_suit(choice, trump),)
        elif choice.called is not None:
            raise self._refusal(choice)
        held = list(self.hands)
        held[turn] ^= 1 << tile
        laid = (tile,)  # a sum of tuples is quicker than to unpack one into another
        plays, players = self.plays + laid, rules.players
        deal: Any = _new(_OpenDeal)  # filled here and closed at the end, see `open_twin`
        if len(plays) % players:
            after = _NEXT[players][turn]
            hand = held[after]
            deal.turn, deal.leaders, deal.tricks_won = after, leaders, self.tricks_won
            deal._legal_mask = hand & rules.may_follow[trump][suits[-1]] or hand
        else:
            winner = trick_winner(rules, trump, leaders[-1], plays[-players:], suits[-1])
            tricks_won = _put(self.tricks_won, winner, self.tricks_won[winner] + 1)
            is_last = len(suits) == TRICKS or _is_decided(rules, self.auction, tricks_won)
            deal.turn, deal._legal_mask = (None, 0) if is_last else (winner, held[winner])
            deal.leaders = leaders if is_last else (*leaders, winner)
            deal.tricks_won = tricks_won
        deal.rules, deal.dealt, deal.forced = rules, self.dealt, self.forced
        deal.auction, deal.bids, deal.hands = self.auction, self.bids, tuple(held)
        deal.trump, deal.taken, deal.discarded = trump, self.taken, self.discarded
        deal.plays, deal.suits = plays, suits
        deal.__class__ = Deal
        closed: Deal = deal
        return closed

    def _led_suit(self, choice: Play, trump: Trump) -> Suit:
        table = self.rules.tables[trump]
        if self.rules.led_suit is not _LEADER_CALLS:
            if choice.called is None:
                return table.leads[choice.tile]
        elif choice.called in callable_suits(choice.tile, table):
            assert choice.called is not None
            return SUITS[choice.called]
        raise self._refusal(choice)

    def _refusal(self, choice: Choice) -> IllegalChoiceError:
        decision = self.decision
        assert decision is not None
        return illegal(choice, decision)


_OpenDeal = open_twin(Deal)


_Fields: TypeAlias = tuple[
    Rules, Dealt, bool, Auction, tuple[Bid, ...], tuple[int, ...], Seat | None, Trump | None,
    bool | None, Tile | None, tuple[Tile, ...], tuple[Seat, ...], tuple[Suit, ...],
    tuple[int, ...], int,
]  # fmt: skip


def _state(fields: _Fields) -> Deal:
    """Returns the deal with these fields, as its constructor would, but faster."""
    deal: Any = _new(_OpenDeal)
    (
        deal.rules, deal.dealt, deal.forced, deal.auction, deal.bids, deal.hands, deal.turn,
        deal.trump, deal.taken, deal.discarded, deal.plays, deal.leaders, deal.suits,
        deal.tricks_won, deal._legal_mask,
    ) = fields  # fmt: skip
    deal.__class__ = Deal
    closed: Deal = deal
    return closed


@lru_cache(maxsize=1 << 14)
def _bid_choices(rules: Rules, auction: Auction, forced: bool) -> tuple[Choice, ...]:
    return tuple(BIDDING[made] for made in legal_bids(rules, auction, forced))


@cache
def _trump_choices(trumps: tuple[Trump, ...]) -> tuple[Choice, ...]:
    return tuple(NAMING[trump] for trump in trumps)


_NEXT: tuple[tuple[Seat, ...], ...] = tuple(
    tuple(SEATS[(seat + 1) % players] for seat in range(players)) if players else ()
    for players in range(5)
)
"""By number of players, then by seat: the seat to the left."""


def _put(values: tuple[int, ...], seat: int, value: int) -> tuple[int, ...]:
    """Returns *values* with another one for *seat*."""
    changed = list(values)
    changed[seat] = value
    return tuple(changed)


def _is_decided(rules: Rules, auction: Auction, tricks_won: tuple[int, ...]) -> bool:
    """Whether no further trick can change whether the contract is kept (D9)."""
    if rules.play_out is _ALL_SEVEN or auction.declarer is None:
        return False
    mine = side_tricks(rules, tricks_won)[rules.side_of(auction.declarer)]
    needed = needed_tricks(rules, auction.contract)
    return mine >= needed or mine + TRICKS - sum(tricks_won) < needed
