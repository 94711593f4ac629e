"""What records say about each seat: deals, and contracts made and set."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from referee.match import FinishedDeal, Match, MatchReferee, Terms, dump_match
from referee.rules import Bid, preset_rules, presets, seed_key
from referee.sdk import View
from referee.sdk.asking import ask
from tests.e2e.bots.dice import Dice
from tournaments.figures import Contracts, sum_contracts, table_figures


def deal(first: int, bids: str, *, made: bool | None) -> str:
    """Returns a line of a record with what figures are made of, and something else."""
    return json.dumps(
        {"type": "deal", "n": 3, "first": first, "bids": bids, "made": made, "plays": "6-6 6-5"}
    )


def record(*deals: str, rules: str = "tournament-3p") -> str:
    """Returns a record with these deals."""
    head = json.dumps({"type": "match", "v": 1, "rules": rules})
    return "\n".join([head, *deals, '{"type":"end","ending":"deals"}']) + "\n"


def test_a_contract_belongs_to_the_last_who_bid_wherever_the_auction_began() -> None:
    figures = table_figures(
        record(
            deal(0, "4 pass pass", made=True),
            deal(1, "pass 4 5", made=True),
            deal(2, "4 5 21", made=False),
        )
    )
    zero, one, two = figures.contracts
    assert (zero.made, zero.set) == ({Bid.FOUR: 1, Bid.FIVE: 1}, {})
    assert (one.made, one.set) == ({}, {Bid.MOON: 1})
    assert (two.made_count, two.set_count) == (0, 0)


def test_deals_that_were_thrown_in_or_broken_off_count_as_deals_and_as_no_contract() -> None:
    figures = table_figures(
        record(deal(0, "pass pass pass", made=None), deal(1, "4 pass", made=None))
    )
    assert figures.deals == 2
    assert all(seat.made_count + seat.set_count == 0 for seat in figures.contracts)


@pytest.mark.parametrize("preset", list(presets()))
def test_the_figures_of_any_rules_are_those_of_the_deals_as_they_were_played(preset: str) -> None:
    rules = preset_rules(preset)
    for seed in ("a", "b", "c"):
        match = Match.start(Terms(rules, deals=8), seed_key(seed))
        referee = MatchReferee("0.0", match, tuple("abcd"[: rules.players]))
        bot = Dice()
        while (question := referee.question) is not None:
            referee.answer(ask(bot, View.of(question.view)), 0)
        figures = table_figures(dump_match(referee.record()))
        assert figures.deals == len(referee.finished) == 8
        for seat, contracts in enumerate(figures.contracts):
            assert (contracts.made, contracts.set) == played_by(seat, referee.finished)


def played_by(seat: int, finished: list[FinishedDeal]) -> tuple[Counter[Bid], Counter[Bid]]:
    """Returns the contracts of *seat*, made and set, from the deals themselves."""
    made, failed = Counter[Bid](), Counter[Bid]()
    for each in finished:
        if each.score is not None and each.deal.declarer == seat:
            (made if each.score.made else failed)[each.deal.contract] += 1
    return made, failed


def test_a_bid_that_was_forced_is_a_contract_like_any_other() -> None:
    rules = "tournament-3p all_pass=force_last"
    figures = table_figures(record(deal(2, "pass pass 4", made=False), rules=rules))
    assert figures.contracts[1].set == {Bid.FOUR: 1}


def test_a_bid_that_only_the_rules_of_the_record_have_is_a_contract_too() -> None:
    rules = "tournament-3p min_bid=3"
    figures = table_figures(record(deal(1, "3 pass pass", made=True), rules=rules))
    assert figures.contracts[1].made == {Bid.THREE: 1}


def test_contracts_add_up() -> None:
    one = Contracts(Counter({Bid.FOUR: 2}), Counter({Bid.SEVEN: 1}))
    two = Contracts(Counter({Bid.FOUR: 1, Bid.FIVE: 1}), Counter())
    total = sum_contracts([one, two, Contracts()])
    assert total.made == {Bid.FOUR: 3, Bid.FIVE: 1}
    assert total.set == {Bid.SEVEN: 1}
    assert (one.made_count, one.set_count) == (2, 1), "what is added stays as it was"
