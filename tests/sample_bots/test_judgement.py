"""What each bot does where there is a right answer."""

from __future__ import annotations

import pytest

from referee.rules import Deal, deal_tiles, preset_rules, seed_key
from referee.sdk import Bot
from sample_bots.counter import Counter
from sample_bots.first_legal import FirstLegal
from sample_bots.greedy import Greedy
from sample_bots.random_bot import Random
from sample_bots.sampler import Sampler
from tests.sample_bots.tables import after, answer, dealt

THREE, FOUR = preset_rules("tournament-3p"), preset_rules("tournament-4p")
STRONG = pytest.mark.parametrize("bot", [Counter(), Sampler()], ids=["counter", "sampler"])

ALL_SIXES = dealt(
    FOUR,
    [
        "6-6 6-5 6-4 6-3 6-2 6-1 6-0",
        "5-5 5-4 5-3 5-2 5-1 5-0 4-4",
        "4-3 4-2 4-1 4-0 3-3 3-2 3-1",
        "3-0 2-2 2-1 2-0 1-1 1-0 0-0",
    ],
)
SIX_SIXES = dealt(
    THREE,
    ["6-6 6-5 6-4 6-3 6-2 6-1 5-5", "5-4 5-3 5-2 5-1 4-4 4-3 4-2", "4-1 3-3 3-2 3-1 2-2 2-1 1-1"],
    widow="0-0",
)


@STRONG
@pytest.mark.parametrize("deal", [ALL_SIXES, SIX_SIXES], ids=["4p", "3p"])
def test_a_hand_that_cannot_lose_a_trick_bids_the_moon(deal: Deal, bot: Bot) -> None:
    assert answer(bot, deal) == "bid 21"


@pytest.mark.parametrize(
    "bot", [Greedy(), Counter(), Sampler()], ids=["greedy", "counter", "sampler"]
)
def test_a_hand_without_a_winner_passes(bot: Bot) -> None:
    deal = dealt(
        THREE,
        [
            "6-5 5-4 4-3 3-2 2-1 6-1 0-0",
            "6-6 6-4 6-3 6-2 5-5 5-3 5-2",
            "5-1 4-4 4-2 4-1 3-3 3-1 2-2",
        ],
        widow="1-1",
    )
    assert answer(bot, deal) == "pass"


LONG_THREES = dealt(
    THREE,
    [
        "3-3 6-3 5-3 4-3 6-6 5-5 6-5",
        "3-2 3-1 4-4 4-2 4-1 5-4 0-0",
        "6-4 6-2 6-1 5-2 5-1 2-2 1-1",
    ],
    widow="2-1",
)


@STRONG
def test_the_declarer_draws_trumps_before_it_leads_its_other_winners(bot: Bot) -> None:
    assert "-3" in answer(bot, after(LONG_THREES, "6 pass pass", "3"))


def test_counter_keeps_its_trumps_when_there_are_none_left_to_draw() -> None:
    drawn = after(LONG_THREES, "6 pass pass", "3", "3-3 3-2 1-1 6-3 3-1 5-1")
    assert "-3" not in answer(Counter(), drawn)


PAIRS = dealt(
    FOUR,
    [
        "6-6 6-1 5-5 5-4 5-3 4-4 3-0",
        "6-5 6-4 6-3 6-2 4-3 4-2 4-1",
        "2-2 2-1 2-0 3-3 1-1 1-0 5-0",
        "6-0 5-2 5-1 4-0 3-2 3-1 0-0",
    ],
)
"""Seat 2, with twos for trumps, has no six and none of the rest either."""


@STRONG
def test_a_trick_that_the_partner_has_is_left_to_it(bot: Bot) -> None:
    assert "2-" not in answer(bot, after(PAIRS, "5 pass pass pass", "2", "6-6 6-3"))


