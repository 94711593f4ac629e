"""Lines of a record as plain values, for what counts many records: read quickly, and not judged.

`referee.match.log` makes a match of a record and refuses what does not follow; that is many times
slower. A record that the referee wrote can be counted as it stands.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import msgspec

from referee.rules import SEATS, Bid, Rules, parse_rules
from referee.rules.auction import bid, legal_bids, start_auction


class AuctionLine(msgspec.Struct, frozen=True):
    """A line as far as its auction goes. What is not there is empty, also on lines of no deal."""

    type: str
    rules: str = ""
    """The rules, on the line of the match."""
    first: int = 0
    """The seat that bid first."""
    forced: bool = False
    """Whether the last bidder had to bid when all others passed."""
    bids: str = ""
    """Every bid, in order, with blanks between."""
    made: bool | None = None
    """Whether the contract was kept; ``None`` if the deal was thrown in or broken off."""


class RecordLine(AuctionLine, frozen=True):
    """A line with all that is counted; the keys are those of `referee.match.log`."""

    deals: int | None = None
    """The fixed number of deals, on the line of the match; ``None`` to the target."""
    n: int = 0
    """The number of the deal, from 0."""
    hands: tuple[str, ...] = ()
    """By seat: the tiles."""
    middle: str = ""
    trump: str | None = None
    taken: bool | None = None
    discard: str | None = None
    tricks: tuple[int, ...] = ()
    """By seat: the tricks won."""
    points: tuple[int, ...] | None = None
    """By side: what the deal was worth; ``None`` if it was thrown in or broken off."""
    faults: tuple[tuple[int, int, str], ...] = ()
    """The choices made in the place of a bot, as in `FaultMark`."""

    @property
    def is_own(self) -> bool:
        """Whether the bots made every choice of the deal themselves.

        Only then what was taken says something of how well was bid; everything that counts bidding
        leaves out the other deals.
        """
        return not self.faults


class Call(NamedTuple):
    """One turn in an auction."""

    seat: int
    place: int
    """Whose turn it was, counted from the first bidder, from 0."""
    bid: Bid
    before: str
    """The bids before it, as the record writes them."""
    is_free: bool
    """Whether there was anything to choose from."""


class ContractLevel(NamedTuple):
    """What a contract is counted under, where bidding is counted.

    >>> str(ContractLevel(Bid.FOUR, is_forced=True)), str(ContractLevel(Bid.MOON))
    ('4 forced', '21')
    """

    bid: Bid
    is_forced: bool = False
    """Whether the declarer could not have passed instead of making its last bid."""

    def __str__(self) -> str:
        return f"{self.bid}{' forced' * self.is_forced}"


class Auctioned(NamedTuple):
    """An auction that is over."""

    calls: tuple[Call, ...]
    declarer: int | None
    """The seat that won it, or ``None`` if everybody passed."""
    contract: Bid
    is_free: bool
    """Whether the declarer could have passed instead of making its last bid."""

    @property
    def level(self) -> ContractLevel:
        """What the contract is counted under."""
        return ContractLevel(self.contract, not self.is_free)


_read_auctions = msgspec.json.Decoder(AuctionLine).decode_lines
_read_all = msgspec.json.Decoder(RecordLine).decode_lines
_BIDS = {str(each): each for each in Bid}
rules_of = lru_cache(maxsize=64)(parse_rules)
"""Returns the rules that a record names."""


def auction_lines(record: str) -> tuple[str, list[AuctionLine]]:
    """Returns the rules that *record* names, and its deals as far as their auctions go.

    Quicker than `record_lines`, for when every table is counted as it is stored.

    Raises:
        ValueError: if it has no lines, or one is no line of a record.
    """
    head, *lines = _read_auctions(record)
    return head.rules, [line for line in lines if line.type == "deal"]


def record_lines(record: str) -> tuple[RecordLine, list[RecordLine]]:
    """Returns the line of the match of *record*, and those of its deals.

    Raises:
        ValueError: if it has no lines, or one is no line of a record.
    """
    head, *lines = _read_all(record)
    return head, [line for line in lines if line.type == "deal"]


def auctioned(rules: str, line: AuctionLine) -> Auctioned:
    """Returns the auction of a deal, which was bid to its end.

    Args:
        rules: The rules, as the record names them.
        line: The line of the deal.
    """
    return _auctioned(rules, line.first, line.forced, line.bids)


@lru_cache(maxsize=1 << 14)
def _auctioned(name: str, first: int, forced: bool, bids: str) -> Auctioned:
    rules: Rules = rules_of(name)
    auction = start_auction(SEATS[first])
    calls: list[Call] = []
    words = bids.split()
    passable = True
    for at, word in enumerate(words):
        seat = auction.turn
        assert seat is not None
        legal = legal_bids(rules, auction, forced)
        made = _BIDS[word]
        place = (seat - first) % rules.players
        calls.append(Call(int(seat), place, made, " ".join(words[:at]), len(legal) > 1))
        if made:
            passable = Bid.PASS in legal
        auction = bid(rules, auction, made)
    declarer = None if auction.declarer is None else int(auction.declarer)
    return Auctioned(tuple(calls), declarer, auction.contract, passable)
