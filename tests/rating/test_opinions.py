"""Second opinions: another model, other counts, and whether the ranking would change."""

from __future__ import annotations

import random
from itertools import pairwise
from math import log

import pytest

from tournaments.rating import Game, PlayedGame, plackett_luce, second_opinions, without_forfeits

TRUE = {"ann": 0.9, "bob": 0.3, "cyd": -0.2, "dan": -1.0}


def ranked(rng: random.Random, names: list[str]) -> Game:
    """One game by Plackett and Luce's model: the first of exponential clocks is the winner."""
    clocks = {name: rng.expovariate(2.718281828459045 ** TRUE[name]) for name in names}
    order = sorted(names, key=clocks.__getitem__)
    return Game.of(order, range(len(order)))


def season(blocks: int, seed: int) -> dict[int, list[Game]]:
    rng = random.Random(seed)
    return {
        number: [ranked(rng, rng.sample(sorted(TRUE), 3)) for _ in range(2)]
        for number in range(blocks)
    }


def test_two_that_met_often_have_the_log_odds_of_their_counts() -> None:
    games = [Game.of("ab", (0, 1))] * 3000 + [Game.of("ab", (1, 0))] * 1000
    one, other = plackett_luce({number: [game] for number, game in enumerate(games)})
    assert one.value - other.value == pytest.approx(log(3), abs=1e-3)
    # Of independent games the error of log odds is sqrt(1/wins + 1/losses), half for each side.
    assert one.high is not None
    assert one.low is not None
    expected = 2 * 1.96 * (1 / 3000 + 1 / 1000) ** 0.5 / 2
    assert one.high - one.low == pytest.approx(expected, rel=0.01)


def test_strengths_that_games_were_drawn_from_are_found_and_covered() -> None:
    covered = 0
    for seed in range(10):
        found = plackett_luce(season(150, seed))
        assert found[0].entrant == "ann"
        for row in found:
            assert row.low is not None
            assert row.high is not None
            covered += row.low <= TRUE[row.entrant] <= row.high
    assert covered >= 34, "of 40 intervals at 95 %"


def test_any_order_of_blocks_and_games_gives_the_same_bytes() -> None:
    blocks, rng = season(60, 3), random.Random(4)
    played = [PlayedGame(n, game, n % 7 == 0) for n, games in blocks.items() for game in games]
    seen = set()
    for _ in range(5):
        rng.shuffle(played)
        seen.add(repr(second_opinions(played, list(TRUE), dict.fromkeys(TRUE, 1.0))))
    assert len(seen) == 1


def test_a_tie_is_half_of_each_order() -> None:
    tied = plackett_luce({0: [Game.of("abc", (0, 0, 1))], 1: [Game.of("abc", (0, 0, 1))]})
    halves = plackett_luce({0: [Game.of("abc", (0, 1, 2))], 1: [Game.of("bac", (0, 1, 2))]})
    assert [row.value for row in tied] == pytest.approx([row.value for row in halves])
    assert tied[0].value == pytest.approx(tied[1].value)


def test_who_never_lost_is_finite_and_has_no_interval() -> None:
    best, *rest = plackett_luce({number: [Game.of("abc", (0, 1, 2))] for number in range(50)})
    assert best.entrant == "a"
    assert best.value < 12
    assert (best.low, best.high) == (None, None)
    assert rest[0].low is not None


def test_games_of_a_block_that_repeat_each_other_make_nothing_surer() -> None:
    once = season(80, 5)
    twice = {number: games * 2 for number, games in once.items()}
    for one, other in zip(plackett_luce(once), plackett_luce(twice), strict=True):
        assert other.high is not None
        assert other.low is not None
        assert one.high is not None
        assert one.low is not None
        assert other.high - other.low == pytest.approx(one.high - one.low, rel=0.1)


def test_a_ranking_that_hangs_on_forfeits_or_on_one_entrant_says_so() -> None:
    """Bob is ahead of ann only where cyd forfeited, and beats nobody but dan."""
    games = [PlayedGame(n, Game.of(("ann", "bob", "dan"), (0, 1, 2)), False) for n in range(4)]
    games += [PlayedGame(4 + n, Game.of(("bob", "ann", "cyd"), (0, 1, 2)), True) for n in range(6)]
    found = second_opinions(games, ["bob", "ann", "dan", "cyd"], dict.fromkeys(TRUE, 0.0))
    ways = {ranking.way: ranking for ranking in found.rankings}
    assert ("bob", "ann") in ways["without forfeits"].swaps
    assert ways["without forfeits"].games == 4
    assert ways["without ann"].order[0] == "bob"
    assert ways["without dan"].games == 10, "the two others still met"
    assert {(p.entrant, p.other): (p.ahead, p.tables) for p in found.pairs}["bob", "ann"] == (6, 10)


def test_who_has_no_deals_or_no_games_left_is_in_no_other_ranking() -> None:
    """Guards against what is not known being taken for zero, or for the mean of all."""
    games = [PlayedGame(n, Game.of(("ann", "bob"), (0, 1)), False) for n in range(4)]
    games += [PlayedGame(4 + n, Game.of(("bob", "cyd"), (0, 1)), True) for n in range(3)]
    points = {"ann": -1.0, "bob": -2.0, "cyd": -9.0, "dan": None}
    found = second_opinions(games, ["ann", "dan", "bob", "cyd"], points)
    ways = {ranking.way: (ranking.order, ranking.swaps) for ranking in found.rankings}
    assert ways == {
        "Plackett-Luce": (("ann", "bob", "cyd"), ()),
        "points a deal": (("ann", "bob", "cyd"), ()),
        "without forfeits": (("ann", "bob"), ()),
        "without ann": (("bob", "cyd"), ()),
        "without dan": (("ann", "bob", "cyd"), ()),
        "without bob": ((), ()),
        "without cyd": (("ann", "bob"), ()),
    }
    tables = [(each.game, each.is_forfeited) for each in games]
    assert without_forfeits([*tables, (None, True)]) == (("ann", "bob"), 4)


def test_a_ranking_by_points_is_another_where_points_say_so() -> None:
    games = [PlayedGame(n, Game.of(("ann", "bob"), (0, 1)), False) for n in range(5)]
    found = second_opinions(games, ["ann", "bob"], {"ann": 1.0, "bob": 2.0})
    by_points = next(each for each in found.rankings if each.way == "points a deal")
    assert by_points.swaps == (("ann", "bob"),)
    assert all(a.value >= b.value for a, b in pairwise(found.strengths))
