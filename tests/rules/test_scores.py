"""Scores and the end of a match agree with the slow rules wherever the scores may stand."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from referee.rules import Bid, Rules, match_end, possible_points, score_deal
from referee.rules.options import option_texts
from tests.rules import slow_rules
from tests.rules.strategies import any_rules, randoms


def tricks_of(rng: random.Random, players: int) -> list[int]:
    cuts = sorted(rng.choices(range(8), k=players - 1))
    return [b - a for a, b in zip([0, *cuts], [*cuts, 7], strict=True)]


@given(any_rules(), randoms, st.sampled_from([bid for bid in Bid if bid]))
@settings(max_examples=150)
def test_scores_and_the_end_of_a_match_are_those_of_the_slow_rules(
    rules: Rules, rng: random.Random, bid: Bid
) -> None:
    """Scores near the target, so that one, two or all sides are there at once, level or not."""
    options = option_texts(rules)
    for _ in range(20):
        bidder, tricks = rng.randrange(rules.players), tricks_of(rng, rules.players)
        score = score_deal(rules, bidder, bid, tricks)
        made, points = slow_rules.points(bidder, int(bid), tricks, options)
        assert (score.made, list(score.points)) == (made, points)
        assert bid not in rules.bids or score.points in possible_points(rules)
        scores = [rules.target + rng.randint(-3, 3) for _ in range(rules.side_count)]
        end = match_end(rules, scores, rules.side_of(bidder), score)
        slow = slow_rules.match_winner(scores, bidder, int(bid), made, options)
        assert (end.is_over, end.winner) == slow
