"""Lines of records that are counted without being judged: what they say is what was played."""

from __future__ import annotations

import pytest

from referee.match import dump_match
from referee.match.lines import AuctionLine, auction_lines, auctioned, record_lines, rules_of
from referee.rules import Bid
from tests.match.playing import random_match
from tournaments.figures import table_figures


@pytest.mark.parametrize("players", [3, 4])
def test_lines_say_what_was_played(players: int) -> None:
    match = random_match(f"tournament-{players}p", "lines", deals=30, faults=0.02)
    record = dump_match(match)
    head, lines = record_lines(record)
    assert (head.deals, rules_of(head.rules)) == (match.terms.deals, match.terms.rules)
    assert auction_lines(record)[0] == head.rules
    assert len(lines) == len(auction_lines(record)[1]) == table_figures(record).deals
    assert any(line.faults for line in lines)
    for line, short, deal in zip(lines, auction_lines(record)[1], match.deals, strict=True):
        assert line.faults == deal.faults
        assert (line.n, line.points, line.made) == (deal.number, deal.points, deal.made)
        assert line.tricks == deal.tricks_won
        if deal.made is None:
            continue
        auction = auctioned(head.rules, line)
        assert auctioned(head.rules, short) == auction
        assert [call.bid for call in auction.calls] == list(deal.bids)
        highest = max(deal.bids)
        assert auction.contract == highest
        assert auction.declarer == auction.calls[deal.bids.index(highest)].seat


def test_who_may_not_pass_has_not_bid_freely() -> None:
    def declared(bids: str) -> tuple[int | None, Bid, bool]:
        line = AuctionLine("deal", first=1, forced=True, bids=bids, made=True)
        return auctioned("tournament-3p", line)[1:]

    assert declared("pass pass 4") == (0, Bid.FOUR, False)
    assert declared("pass 4 5") == (0, Bid.FIVE, True)
    assert declared("4 pass pass") == (1, Bid.FOUR, True)
