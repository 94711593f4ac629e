"""A match as a fold: what ends it, who wins it, who bids first, and when somebody must bid."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.match import Ending, Match, Result, Terms
from referee.rules import (
    SEATS,
    Bid,
    IllegalChoiceError,
    MakeBid,
    OptionError,
    Play,
    Tile,
    parse_rules,
    preset_rules,
    presets,
    seed_key,
)
from referee.rules.options import EndRule
from tests.match.playing import LEFT, bold, boss_tiles, play_deal, rigged

# What ends a match: options, score before, bids in turn order (seat 0 first), result or None.
ENDINGS = [
    pytest.param(
        "", (17, 0, 0), "4 pass pass", Result(Ending.TARGET, (21, 0, 0), (1, 2, 2)),
        id="the target itself is enough",
    ),
    pytest.param("", (16, 0, 0), "4 pass pass", None, id="one short of the target is not"),
    pytest.param(
        "", (0, 5, 9), "21", Result(Ending.TARGET, (21, 5, 9), (1, 3, 2)),
        id="a made moon scores, and so can reach the target",
    ),
    pytest.param("", (-4, 5, 9), "21", None, id="a moon from below zero does not reach it"),
    pytest.param(
        "moon_made=wins_game", (-4, 5, 9), "21",
        Result(Ending.MOON, (17, 5, 9), (1, 3, 2)),
        id="a made moon wins the game from anywhere",
    ),
    pytest.param(
        "moon_failed=loses_game", (20, 14, 3), "pass pass 21",
        Result(Ending.MOON, (27, 14, -18), (1, 2, 3)),
        id="a failed moon loses the game, and the one ahead of the others wins",
    ),
    pytest.param(
        "moon_failed=loses_game", (0, 7, 20), "pass pass 21",
        Result(Ending.MOON, (7, 7, -1), (1, 1, 3)),
        id="a failed moon loses the game, and the others can be level",
    ),
    pytest.param(
        "target=50 moon_failed=loses_game", (0, 7, 49), "pass pass 21",
        Result(Ending.MOON, (7, 7, 28), (1, 1, 3)),
        id="who loses the game outright is last whatever the score",
    ),
    pytest.param(
        "", (14, 0, 0), "pass 4 pass", Result(Ending.TARGET, (21, -4, 0), (1, 3, 2)),
        id="who reaches the target against a set contract wins",
    ),
    pytest.param(
        "scoring=marks target=7", (6, 6, 6), "4 pass pass",
        Result(Ending.TARGET, (7, 6, 6), (1, 2, 2)),
        id="a made contract is one mark",
    ),
    pytest.param(
        "scoring=marks target=7", (6, 6, 6), "21",
        Result(Ending.TARGET, (7, 6, 6), (1, 2, 2)),
        id="a moon is one mark",
    ),
    pytest.param(
        "scoring=marks target=7", (6, 6, 6), "pass 4 pass", None,
        id="two level at the target play on",
    ),
    pytest.param(
        "scoring=marks target=7 end_rule=highest_then_seat", (6, 6, 6), "pass 4 pass",
        Result(Ending.TARGET, (7, 6, 7), (1, 3, 2)),
        id="two level at the target go by seat where the rules say so",
    ),
    pytest.param(
        "scoring=marks target=7 end_rule=bidder_first", (6, 6, 6), "pass 4 pass", None,
        id="a bidder who was set is not first",
    ),
    pytest.param(
        "scoring=marks target=7", (7, 6, 7), "4 pass pass",
        Result(Ending.TARGET, (8, 6, 7), (1, 3, 2)),
        id="a tie above the target is over when one is ahead",
    ),
    pytest.param(
        "failed=zero_others_add_bid", (0, 0, 0), "pass 7 pass", None,
        id="others who add the bid are short of it here",
    ),
    pytest.param(
        "failed=zero_others_add_bid", (7, 0, 2), "pass 7 pass",
        Result(Ending.TARGET, (21, 0, 9), (1, 3, 2)),
        id="others add their tricks and the bid",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "scores", "bids", "result"), ENDINGS)
def test_a_deal_ends_the_match_when_the_rules_say_so(
    changes: str, scores: tuple[int, ...], bids: str, result: Result | None
) -> None:
    after = play_deal(rigged(changes, scores=scores), bids)
    assert after.result == result
    assert (after.decision is None) == (result is not None)
    if result is not None:
        assert after.scores == result.scores


@pytest.mark.parametrize(
    ("end_rule", "places"),
    [
        ("highest_then_continue", None),
        ("bidder_first", (2, 3, 1)),
        ("highest_then_seat", (1, 3, 2)),
    ],
)
def test_when_bidder_and_another_reach_the_target_together_the_end_rule_decides(
    end_rule: str, places: tuple[int, ...] | None
) -> None:
    # Seat 2 makes 4 with six tricks, and seat 0, on its left, takes the last.
    dealt = boss_tiles(2, "2-1", next_hand=LEFT)
    match = rigged(f"end_rule={end_rule}", lambda _: dealt, first=2, scores=(20, 0, 17))
    after = play_deal(match, "4 pass pass")
    assert after.scores == (21, 0, 21)
    assert (after.result and after.result.places) == places


def test_with_bidder_first_the_bidder_wins_although_another_has_more() -> None:
    dealt = boss_tiles(2, "2-1", next_hand=LEFT)
    match = rigged("end_rule=bidder_first", lambda _: dealt, first=2, scores=(25, 0, 17))
    after = play_deal(match, "4 pass pass")
    assert after.result == Result(Ending.TARGET, (26, 0, 21), (2, 3, 1))


# Fixed deals and the cap.


def test_a_fixed_number_of_deals_is_played_whatever_the_score() -> None:
    match = rigged(deals=3, scores=(20, 0, 0), dealt=lambda n: boss_tiles(n % 3))
    for number, bids in enumerate(["7 pass pass", "7 pass pass"]):
        match = play_deal(match, bids)
        assert match.result is None
        assert match.number == number + 1
    match = play_deal(match, "4 pass pass")
    assert match.result == Result(Ending.DEALS, (27, 7, 4), (1, 2, 3))


@pytest.mark.parametrize("changes", ["moon_made=wins_game", "moon_failed=loses_game"])
def test_a_moon_that_would_end_the_game_only_scores_when_the_deals_are_fixed(changes: str) -> None:
    bids = "21" if "made" in changes else "pass pass 21"
    match = play_deal(rigged(changes, deals=2), bids)
    assert match.result is None
    assert match.finished is not None
    assert match.finished.score is not None
    assert match.finished.score.wins_game is None
    assert match.finished.score.loses_game is None
    assert match.scores == ((21, 0, 0) if "made" in changes else (7, 0, -21))


def test_deals_that_are_thrown_in_count_towards_a_fixed_number() -> None:
    match = rigged(deals=2)
    match = play_deal(match, "pass pass pass")
    match = play_deal(match, "pass pass pass")
    assert match.result == Result(Ending.DEALS, (0, 0, 0), (1, 1, 1))


def test_a_match_that_nobody_wins_ends_at_its_cap_and_is_ranked_by_score() -> None:
    match = rigged(max_deals=3)
    match = play_deal(match, "pass 4 pass")
    assert match.scores == (7, -4, 0)
    match = play_deal(match, "pass pass pass")
    assert match.result is None
    match = play_deal(match, "pass pass 4")
    assert match.result == Result(Ending.CAP, (14, -8, 0), (1, 3, 2))


def test_the_target_reached_in_the_last_deal_before_the_cap_is_the_target() -> None:
    match = play_deal(rigged(max_deals=1, scores=(14, 0, 0)), "7 pass pass")
    assert match.result is not None
    assert match.result.ending is Ending.TARGET


@pytest.mark.parametrize("field", ["deals", "max_deals"])
@pytest.mark.parametrize("number", [0, -1])
def test_a_match_of_no_deals_is_refused(field: str, number: int) -> None:
    with pytest.raises(OptionError, match=rf"{field}: a match has at least 1 deal, not {number}"):
        Terms(preset_rules("tournament-3p"), **{field: number})


# Who bids first, and who must bid.


@pytest.mark.parametrize(
    ("changes", "firsts"),
    [
        ("", [1, 2, 0, 1]),
        ("rotate_first_bidder=false", [1, 1, 2, 2]),
        # The second deal is thrown in: only the deal after it differs.
        ("redeal_first_bidder=same", [1, 2, 2, 0]),
        ("rotate_first_bidder=false redeal_first_bidder=same", [1, 1, 1, 1]),
    ],
)
def test_the_first_bid_goes_round_as_the_rules_say(changes: str, firsts: list[int]) -> None:
    match = rigged(changes, first=1, deals=4)
    seen = []
    for bids in ("4 pass pass", "pass pass pass", "4 pass pass", "4 pass pass"):
        seen.append(match.deal.auction.first_bidder)
        match = play_deal(match, bids)
    assert seen == firsts


def test_after_the_limit_of_redeals_in_a_row_the_last_bidder_must_bid() -> None:
    match = rigged("redeal_limit=2", deals=20)
    for _ in range(2):
        assert not match.deal.forced
        match = play_deal(match, "pass pass pass")
    assert match.deal.forced
    match = match.play(MakeBid(Bid.PASS)).play(MakeBid(Bid.PASS))
    assert match.decision is not None
    assert match.decision.legal == (MakeBid(Bid.FOUR),), "exactly the minimum"
    match = play_deal(match, "4")
    assert not match.deal.forced, "a deal that was played starts the count anew"


def test_a_played_deal_between_redeals_starts_the_count_anew() -> None:
    match = rigged("redeal_limit=2", deals=20)
    for bids in ("pass pass pass", "4 pass pass", "pass pass pass"):
        match = play_deal(match, bids)
        assert not match.deal.forced
    match = play_deal(match, "pass pass pass")
    assert match.deal.forced


def test_without_a_limit_nobody_is_ever_forced() -> None:
    match = rigged(deals=30)
    for _ in range(29):
        match = play_deal(match, "pass pass pass")
        assert not match.deal.forced


def test_force_last_forces_from_the_first_deal_on() -> None:
    match = rigged("all_pass=force_last force_value=at_least_min")
    assert match.deal.forced
    match = match.play(MakeBid(Bid.PASS)).play(MakeBid(Bid.PASS))
    assert match.decision is not None
    assert MakeBid(Bid.PASS) not in match.decision.legal
    assert MakeBid(Bid.MOON) in match.decision.legal


# Forfeits.


@pytest.mark.parametrize(
    ("scores", "seat", "places"),
    [
        ((5, 9, 2), 1, (1, 3, 2)),
        ((5, 9, 2), 0, (3, 1, 2)),
        ((5, 5, 5), 2, (1, 1, 3)),
        ((-20, 0, 20), 2, (2, 1, 3)),
    ],
)
def test_a_forfeit_ranks_the_offender_last_and_the_others_by_score(
    scores: tuple[int, ...], seat: int, places: tuple[int, ...]
) -> None:
    match = rigged(scores=scores).forfeit(SEATS[seat])
    assert match.result == Result(Ending.FORFEIT, scores, places, seat)
    assert match.decision is None


@pytest.mark.parametrize("seat", range(4))
def test_in_pairs_a_forfeit_costs_the_whole_pair(seat: int) -> None:
    rules = preset_rules("tournament-4p")
    match = Match.start(Terms(rules), seed_key("x"))._replace(scores=(20, 20))
    result = match.forfeit(SEATS[seat]).result
    assert result is not None
    assert result.places == ((2, 1) if seat % 2 == 0 else (1, 2))


def test_nothing_can_be_chosen_when_the_match_is_over() -> None:
    match = play_deal(rigged(deals=1), "4 pass pass")
    with pytest.raises(IllegalChoiceError, match="the match is over"):
        match.play(Play(Tile.T66))


def test_playing_leaves_the_match_before_as_it_was() -> None:
    match = rigged()
    before = (match.scores, match.deal, match.number)
    play_deal(match, "4 pass pass")
    assert (match.scores, match.deal, match.number) == before


# Whole random matches.


def random_course(match: Match, rng: random.Random) -> list[Match]:
    """Returns the states after each deal; the last one is the end."""
    ends = []
    while (decision := match.decision) is not None:
        match = match.play(bold(decision, rng))
        if match.finished is not None:
            ends.append(match)
    return ends


@pytest.mark.parametrize("name", presets())
@settings(max_examples=20)
@given(st.integers(0, 2**64), st.integers(1, 40))
def test_every_match_ends_within_its_cap_and_its_score_is_the_sum_of_its_deals(
    name: str, seed: int, max_deals: int
) -> None:
    rules = preset_rules(name)
    match = Match.start(Terms(rules, max_deals=max_deals), seed_key(str(seed)))
    ends = random_course(match, random.Random(seed))
    assert len(ends) <= max_deals
    total = (0,) * rules.side_count
    redeals = 0
    for number, after in enumerate(ends):
        finished = after.finished
        assert finished is not None
        assert finished.number == number
        if finished.score is None:
            assert finished.deal.is_thrown_in
            assert not finished.deal.forced
            redeals += 1
            assert not rules.redeal_limit or redeals <= rules.redeal_limit
        else:
            total = tuple(a + b for a, b in zip(total, finished.score.points, strict=True))
            redeals = 0
        assert finished.scores == after.scores == total
        assert (after.result is None) == (number < len(ends) - 1)
    check_result(rules_end=rules.end_rule, target=rules.target, ends=ends, cap=max_deals)


def check_result(*, rules_end: EndRule, target: int, ends: list[Match], cap: int) -> None:
    """Checks the end of a match against the words of F1 and F2, worked out anew."""
    result = ends[-1].result
    assert result is not None
    scores = result.scores
    first = [side for side, place in enumerate(result.places) if place == 1]
    there = [side for side, score in enumerate(scores) if score >= target]
    if result.ending is Ending.CAP:
        assert len(ends) == cap
        assert first == [side for side, score in enumerate(scores) if score == max(scores)]
        ahead = [side for side in there if scores[side] == max(scores)]
        assert len(ahead) != 1, "one side alone at the top of the target should have ended it"
    elif result.ending is Ending.TARGET:
        assert len(first) == 1
        assert first[0] in there
        if rules_end is EndRule.HIGHEST_THEN_CONTINUE:
            assert all(scores[first[0]] > score for s, score in enumerate(scores) if s != first[0])
        elif rules_end is EndRule.HIGHEST_THEN_SEAT:
            assert first[0] == scores.index(max(scores))
    else:
        assert result.ending is Ending.MOON
    for one, place in enumerate(result.places):
        assert place == 1 + sum(other < place for other in result.places)
        for other, other_place in enumerate(result.places):
            if place > 1 and other_place > place and result.ending is not Ending.MOON:
                assert scores[one] > scores[other]


@given(st.integers(0, 2**64))
def test_a_match_is_a_function_of_its_key_and_the_choices(seed: int) -> None:
    terms = Terms(parse_rules("tournament-4p"), deals=3)
    courses = [
        random_course(Match.start(terms, seed_key(str(seed))), random.Random(seed))
        for _ in range(2)
    ]
    facts = [[after.finished for after in course] for course in courses]
    assert facts[0] == facts[1]
