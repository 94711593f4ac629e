"""What a report reads of a record: the lines of its deals, as figures and not as states."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import msgspec

from referee.rules import Bid, Rules, parse_rules
from referee.rules.scoring import side_tricks
from tournaments.figures import contract_of
from tournaments.results import TableResult


class DealTold(msgspec.Struct, frozen=True):
    """A line of a record. What is not there, or not of a deal, is empty."""

    type: str
    rules: str = ""
    n: int = 0
    first: int = 0
    hands: tuple[str, ...] = ()
    middle: str = ""
    bids: str = ""
    trump: str | None = None
    taken: bool | None = None
    discard: str | None = None
    tricks: tuple[int, ...] = ()
    made: bool | None = None
    points: tuple[int, ...] | None = None


class Contract(NamedTuple):
    """A contract that was played to its end."""

    deal: DealTold
    seat: int
    """The declarer."""
    bid: Bid
    made: bool
    tricks: int | None
    """How many the declarer's side took; ``None`` if the record does not say."""


_read_lines = msgspec.json.Decoder(DealTold).decode_lines
rules_of = lru_cache(maxsize=64)(parse_rules)
"""Returns the rules that a record names."""


class Told(NamedTuple):
    """What one record tells."""

    rules: str
    deals: tuple[DealTold, ...]

    @classmethod
    def of(cls, result: TableResult) -> Told:
        """Returns what the record of *result* tells; it is not judged here."""
        head, *lines = _read_lines(result.record)
        return cls(head.rules, tuple(line for line in lines if line.type == "deal"))

    def contracts(self) -> Iterator[Contract]:
        """Yields the contracts that were played to their end."""
        rules = rules_of(self.rules)
        for deal in self.deals:
            if deal.made is not None:
                seat, bid = contract_of(self.rules, deal.first, deal.bids)
                yield Contract(deal, seat, bid, deal.made, _tricks(rules, deal, seat))


def _tricks(rules: Rules, deal: DealTold, seat: int) -> int | None:
    if len(deal.tricks) != rules.players:
        return None
    return side_tricks(rules, deal.tricks)[rules.side_of(seat)]
