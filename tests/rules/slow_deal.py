"""A whole deal by the slow rules, one choice after another, beside which the fast one is held.

A choice is a tuple: ``("bid", 5)``, ``("trump", "doubles")``, ``("exchange", True)``,
``("discard", (6, 4))``, ``("play", (6, 4), None)`` or, where the leader calls, with the suit.
"""

from __future__ import annotations

from tests.rules import slow_rules
from tests.rules.slow_rules import Options, Suit, Tile

Choice = tuple[object, ...]


class SlowDeal:
    """A deal that changes with every choice."""

    def __init__(
        self,
        options: Options,
        hands: list[set[Tile]],
        middle: list[Tile],
        first: int,
        forced: bool,
    ) -> None:
        self.options = options
        self.players = int(options["players"])
        self.hands = [set(hand) for hand in hands]
        self.middle = list(middle)
        self.first = first
        self.forced = forced
        self.bids: list[int] = []
        self.trump: Suit | None = None
        self.taken: bool | None = None
        self.discarded: Tile | None = None
        self.tricks: list[list[Tile]] = []
        self.leaders: list[int] = []
        self.called: list[Suit] = []
        self.won = [0] * self.players
        self.over = False

    # What is asked.

    @property
    def high(self) -> int:
        return slow_rules.highest(self.bids)

    @property
    def declarer(self) -> int | None:
        if self.high == 0 or not slow_rules.auction_over(self.bids, self.options):
            return None
        seats = slow_rules.bidders(self.bids, self.first, self.options)
        return seats[self.bids.index(self.high)]

    def asked(self) -> tuple[str, int] | None:
        """What is asked, and of whom; nothing once the deal is over."""
        if self.over:
            return None
        if not slow_rules.auction_over(self.bids, self.options):
            return "bid", slow_rules.bidders(self.bids, self.first, self.options)[-1]
        bidder = self.declarer
        if bidder is None:
            return None
        before = self.options["trump_named"] == "before_exchange"
        if before and self.trump is None:
            return "trump", bidder
        if self.options["exchange"] == "optional" and self.taken is None:
            return "exchange", bidder
        if self._takes() and self.discarded is None:
            return "discard", bidder
        if self.trump is None:
            return "trump", bidder
        return "play", self._turn(bidder)

    def _takes(self) -> bool:
        return self.options["exchange"] == "take_then_discard" or self.taken is True

    def _turn(self, bidder: int) -> int:
        if not self.leaders:
            return bidder
        return (self.leaders[-1] + len(self.tricks[-1])) % self.players

    def held(self, seat: int) -> set[Tile]:
        """What a seat holds: the declarer with the widow once he has taken it."""
        hand = set(self.hands[seat])
        blind = self.options["trump_named"] == "before_exchange" and self.trump is None
        if seat == self.declarer and self._takes() and not blind and self.discarded is None:
            hand.add(self.middle[0])
        return hand

    def legal(self) -> set[Choice]:
        """Every choice that is allowed."""
        asked = self.asked()
        assert asked is not None
        kind, seat = asked
        options = self.options
        if kind == "bid":
            return {("bid", b) for b in slow_rules.legal_bids(self.bids, self.forced, options)}
        if kind == "trump":
            words = options["trumps"].split(",")
            return {("trump", int(word) if word.isdigit() else word) for word in words}
        if kind == "exchange":
            return {("exchange", True), ("exchange", False)}
        if kind == "discard":
            return {("discard", tile) for tile in self.held(seat)}
        return self._legal_plays(seat)

    def _legal_plays(self, seat: int) -> set[Choice]:
        assert self.trump is not None
        hand = self.hands[seat]
        if not self.leads():
            tiles = slow_rules.legal_follow(hand, self.called[-1], self.trump, self.options)
            return {("play", tile, None) for tile in tiles}
        tiles = slow_rules.legal_lead(hand, self.trump, not self.called, self.options)
        if self.options["led_suit"] == "higher_end":
            return {("play", tile, None) for tile in tiles}
        doubles = self.options["none_doubles"]
        return {
            ("play", tile, suit)
            for tile in tiles
            for suit in slow_rules.suits_to_call(tile, self.trump, doubles)
        }

    def leads(self) -> bool:
        """Whether the next tile opens a trick."""
        return not self.tricks or not self.tricks[-1]

    # What is answered.

    def choose(self, choice: Choice) -> None:
        """Makes a choice, which must be legal."""
        assert choice in self.legal()
        asked = self.asked()
        assert asked is not None
        kind, seat = asked
        if kind == "bid":
            self.bids.append(choice[1])  # type: ignore[arg-type]
        elif kind == "trump":
            self.trump = choice[1]  # type: ignore[assignment]
        elif kind == "exchange":
            self.taken = choice[1]  # type: ignore[assignment]
        elif kind == "discard":
            hand = self.held(seat)
            self.discarded = choice[1]  # type: ignore[assignment]
            self.hands[seat] = hand - {choice[1]}
        else:
            self._lay(seat, choice[1], choice[2])  # type: ignore[arg-type]

    def _lay(self, seat: int, tile: Tile, called: Suit | None) -> None:
        assert self.trump is not None
        doubles = self.options["none_doubles"]
        self.hands[seat].remove(tile)
        if not self.tricks:
            self.leaders, self.tricks = [seat], [[]]
        if self.leads():
            suit = slow_rules.led_suit(tile, self.trump, doubles) if called is None else called
            self.called.append(suit)
        trick = self.tricks[-1]
        trick.append(tile)
        if len(trick) < self.players:
            return
        place = slow_rules.trick_winner(trick, self.trump, self.called[-1], doubles)
        winner = (self.leaders[-1] + place) % self.players
        self.won[winner] += 1
        if len(self.tricks) == 7 or self._is_decided():
            self.over = True
        else:
            self.leaders.append(winner)
            self.tricks.append([])

    def _is_decided(self) -> bool:
        if self.options["play_out"] == "all_seven":
            return False
        assert self.declarer is not None
        side = slow_rules.side_of(self.declarer, self.options)
        mine = sum(
            won
            for seat, won in enumerate(self.won)
            if slow_rules.side_of(seat, self.options) == side
        )
        return slow_rules.is_decided(self.high, mine, len(self.tricks), self.options)
