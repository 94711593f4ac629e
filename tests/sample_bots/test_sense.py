"""What the better bots take for true of a table is true, under every rule set."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import combinations, pairwise

import pytest

from referee.rules import TILES, Deal, Hand, Kind, Play, Rules, Trump, preset_rules, presets
from referee.rules.tiles import mask_of
from sample_bots._rollout import after_play, whole_deal
from sample_bots._sense import bids_by_seat, chance_of_none, hand_sizes, may_hold, plays_by_seat
from sample_bots._worlds import World, worlds
from sample_bots._worth import chances, expected_tricks, standing_worth
from tests.sample_bots.tables import ODD_RULES, dealt, positions, seen_by, start

GAMES = [
    *(pytest.param(preset.rules, id=name) for name, preset in presets().items()),
    *(pytest.param(Rules().change(**odd), id=" ".join(odd)) for odd in ODD_RULES),
]
EVERY_GAME = pytest.mark.parametrize("rules", GAMES)
THREE, FOUR = preset_rules("tournament-3p"), preset_rules("tournament-4p")


@EVERY_GAME
def test_no_seat_is_thought_void_of_what_it_holds(rules: Rules) -> None:
    for deal in positions(rules, "void", deals=4):
        for seat in range(rules.players):
            may = may_hold(seen_by(deal, seat))
            assert not [held for held, maybe in zip(deal.hands, may, strict=True) if held & ~maybe]


@EVERY_GAME
def test_plays_and_sizes_of_hands_are_those_of_each_seat(rules: Rules) -> None:
    for deal in positions(rules, "sizes", deals=3):
        known = seen_by(deal, 0)
        assert hand_sizes(known) == [held.bit_count() for held in deal.hands]
        for seat, tile in plays_by_seat(known):
            assert deal.dealt.hands[seat] >> tile & 1 or tile == deal.dealt.widow


@EVERY_GAME
def test_bids_are_those_of_each_seat(rules: Rules) -> None:
    rng = random.Random(1)
    match, bids = start(rules, "bids", deals=30), []
    while (decision := match.decision) is not None:
        choice = rng.choice(decision.legal[:3])
        if decision.kind is Kind.BID:
            assert bids_by_seat(seen_by(match.deal, decision.seat)) == bids
            bids.append((decision.seat, getattr(choice, "bid", None)))
        match = match.play(choice)
        if match.finished:
            bids = []


@EVERY_GAME
def test_dealt_worlds_agree_with_everything_that_is_known(rules: Rules) -> None:
    for deal in positions(rules, "worlds", deals=2):
        assert deal.turn is not None
        known = seen_by(deal, deal.turn)
        may = may_hold(known)
        for world in worlds(known, 3, lambda _: 1.0):
            assert world.hands[deal.turn] == deal.hands[deal.turn]
            assert [hand.bit_count() for hand in world.hands] == hand_sizes(known)
            assert not [hand for hand, maybe in zip(world.hands, may, strict=True) if hand & ~maybe]
            everything = [*world.hands, world.rest]
            assert not [1 for one, other in combinations(everything, 2) if one & other]
            assert sum(everything) == known.hand.mask | known.unseen.mask


def test_worlds_that_do_not_fit_the_bids_are_rare() -> None:
    deal = next(deal for deal in positions(THREE, "doubt", deals=9) if deal.declarer == 0)

    def holds_doubles(world: World) -> bool:
        return (world.hands[0] & mask_of(tile for tile in TILES if tile.is_double)).bit_count() > 3

    def count(fits: Callable[[World], float]) -> int:
        return sum(map(holds_doubles, worlds(seen_by(deal, 1), 200, fits)))

    assert 0 < 2 * count(lambda _: 1.0) < count(holds_doubles) < 200


@EVERY_GAME
def test_a_deal_is_played_out_by_the_rules(rules: Rules) -> None:
    """Near the end every way to play on can be tried: what is played out must be one of them."""
    rules = rules.change(play_out="all_seven")
    for deal in positions(rules, "end", deals=4):
        decision = deal.decision
        assert decision is not None
        if max(map(int.bit_count, deal.hands)) > 2:
            continue
        for choice in decision.legal:
            assert isinstance(choice, Play)
            tricks = after_play(seen_by(deal, decision.seat), deal.hands, choice)
            assert tricks in outcomes(deal.play(choice))


def outcomes(deal: Deal) -> set[tuple[int, ...]]:
    """Returns the tricks by seat of every way in which *deal* can go on."""
    decision = deal.decision
    if decision is None:
        return {deal.tricks_won}
    return set().union(*(outcomes(deal.play(choice)) for choice in decision.legal))


def test_a_deal_that_nobody_can_stop_is_played_out_to_all_seven() -> None:
    hands = ["6-6 6-5 6-4 6-3 6-2 6-1 5-5", "5-4 5-3 5-2 5-1 4-4 4-3 4-2"]
    deal = dealt(THREE, [*hands, "4-1 3-3 3-2 3-1 2-2 2-1 1-1"], widow="0-0")
    for declarer, tricks in ((0, (7, 0, 0)), (1, (7, 0, 0)), (2, (7, 0, 0))):
        assert whole_deal(THREE, Trump.SIXES, declarer, deal.hands) == tricks


def test_a_trick_that_the_partner_has_anyway_is_left_to_it() -> None:
    """Seat 2 could trump the 6-6 of its partner, but then it would lose the trick after that."""
    hands = [Hand.parse(hand).mask for hand in ("6-6 1-0", "6-1 2-2", "5-5 4-0", "6-2 4-4")]
    assert whole_deal(FOUR, Trump.FIVES, 0, hands) == (1, 0, 1, 0)


def test_a_longer_and_higher_trump_promises_more() -> None:
    low = dealt(THREE, ["6-1 6-2 5-1 4-4 3-2 2-1 1-1"]).hands[0]
    high = dealt(THREE, ["6-6 6-2 5-1 4-4 3-2 2-1 1-1"]).hands[0]
    long = dealt(THREE, ["6-6 6-2 6-5 6-4 3-2 2-1 1-1"]).hands[0]
    promised = [expected_tricks(THREE, Trump.SIXES, hand) for hand in (low, high, long)]
    assert promised == sorted(set(promised))


@pytest.mark.parametrize("expected", [0.0, 3.5, 7.0, 12.0])
@pytest.mark.parametrize("preset", ["tournament-3p", "tournament-4p"])
def test_the_chances_of_the_tricks_are_chances(preset: str, expected: float) -> None:
    of = chances(preset_rules(preset), expected)
    assert len(of) == 8
    assert all(chance >= 0 for chance in of)
    assert sum(of) == pytest.approx(1)


def test_the_chance_of_none_is_that_of_drawing_without_putting_back() -> None:
    assert chance_of_none(1, 10, 7) == pytest.approx(0.3)
    assert chance_of_none(4, 10, 7) == 0
    assert chance_of_none(0, 10, 7) == 1


def test_a_score_is_worth_more_the_higher_and_most_when_it_wins() -> None:
    deal = dealt(THREE, ["", "", ""])
    known = seen_by(deal, 0)
    worth = [standing_worth(known, (mine, 10, 10)) for mine in range(-20, 21)]
    assert worth == sorted(set(worth))


def test_in_the_last_deal_only_the_first_place_is_worth_more_than_its_points() -> None:
    last = seen_by(dealt(THREE, ["", "", ""]), 0, deal_number=9, deals=10)
    worth = [standing_worth(last, (mine, 10, 0)) for mine in (8, 9, 10, 11, 12)]
    steps = [after - before for before, after in pairwise(worth)]
    assert steps[0] == steps[3] == 1
    assert steps[1] > 1
    assert steps[2] > 1
