"""What a record says about each seat: deals, and contracts made and set, by level."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from referee.rules import SEATS, Bid, Rules, parse_rules
from referee.rules.auction import bid, start_auction


@dataclass(slots=True)
class Contracts:
    """The contracts one bot has played."""

    made: Counter[Bid] = field(default_factory=Counter)
    """By bid: how many were kept."""
    set: Counter[Bid] = field(default_factory=Counter)
    """By bid: how many were not."""

    def add(self, other: Contracts) -> None:
        """Adds the contracts of *other*."""
        self.made.update(other.made)
        self.set.update(other.set)

    @property
    def made_count(self) -> int:
        """How many were kept."""
        return self.made.total()

    @property
    def set_count(self) -> int:
        """How many were not."""
        return self.set.total()


class TableFigures(NamedTuple):
    """The figures of one table."""

    deals: int
    """How many deals were dealt, those that were thrown in included."""
    contracts: tuple[Contracts, ...]
    """By seat."""


class _Line(msgspec.Struct, frozen=True):
    """The fields of a record line that figures are made of; the others are passed over."""

    type: str
    rules: str = ""
    first: int = 0
    bids: str = ""
    made: bool | None = None


_read_line = msgspec.json.Decoder(_Line).decode
_BIDS = {str(each): each for each in Bid}


def table_figures(record: str) -> TableFigures:
    """Returns the figures of the match in *record*, by the rules that it names.

    Args:
        record: The match as JSON lines, as it was written; it is not judged here.
    """
    head, *lines = map(_read_line, record.splitlines())
    rules = parse_rules(head.rules)
    contracts = tuple(Contracts() for _ in range(rules.players))
    deals = 0
    for line in lines:
        if line.type != "deal":
            continue
        deals += 1
        if line.made is not None:
            declarer, contract = _contract(rules, line)
            of_seat = contracts[declarer]
            (of_seat.made if line.made else of_seat.set)[contract] += 1
    return TableFigures(deals, contracts)


def _contract(rules: Rules, line: _Line) -> tuple[int, Bid]:
    auction = start_auction(SEATS[line.first])
    for word in line.bids.split():
        auction = bid(rules, auction, _BIDS[word])
    assert auction.declarer is not None
    return auction.declarer, auction.contract


def sum_contracts(parts: Iterable[Contracts]) -> Contracts:
    """Returns *parts* taken together."""
    total = Contracts()
    for part in parts:
        total.add(part)
    return total
