"""What holds of every match: it ends within its cap, and its scores follow from its deals."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from referee.match.matches import DEFAULT_MAX_DEALS, Ending, FinishedDeal, Match, Terms
from referee.rules import Deal, MakeBid, Rules, deal_tiles, first_bidder, preset_rules, seed_key
from referee.rules.options import option_texts
from tests.rules import slow_rules
from tests.rules.strategies import any_rules, randoms


def play(match: Match, rng: random.Random, pass_rate: float) -> tuple[Match, list[FinishedDeal]]:
    """Plays *match* to its end at random, passing as often as that; returns the deals too."""
    finished = []
    while (decision := match.decision) is not None:
        choice = rng.choice(decision.legal)
        if isinstance(choice, MakeBid) and rng.random() < pass_rate:
            choice = decision.legal[0]
        match = match.play(choice)
        if match.finished is not None:
            finished.append(match.finished)
        assert len(finished) <= (match.terms.deals or match.terms.max_deals)
    return match, finished


def bidders_and_force(rules: Rules, finished: list[FinishedDeal], first: int) -> None:
    """Checks who bids first in each deal, and when the last bidder is forced (B1, B2, B12-B15)."""
    redeals = 0
    for done in finished:
        deal = done.deal
        assert deal.auction.first_bidder == first
        limit = rules.redeal_limit
        forced = rules.all_pass.value == "force_last" or (limit > 0 and redeals >= limit)
        assert deal.forced == forced
        if done.score is None:
            redeals += 1
            moves = rules.redeal_first_bidder.value == "advance"
        else:
            redeals = 0
            moves = rules.rotate_first_bidder
        assert limit == 0 or redeals <= limit
        first = (first + moves) % rules.players


def slow_course(
    terms: Terms, finished: list[FinishedDeal]
) -> tuple[list[int], bool, int | None, int | None]:
    """Returns the scores by the slow rules, whether they end the match, its winner and loser."""
    options = option_texts(terms.rules)
    scores = [0] * terms.rules.side_count
    for at, done in enumerate(finished):
        deal: Deal = done.deal
        if deal.declarer is None:
            assert done.score is None
            assert done.scores == tuple(scores)
            continue
        bid = int(deal.contract)
        made, points = slow_rules.points(deal.declarer, bid, list(deal.tricks_won), options)
        scores = [a + b for a, b in zip(scores, points, strict=True)]
        assert done.scores == tuple(scores)
        if terms.deals is not None:
            continue
        over, winner = slow_rules.match_winner(scores, deal.declarer, bid, made, options)
        if over:
            assert at == len(finished) - 1
            failed_moon = bid >= 21 and not made and options["moon_failed"] == "loses_game"
            side = slow_rules.side_of(deal.declarer, options)
            return scores, True, winner, side if failed_moon else None
    return scores, False, None, None


@given(any_rules(), randoms, st.none() | st.integers(1, 12), st.integers(1, 25), st.floats(0, 1))
@settings(max_examples=200)
def test_a_match_ends_within_its_cap_and_its_scores_follow_from_its_deals(
    rules: Rules, rng: random.Random, deals: int | None, cap: int, pass_rate: float
) -> None:
    terms = Terms(rules, deals=deals, max_deals=cap)
    key = seed_key(str(rng.random()))
    match, finished = play(Match.start(terms, key), rng, pass_rate)
    result = match.result
    assert result is not None
    bidders_and_force(rules, finished, first_bidder(key, rules))
    for number, done in enumerate(finished):
        assert done.number == number
        assert done.deal.dealt == deal_tiles(key, number, rules)
    scores, over, winner, loser = slow_course(terms, finished)
    assert list(result.scores) == scores
    if deals is not None:
        assert (len(finished), result.ending) == (deals, Ending.DEALS)
    elif over:
        assert result.ending in (Ending.TARGET, Ending.MOON)
        assert winner is None or result.places[winner] == 1
        assert winner is None or result.places.count(1) == 1
        assert loser is None or result.places[loser] == len(scores)
    else:
        assert (len(finished), result.ending) == (cap, Ending.CAP)
    if not over:
        assert result.places == tuple(1 + sum(s > mine for s in scores) for mine in scores)


@given(st.sampled_from(["tournament-3p", "tournament-4p"]), randoms)
@settings(max_examples=15)
def test_a_tournament_match_of_random_bots_ends_within_the_usual_cap(
    name: str, rng: random.Random
) -> None:
    """Random bots fail their bids and sink below zero, where no target is ever reached."""
    terms = Terms(preset_rules(name))
    match, finished = play(Match.start(terms, seed_key(str(rng.random()))), rng, 0.0)
    assert match.result is not None
    assert len(finished) <= DEFAULT_MAX_DEALS


def test_a_match_in_which_everybody_passes_still_ends() -> None:
    for name in ("wikihow-3p", "tournament-3p", "wikihow-4p-forced"):
        terms = Terms(preset_rules(name))
        match, finished = play(Match.start(terms, seed_key("passes")), random.Random(1), 1.0)
        assert match.result is not None
        thrown_in = [done.score is None for done in finished]
        assert len(finished) <= DEFAULT_MAX_DEALS
        if name == "wikihow-3p":
            assert all(thrown_in)
            assert match.result.ending is Ending.CAP
        elif name == "tournament-3p":
            assert thrown_in[:8] == [True, True, True, False] * 2
        else:
            assert not any(thrown_in)


@given(any_rules(), randoms)
@settings(max_examples=50)
def test_a_match_state_is_a_value(rules: Rules, rng: random.Random) -> None:
    match = Match.start(Terms(rules, max_deals=3), seed_key("value"))
    while (decision := match.decision) is not None:
        choice = rng.choice(decision.legal)
        assert match.play(choice) == match.play(choice)
        before = tuple(match)
        after = match.play(choice)
        assert tuple(match) == before
        match = after
