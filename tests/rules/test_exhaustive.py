"""The fast rules of a trick agree with the slow ones over everything there is to ask."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations, permutations

import pytest

from referee.rules import (
    SEATS,
    SUITS,
    TILES,
    Bid,
    Deal,
    Dealt,
    Play,
    Rules,
    Suit,
    Tile,
    Trump,
    preset_rules,
    trick_winner,
)
from referee.rules.auction import Auction
from referee.rules.options import option_texts
from referee.rules.suits import NoneDoubles, callable_suits, suit_table
from referee.rules.tiles import mask_of, tiles_in
from tests.rules import slow_rules
from tests.rules.lockstep import pair, plain_suit

TABLES = [
    (trump, doubles)
    for trump in Trump
    for doubles in NoneDoubles
    if trump is Trump.NONE or doubles is NoneDoubles.HIGH
]
"""Every way in which tiles can make suits."""
THREE, FOUR = preset_rules("wikihow-3p"), preset_rules("wikihow-4p")
CARDS = [
    ("21", preset_rules("wikihow-3p-no00")),
    ("22", THREE),
    ("28", FOUR),
]


def table_name(table: tuple[Trump, NoneDoubles]) -> str:
    return f"{table[0]}-{table[1].value}"


every_table = pytest.mark.parametrize("table", TABLES, ids=table_name)


def rules_of(table: tuple[Trump, NoneDoubles], base: Rules = THREE) -> Rules:
    return base.change(none_doubles=table[1])


@pytest.mark.parametrize(("tileset", "rules"), CARDS)
def test_the_tiles_in_play_are_those_of_the_prose(tileset: str, rules: Rules) -> None:
    expected = slow_rules.tiles_in_play({"tileset": tileset})
    assert [pair(tile) for tile in rules.tiles] == expected
    assert len(expected) == int(tileset)


@every_table
def test_every_tile_leads_the_suit_of_the_prose(table: tuple[Trump, NoneDoubles]) -> None:
    trump, doubles = table
    leads = suit_table(trump, doubles).leads
    for tile in TILES:
        expected = slow_rules.led_suit(pair(tile), plain_suit(trump), doubles)
        assert plain_suit(leads[tile]) == expected, tile


@every_table
def test_every_tile_can_be_called_as_in_the_prose(table: tuple[Trump, NoneDoubles]) -> None:
    trump, doubles = table
    for tile in TILES:
        calls = [plain_suit(suit) for suit in callable_suits(tile, suit_table(trump, doubles))]
        assert calls == slow_rules.suits_to_call(pair(tile), plain_suit(trump), doubles), tile


@every_table
def test_every_follower_agrees_on_every_lead(table: tuple[Trump, NoneDoubles]) -> None:
    trump, doubles = table
    fast, named = suit_table(trump, doubles), plain_suit(trump)
    for led in TILES:
        for called in callable_suits(led, fast):
            suit = plain_suit(called)
            for tile in TILES:
                belongs = suit in slow_rules.suits_of(pair(tile), named, doubles)
                assert belongs == bool(fast.follows[called] >> tile & 1), (led, tile)
                beats = slow_rules.trick_winner([pair(led), pair(tile)], named, suit, doubles) == 1
                strength = fast.strength[called]
                if tile is not led:
                    assert beats == (strength[tile] > strength[led]), (led, tile)


@every_table
def test_strengths_rank_trumps_then_the_led_suit_and_no_two_tiles_alike(
    table: tuple[Trump, NoneDoubles],
) -> None:
    """So the tile with the greatest strength wins a trick of any length as the prose says."""
    trump, doubles = table
    fast, named = suit_table(trump, doubles), plain_suit(trump)
    assert named is not None
    for suit in SUITS:
        plain = plain_suit(suit)
        trumps = [] if trump is Trump.NONE else slow_rules.suit_order(named, named, doubles)
        order = [*trumps, *(slow_rules.suit_order(plain, named, doubles) if suit != trump else ())]
        ranked = sorted(TILES, key=lambda tile: -fast.strength[suit][tile])
        winners = [pair(tile) for tile in ranked if fast.strength[suit][tile]]
        assert winners == order, suit
        assert len({fast.strength[suit][tile] for tile in TILES if fast.strength[suit][tile]}) == (
            len(order)
        )


def disagreements(
    rules: Rules, table: tuple[Trump, NoneDoubles], tricks: list[tuple[Tile, ...]]
) -> list[tuple[Tile, ...]]:
    trump, doubles = table
    named, fast = plain_suit(trump), suit_table(trump, doubles)
    wrong = []
    for tiles in tricks:
        pairs = [(tile.high, tile.low) for tile in tiles]
        for called in callable_suits(tiles[0], fast):
            ours = trick_winner(rules, trump, 0, tiles, called)
            if ours != slow_rules.trick_winner(pairs, named, plain_suit(called), doubles):
                wrong.append(tiles)
    return wrong


@every_table
def test_every_trick_of_three_has_the_same_winner(table: tuple[Trump, NoneDoubles]) -> None:
    assert not disagreements(rules_of(table), table, list(permutations(TILES, 3)))


@every_table
def test_every_trick_of_four_has_the_same_winner(table: tuple[Trump, NoneDoubles]) -> None:
    """In every order without a trump, else in one order for each lead and what follows it."""
    rules, orders = rules_of(table, FOUR), random.Random(4)
    for led in TILES:
        rest = [tile for tile in TILES if tile is not led]
        if table[0] is Trump.NONE:
            tricks = [(led, *others) for others in permutations(rest, 3)]
        else:
            tricks = [(led, *orders.sample(three, 3)) for three in combinations(rest, 3)]
        assert not disagreements(rules, table, tricks)


# What may be played.


def following(rules: Rules, trump: Trump, called: Suit, hand: int) -> Deal:
    """Returns a deal in which seat 1 follows a lead of *called* with *hand*."""
    return Deal(
        rules,
        Dealt((0, hand, 0), ()),
        False,
        Auction(SEATS[0], None, SEATS[0], Bid.FOUR),
        (),
        (0, hand, *(0,) * (rules.players - 2)),
        SEATS[1],
        trump=trump,
        plays=(Tile.T00,),
        leaders=(SEATS[0],),
        suits=(called,),
        tricks_won=(0,) * rules.players,
    )


def assert_follows(rules: Rules, trump: Trump, called: Suit, hand: int) -> None:
    named = plain_suit(trump)
    pairs = {pair(tile) for tile in tiles_in(hand)}
    expected = slow_rules.legal_follow(pairs, plain_suit(called), named, option_texts(rules))
    legal = tiles_in(following(rules, trump, called, hand).legal_mask())
    assert {pair(tile) for tile in legal} == expected, (trump, called, pairs)


@every_table
@pytest.mark.parametrize("follow", ["follow_first", "follow_or_trump"])
def test_every_hand_of_one_or_two_tiles_follows_every_lead(
    table: tuple[Trump, NoneDoubles], follow: str
) -> None:
    trump, doubles = table
    rules = rules_of(table).change(follow_rule=follow)
    suits = {suit for tile in TILES for suit in callable_suits(tile, suit_table(trump, doubles))}
    for called in suits:
        for one, other in [*combinations(TILES, 2), *zip(TILES, TILES, strict=True)]:
            assert_follows(rules, trump, called, 1 << one | 1 << other)


@every_table
@pytest.mark.parametrize("follow", ["follow_first", "follow_or_trump"])
def test_hands_of_any_size_follow_as_in_the_prose(
    table: tuple[Trump, NoneDoubles], follow: str
) -> None:
    trump, doubles = table
    rules = rules_of(table).change(follow_rule=follow)
    rng = random.Random(f"{table_name(table)} {follow}")
    for _ in range(1_000):
        tiles = rng.sample(TILES, rng.randint(1, 8))
        led = rng.choice([tile for tile in TILES if tile not in tiles])
        called = rng.choice(callable_suits(led, suit_table(trump, doubles)))
        assert_follows(rules, trump, called, mask_of(tiles))


@every_table
@pytest.mark.parametrize("lead", ["any", "trump"])
@pytest.mark.parametrize("led", ["higher_end", "leader_calls"])
def test_every_lead_that_is_offered_is_one_of_the_prose(
    table: tuple[Trump, NoneDoubles], lead: str, led: str
) -> None:
    trump, doubles = table
    rules = rules_of(table).change(first_lead=lead, led_suit=led)
    rng = random.Random(f"{table_name(table)} {lead} {led}")
    named, options = plain_suit(trump), option_texts(rules)
    for number in range(400):
        hand = mask_of(rng.sample(TILES, rng.randint(1, 7)))
        first = number % 2 == 0
        deal = replace(
            following(rules, trump, Suit.BLANKS, hand),
            leaders=(SEATS[1],) if first else (SEATS[0], SEATS[1]),
            plays=() if first else TILES[:3],
            suits=() if first else (Suit.BLANKS,),
        )
        pairs = {pair(tile) for tile in tiles_in(hand)}
        tiles = slow_rules.legal_lead(pairs, named, first, options)
        assert deal.decision is not None
        offered = [choice for choice in deal.decision.legal if isinstance(choice, Play)]
        expected = {
            (tile, suit)
            for tile in tiles
            for suit in slow_rules.suits_to_call(tile, named, doubles)
            if led == "leader_calls"
        } or {(tile, None) for tile in tiles}
        assert {(pair(play.tile), plain_suit(play.called)) for play in offered} == expected
        assert len(offered) == len(expected)
