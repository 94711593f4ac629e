"""What a record says about each seat: deals, and contracts made and set, by level."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from referee.match.lines import auction_lines, auctioned, rules_of
from referee.rules import Bid


@dataclass(slots=True)
class Contracts:
    """The contracts one bot has played."""

    made: Counter[Bid] = field(default_factory=Counter)
    """By bid: how many were kept."""
    set: Counter[Bid] = field(default_factory=Counter)
    """By bid: how many were not."""

    def count(self, bid: Bid, made: int, failed: int) -> None:
        """Adds contracts of one level."""
        if made:
            self.made[bid] += made
        if failed:
            self.set[bid] += failed

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


class PlayedContracts(NamedTuple):
    """The contracts of one level that one seat played at a table."""

    seat: int
    bid: Bid
    made: int
    """How many were kept."""
    set: int
    """How many were not."""


class TableFigures(NamedTuple):
    """The figures of one table."""

    deals: int
    """How many deals were dealt, those that were thrown in included."""
    players: int
    """How many seats there are."""
    played: tuple[PlayedContracts, ...]
    """By seat and bid: the contracts that were played."""

    @property
    def contracts(self) -> tuple[Contracts, ...]:
        """By seat: the contracts."""
        by_seat = tuple(Contracts() for _ in range(self.players))
        for seat, level, made, failed in self.played:
            by_seat[seat].count(level, made, failed)
        return by_seat

    def to_text(self) -> str:
        """Returns the figures as JSON, as they are stored beside a record."""
        return _write_figures(self).decode()


_write_figures = msgspec.json.Encoder().encode
read_figures = msgspec.json.Decoder(TableFigures).decode
"""Returns the figures that `TableFigures.to_text` made a text of."""


def table_figures(record: str) -> TableFigures:
    """Returns the figures of the match in *record*, by the rules that it names.

    Args:
        record: The match as JSON lines, as it was written; it is not judged here.
    """
    rules, deals = auction_lines(record)
    played: dict[tuple[int, Bid], list[int]] = {}
    for line in deals:
        if line.made is not None:
            auction = auctioned(rules, line)
            assert auction.declarer is not None
            counts = played.setdefault((auction.declarer, auction.contract), [0, 0])
            counts[not line.made] += 1
    return TableFigures(
        len(deals),
        rules_of(rules).players,
        tuple(PlayedContracts(*contract, *played[contract]) for contract in sorted(played)),
    )


def sum_contracts(parts: Iterable[Contracts]) -> Contracts:
    """Returns *parts* taken together."""
    total = Contracts()
    for part in parts:
        total.add(part)
    return total
