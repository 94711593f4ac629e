"""What a report reads of a record: the lines of its deals, as figures and not as states."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from referee.match.lines import ContractLevel, RecordLine, auctioned, record_lines, rules_of
from referee.rules import Bid, Rules
from referee.rules.scoring import side_tricks
from tournaments.results import TableResult


class Contract(NamedTuple):
    """A contract that was played to its end."""

    deal: RecordLine
    seat: int
    """The declarer."""
    level: ContractLevel
    made: bool
    tricks: int | None
    """How many the declarer's side took; ``None`` if the record does not say."""

    @property
    def bid(self) -> Bid:
        """What the declarer bid."""
        return self.level.bid


class Told(NamedTuple):
    """What one record tells."""

    rules: str
    deals: tuple[RecordLine, ...]

    @classmethod
    def of(cls, result: TableResult) -> Told:
        """Returns what the record of *result* tells; it is not judged here."""
        head, deals = record_lines(result.record)
        return cls(head.rules, tuple(deals))

    def contracts(self) -> Iterator[Contract]:
        """Yields the contracts that were played to their end."""
        rules = rules_of(self.rules)
        for deal in self.deals:
            if deal.made is not None:
                auction = auctioned(self.rules, deal)
                assert auction.declarer is not None
                tricks = _tricks(rules, deal, auction.declarer)
                yield Contract(deal, auction.declarer, auction.level, deal.made, tricks)


def _tricks(rules: Rules, deal: RecordLine, seat: int) -> int | None:
    if len(deal.tricks) != rules.players:
        return None
    return side_tricks(rules, deal.tricks)[rules.side_of(seat)]