@STRONG
def test_a_trick_that_the_partner_loses_is_trumped(bot: Bot) -> None:
    assert answer(bot, after(PAIRS, "5 pass pass pass", "2", "6-1 6-5")).startswith("play 2-")


def test_counter_trumps_with_no_more_than_it_is_likely_to_need() -> None:
    deal = after(PAIRS, "5 pass pass pass", "2", "6-1 6-5")
    assert answer(Counter(), deal) == "play 2-0"


def test_counter_leads_back_what_its_partner_led() -> None:
    deal = dealt(
        FOUR,
        [
            "4-1 4-0 3-2 3-0 2-0 1-0 0-0",
            "6-6 5-5 6-5 6-3 6-2 6-1 6-0",
            "4-4 4-3 5-1 5-0 3-1 2-1 5-3",
            "3-3 2-2 1-1 5-4 6-4 5-2 4-2",
        ],
        first=1,
    )
    # Blanks are trumps. Seat 0 led fours, and now nothing of seat 2 is likely to hold.
    late = after(deal, "pass pass pass 4", "0", "4-1 6-5 4-4 5-4")
    assert answer(Counter(), late) == "play 4-3"


def test_greedy_takes_with_the_cheapest_tile_and_else_throws_the_weakest() -> None:
    deal = dealt(
        THREE,
        [
            "6-2 6-1 5-4 4-4 3-3 2-2 1-1",
            "6-6 6-4 5-3 5-2 4-2 4-1 3-1",
            "6-5 6-3 5-5 5-1 4-3 3-2 2-1",
        ],
        widow="0-0",
    )
    assert answer(Greedy(), after(deal, "4 pass pass", "1", "6-2")) == "play 6-4"
    assert answer(Greedy(), after(deal, "4 pass pass", "1", "6-2 6-6")) == "play 6-3"


@STRONG
def test_the_score_counts_in_the_auction(bot: Bot) -> None:
    """Who sees another about to go out bids more, and not less, than at the start of a match."""
    early, late = 0, 0
    for number in range(60):
        deal = Deal.start(THREE, deal_tiles(seed_key("score"), number, THREE), 0)
        deal = after_bids(deal, "5", "pass")
        early += answer(bot, deal) != "pass"
        late += answer(bot, deal, scores=(17, 2, 6)) != "pass"
    assert late > early


def after_bids(deal: Deal, *bids: str) -> Deal:
    """Returns *deal* after the first bids."""
    for word in bids:
        decision = deal.decision
        assert decision is not None
        deal = deal.play(next(c for c in decision.legal if word in str(c).split()))
    return deal


def test_more_risk_bids_more_and_less_risk_less() -> None:
    counts = []
    for risk in ("-1", "0", "1"):
        bot = Counter.with_params({"risk": risk})
        deals = [Deal.start(FOUR, deal_tiles(seed_key("risk"), n, FOUR), 0) for n in range(60)]
        counts.append(sum(answer(bot, deal) != "pass" for deal in deals))
    assert counts[0] < counts[1] < counts[2]


def test_first_legal_never_bids_unless_it_must() -> None:
    assert answer(FirstLegal(), ALL_SIXES) == "pass"


def test_random_bids_on_a_run_of_tiles_and_names_its_number() -> None:
    assert answer(Random(), ALL_SIXES) == "bid 4"
    named = after_bids(ALL_SIXES, "4", "pass", "pass", "pass")
    assert answer(Random(), named) == "trump 6"


def test_random_passes_without_four_tiles_that_share_a_number() -> None:
    deal = dealt(
        THREE,
        [
            "6-6 6-5 6-4 3-3 3-2 2-1 0-0",
            "5-5 4-4 2-2 1-1 6-1 5-4 5-3",
            "5-2 5-1 4-3 4-2 4-1 6-3 3-1",
        ],
        widow="6-2",
    )
    for seed in range(100):
        assert answer(Random.with_params({"seed": str(seed)}), deal) == "pass"
