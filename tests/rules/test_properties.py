"""What holds of every deal, under every preset and any other rules that make sense."""

from __future__ import annotations

import random
from dataclasses import FrozenInstanceError, fields, replace
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.rules import (
    SEATS,
    SUITS,
    TILES,
    Bid,
    Choice,
    Deal,
    Discard,
    Exchange,
    IllegalChoiceError,
    MakeBid,
    NameTrump,
    Play,
    Rules,
    Tile,
    Trump,
    View,
    parse_rules,
    rules_text,
    view,
)
from referee.rules.tiles import tiles_in
from tests.rules.lockstep import dealt, judge
from tests.rules.strategies import any_rules, option_sets, randoms, states

EVERY_CHOICE: tuple[Choice, ...] = (
    *(MakeBid(bid) for bid in Bid),
    *(NameTrump(trump) for trump in Trump),
    Exchange(True),
    Exchange(False),
    *(Discard(tile) for tile in TILES),
    *(Play(tile) for tile in TILES),
    *(Play(tile, suit) for tile in TILES for suit in SUITS),
)
"""Every choice that can be written."""

NO_CHOICES = cast(
    "tuple[Choice, ...]",
    (Play(-1), Play(28), Play(Tile.T66, -1), Discard(-1), MakeBid(-1), NameTrump(9)),  # type: ignore[arg-type]
)
"""Choices of what there is not, which a program can still make."""


def legal(deal: Deal) -> tuple[Choice, ...]:
    return deal.decision.legal if deal.decision else ()


@given(any_rules(), randoms)
@settings(max_examples=300)
def test_a_deal_under_any_rules_goes_as_the_slow_rules_say(
    rules: Rules, rng: random.Random
) -> None:
    judge(dealt(rules, rng), rng)


@given(any_rules(), randoms)
def test_a_deal_ends_after_seven_tricks_or_when_it_may_stop(
    rules: Rules, rng: random.Random
) -> None:
    deal, choices = dealt(rules, rng), 0
    while (decision := deal.decision) is not None:
        deal = deal.play(rng.choice(decision.legal))
        choices += 1
    assert choices <= 6 * rules.players + 3 + 7 * rules.players
    done = sum(deal.tricks_won)
    assert len(deal.plays) == done * rules.players
    if deal.is_thrown_in:
        assert done == 0
        assert set(deal.bids) == {Bid.PASS}
        assert len(deal.bids) == rules.players
        assert not deal.forced
    elif rules.play_out.value == "all_seven":
        assert done == 7
        assert deal.hands == (0,) * rules.players
    else:
        assert 1 <= done <= 7


@given(states())
def test_every_tile_is_in_one_place_at_every_step(deal: Deal) -> None:
    middle = list(deal.dealt.middle)
    if deal.taken:
        middle.remove(deal.dealt.widow)  # type: ignore[arg-type]
    aside = [] if deal.discarded is None else [deal.discarded]
    everywhere = [*(t for mask in deal.hands for t in tiles_in(mask)), *deal.plays, *middle, *aside]
    assert sorted(everywhere) == list(deal.rules.tiles)


@given(states())
def test_choices_are_offered_in_order_each_once_and_there_is_always_one(deal: Deal) -> None:
    decision = deal.decision
    assert (decision is None) == deal.is_over
    if decision is None:
        return
    assert decision.legal
    assert len(set(decision.legal)) == len(decision.legal)
    assert list(decision.legal) == sorted(decision.legal, key=EVERY_CHOICE.index) or (
        deal.rules.led_suit.value == "leader_calls"
    )
    tiles = [choice.tile for choice in decision.legal if isinstance(choice, Play | Discard)]
    assert tiles == sorted(tiles)
    kinds = {type(choice) for choice in decision.legal}
    assert len(kinds) == 1


@given(states(), st.sampled_from((*EVERY_CHOICE, *NO_CHOICES)))
@settings(max_examples=500)
def test_a_choice_is_taken_if_it_is_offered_and_refused_if_not(deal: Deal, choice: Choice) -> None:
    before = hash(deal)
    copy = replace(deal)
    if choice in legal(deal):
        assert deal.play(choice) != deal
        assert deal.decision is not None
        assert deal.decision.check(choice) == choice
    else:
        with pytest.raises(IllegalChoiceError):
            deal.play(choice)
        if deal.decision is not None:
            with pytest.raises(IllegalChoiceError):
                deal.decision.check(choice)
    assert deal == copy
    assert hash(deal) == before


@given(states())
def test_every_choice_of_a_state_is_judged_like_the_list_it_offers(deal: Deal) -> None:
    taken = []
    for choice in EVERY_CHOICE:
        try:
            deal.play(choice)
        except IllegalChoiceError:
            continue
        taken.append(choice)
    assert set(taken) == set(legal(deal))


