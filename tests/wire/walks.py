"""Random play through the public rules, for tests that need questions of every kind."""

from __future__ import annotations

import random
from collections.abc import Iterator

from referee.rules import Deal, Rules, View, deal_tiles, first_bidder, seed_key, view


def walk(rules: Rules, seed: int) -> Iterator[tuple[Deal, View]]:
    """Yields every state of a deal played at random, with the view of the seat that is asked."""
    rng = random.Random(seed)
    key = seed_key(f"walk {seed}")
    number = rng.randrange(9)
    scores = tuple(rng.randrange(-60, 25) for _ in range(rules.side_count))
    deal = Deal.start(
        rules,
        deal_tiles(key, number, rules),
        first_bidder(key, rules),
        forced=rng.random() < 0.8,
    )
    deals = rng.choice([None, 10])
    while (decision := deal.decision) is not None:
        yield deal, view(deal, decision.seat, scores=scores, deal_number=number, deals=deals)
        choices = decision.legal
        # Mostly on, so that few of the deals are thrown in.
        deal = deal.play(choices[-1] if rng.random() < 0.2 else rng.choice(choices))


def questions(rules: Rules, seeds: range) -> list[View]:
    """Returns the views of every question in some random deals."""
    return [asked for seed in seeds for _, asked in walk(rules, seed)]
