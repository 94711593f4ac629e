"""Second opinions: another model, other counts, and whether the ranking would change."""

from __future__ import annotations

import random
from itertools import pairwise
from math import log

import pytest

from tournaments.rating import (
    Game,
    PlayedGame,
    Strength,
    plackett_luce,
    second_opinions,
    without_forfeits,
)
from tournaments.rating.influence import inverse
from tournaments.rating.sandwich import BlockScore, Sandwich

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


def covers(row: Strength, mean: float = 0.0) -> bool:
    assert row.low is not None
    assert row.high is not None
    return row.low <= TRUE[row.entrant] - mean <= row.high


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
    for seed in range(25):
        found = plackett_luce(season(60, seed))
        covered += sum(covers(row) for row in found)
    assert 92 <= covered <= 99, "of 100 intervals at 95 %"


def test_few_blocks_of_a_newcomer_among_many_do_not_make_it_look_sure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With the degrees of freedom of all blocks, 71 % of such intervals held."""
    monkeypatch.setattr("tournaments.rating.luce.LEAST_BLOCKS", 3)
    covered, seasons = 0, 60
    for seed in range(seasons):
        rng = random.Random(seed)
        blocks = {n: [ranked(rng, ["ann", "bob", "cyd"]) for _ in range(3)] for n in range(25)}
        for number in range(100, 103):
            names = [*rng.sample(["ann", "bob", "cyd"], 2), "dan"]
            blocks[number] = [ranked(rng, names) for _ in range(3)]
        rows = plackett_luce(blocks)
        compared = [row.entrant for row in rows if row.low is not None]
        if "dan" not in compared:
            seasons -= 1
            continue
        mean = sum(TRUE[name] for name in compared) / len(compared)
        covered += covers(next(row for row in rows if row.entrant == "dan"), mean)
    assert seasons > 30
    assert covered / seasons >= 0.9


def test_the_error_of_who_was_seen_in_few_blocks_has_few_degrees_of_freedom() -> None:
    """A block more or less of the others is nothing to it: of n of its own, n - 1 are left."""
    even = ((0.25, -0.25), (-0.25, 0.25))
    blocks = [
        BlockScore(3, (0, 1), (0.5, -0.5), even),
        BlockScore(3, (0, 1), (-0.5, 0.5), even),
        BlockScore(200, (1, 2), (0.5, -0.5), even),
        BlockScore(200, (1, 2), (-0.5, 0.5), even),
    ]
    prior = 1e-6
    bend = [[1.5, -1.5, 0.0], [-1.5, 101.5, -100.0], [0.0, -100.0, 100.0]]
    bread = inverse(
        [[x + prior * (i == j) for j, x in enumerate(row)] for i, row in enumerate(bend)]
    )
    sandwich = Sandwich(blocks, bread, prior)
    new, old = sandwich.error((1.0, -1.0, 0.0)), sandwich.error((0.0, 1.0, -1.0))
    assert new is not None
    assert old is not None
    assert new.freedom == pytest.approx(5, rel=0.01)
    assert old.freedom == pytest.approx(399, rel=0.01)
    # Six games won and lost by turns: the variance of their log odds is 4/5, not 4/6.
    assert new.deviation**2 == pytest.approx(4 / 6 * 6 / 5, rel=0.01)
    # Student's t within which 95 % lie: 2.571 at 5 degrees of freedom.
    assert new.half_width(0.95) == pytest.approx(2.571 * new.deviation, rel=0.01)


def test_the_unbeaten_of_ninety_thousand_games_is_rated_like_that_of_nine_hundred() -> None:
    """Rounding in so many games must not pass for slopes that have not come to rest."""
    found = {}
    for count in (900, 90_000):
        first, second = Game.of("abc", (0, 1, 2)), Game.of("abc", (0, 2, 1))
        blocks = {0: [first] * (count // 3 * 2), 1: [second] * (count // 3)}
        found[count] = {row.entrant: row.value for row in plackett_luce(blocks)}
    for count, values in found.items():
        assert values["b"] - values["c"] == pytest.approx(log(2), abs=2 / count**0.5)
    assert 2 < found[90_000]["a"] - found[900]["a"] < log(100)


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
    assert {row.low for row in rest} == {None}, "b was never behind c"


def test_ties_and_nothing_else_say_nothing_of_how_sure_they_are() -> None:
    rows = plackett_luce({number: [Game.of("abc", (0, 0, 0))] for number in range(20)})
    assert {(row.value, row.low, row.high) for row in rows} == {(0.0, None, None)}


def test_two_groups_that_never_met_are_not_compared() -> None:
    """What is said of one group against the other is the prior's, not the games'."""
    rng = random.Random(6)
    blocks = {n: [ranked(rng, ["ann", "bob", "cyd"])] for n in range(40)}
    blocks |= {n: [Game.of("xy", (n % 2, 1 - n % 2))] for n in range(40, 60)}
    rows = {row.entrant: row for row in plackett_luce(blocks)}
    assert {name for name, row in rows.items() if row.low is not None} == {"ann", "bob", "cyd"}
    assert sum(rows[name].value for name in ("ann", "bob", "cyd")) == pytest.approx(0)


def test_who_was_seen_in_few_blocks_has_no_interval_and_shifts_nobody() -> None:
    blocks = season(40, 7)
    before = {row.entrant: row for row in plackett_luce(blocks)}
    few = {100 + n: [Game.of(("ann", "new"), (n % 2, 1 - n % 2))] for n in range(9)}
    after = {row.entrant: row for row in plackett_luce(blocks | few)}
    assert (after["new"].low, after["new"].blocks) == (None, 9)
    for name, row in before.items():
        assert after[name].value == pytest.approx(row.value, abs=0.2)


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