@given(states())
def test_a_state_cannot_be_changed(deal: Deal) -> None:
    with pytest.raises(AttributeError):
        deal.trump = Trump.FIVES  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        deal.rules.target = 1  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        view(deal, SEATS[0]).hand = None  # type: ignore[misc,assignment]
    if deal.decision:
        with pytest.raises((FrozenInstanceError, AttributeError, TypeError)):
            deal.decision.legal[0].bid = Bid.PASS  # type: ignore[misc,union-attr]


@given(states())
def test_equal_states_have_equal_hashes_and_offer_the_same(deal: Deal) -> None:
    twin = replace(deal, rules=replace(deal.rules))
    assert twin == deal
    assert hash(twin) == hash(deal)
    assert twin.decision == deal.decision


# Views.

HIDDEN_FROM_OTHERS = {"hand", "widow", "discarded", "decision"}
"""The fields of a view that may differ between two seats, besides ``seat`` itself."""


def others_tiles_moved(deal: Deal, seat: int, rng: random.Random) -> Deal:
    """Returns *deal* with every tile that *seat* has not seen in another of their places."""
    declarer = deal.declarer
    knows_widow = declarer == seat and bool(deal.taken)
    middle = list(deal.dealt.middle)
    places = [s for s in range(deal.rules.players) if s != seat]
    fixed = 1 if knows_widow or deal.taken else 0
    kept = middle[fixed:]
    hidden = [t for s in places for t in tiles_in(deal.hands[s])] + kept
    if deal.discarded is not None and declarer != seat:
        hidden.append(deal.discarded)
    rng.shuffle(hidden)
    hands = list(deal.hands)
    for s in places:
        size = hands[s].bit_count()
        hands[s] = sum(1 << tile for tile in hidden[:size])
        hidden = hidden[size:]
    moved = replace(deal, hands=tuple(hands))
    if deal.discarded is not None and declarer != seat:
        moved = replace(moved, discarded=hidden.pop())
    if deal.taken and not knows_widow:
        # Another seat took the widow: to this one it may have been any tile.
        middle[0] = rng.choice(TILES)
    dealt = deal.dealt._replace(middle=(*middle[:fixed], *hidden), hands=(0,) * len(places))
    return replace(moved, dealt=dealt)


@given(states(), randoms)
@settings(max_examples=500)
def test_a_view_is_the_same_whatever_the_seat_cannot_see(deal: Deal, rng: random.Random) -> None:
    for seat in SEATS[: deal.rules.players]:
        moved = others_tiles_moved(deal, seat, rng)
        assert view(moved, seat) == view(deal, seat)


@given(states())
def test_a_view_shows_the_question_only_to_the_seat_that_is_asked(deal: Deal) -> None:
    for seat in SEATS[: deal.rules.players]:
        for given_decision in (None, deal.decision):
            seen = view(deal, seat, decision=given_decision)
            assert seen.decision == (deal.decision if deal.turn == seat else None)
            assert seen.choices == (legal(deal) if deal.turn == seat else ())


@given(states())
def test_views_of_two_seats_differ_only_in_what_is_their_own(deal: Deal) -> None:
    views = [view(deal, seat) for seat in SEATS[: deal.rules.players]]
    for field in fields(View):
        if field.name not in HIDDEN_FROM_OTHERS | {"seat"}:
            assert len({repr(getattr(seen, field.name)) for seen in views}) == 1, field.name


@given(states())
def test_only_the_declarer_sees_widow_and_discard(deal: Deal) -> None:
    for seat in SEATS[: deal.rules.players]:
        seen = view(deal, seat)
        own = seat == deal.declarer
        assert seen.widow == (deal.dealt.widow if own and deal.taken else None)
        assert seen.discarded == (deal.discarded if own else None)
        assert set(seen.hand) == set(tiles_in(deal.hands[seat]))


@given(states())
def test_the_unseen_tiles_of_a_view_are_those_in_hidden_places(deal: Deal) -> None:
    for seat in SEATS[: deal.rules.players]:
        hidden = {
            t for other, mask in enumerate(deal.hands) for t in tiles_in(mask) if other != seat
        }
        hidden |= set(deal.dealt.middle[1 if deal.taken else 0 :])
        if deal.discarded is not None and deal.declarer != seat:
            hidden.add(deal.discarded)
        assert set(view(deal, seat).unseen) == hidden


@given(states())
def test_the_tricks_of_a_view_are_those_of_the_deal(deal: Deal) -> None:
    seen = view(deal, SEATS[0])
    winners = [trick.winner for trick in seen.tricks if trick.winner is not None]
    assert [winners.count(seat) for seat in range(deal.rules.players)] == list(deal.tricks_won)
    assert tuple(t for trick in seen.tricks for t in trick.tiles) == deal.plays
    assert tuple(trick.leader for trick in seen.tricks) == deal.leaders
    assert tuple(trick.suit for trick in seen.tricks if trick.suit is not None) == deal.suits


# The text of rules.


@given(option_sets())
@settings(max_examples=300)
def test_rules_read_back_from_their_text(options: dict[str, str]) -> None:
    rules = Rules().change(**options)
    assert parse_rules(rules_text(rules)) == rules
    assert hash(parse_rules(rules_text(rules))) == hash(rules)
