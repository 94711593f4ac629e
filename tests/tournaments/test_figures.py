"""What is counted in a record is counted by the rules of that record."""

from __future__ import annotations

from collections import Counter

import pytest

from referee.match import load_matches
from referee.rules import Bid
from tests.e2e.inprocess import play, table_jobs
from tournaments.figures import table_figures
from tournaments.runner.jobs import Job

THREE = {"ann": ("./tall.py",), "bob": ("./dice.py",), "cyd": ("./dice.py",)}


@pytest.mark.parametrize(
    ("rules", "entrants"),
    [
        ("tournament-3p", THREE),
        ("tournament-3p min_bid=3 all_pass=force_last", THREE),
        ("domino-play-3p", THREE),
        ("tournament-4p", {"ann": ("./tall.py", "./dice.py"), "bob": ("./dice.py",) * 2}),
    ],
)
def test_contracts_are_counted_by_the_rules_that_the_record_names(
    rules: str, entrants: dict[str, tuple[str, ...]]
) -> None:
    job = Job(rules, entrants, "", deals=30)
    result = play(job, table_jobs(job)[0])
    [match] = load_matches(result.record.splitlines())
    expected: list[Counter[tuple[bool, Bid]]] = [Counter() for _ in result.seats]
    for deal in match.deals:
        if deal.made is not None:
            high = max(deal.bids)
            bidder = (deal.first_bidder + deal.bids.index(high)) % len(result.seats)
            expected[bidder][deal.made, high] += 1
    assert sum(counter.total() for counter in expected) > 0
    figures = table_figures(result.record)
    assert figures.deals == len(match.deals) == 30
    for contracts, counter in zip(figures.contracts, expected, strict=True):
        assert contracts.made == {bid: n for (made, bid), n in counter.items() if made}
        assert contracts.set == {bid: n for (made, bid), n in counter.items() if not made}
