"""Very many blocks: the ratings move in proportion to what counts, and nothing is rated again."""

from __future__ import annotations

import random
from itertools import combinations
from math import dist

import pytest

from tournaments.rating import (
    Batch,
    Block,
    Game,
    SkillModel,
    bootstrap,
    entrants_of,
    rank_table,
    resample,
    tally,
)
from tournaments.rating.influence import Influence, cholesky, inverse


def season(rounds: int, entrants: str = "abcd", *, seats: int = 3, seed: int = 1) -> list[Block]:
    """Returns blocks of unequal entrants, whose games share their luck, with ties."""
    rng = random.Random(seed)
    blocks = []
    for table in combinations(entrants, seats):
        for _ in range(rounds):
            luck = [rng.gauss(0.0, 4.0) for _ in table]
            games = []
            for turn in range(seats):
                points = [
                    round((luck[(seat + turn) % seats] + rng.gauss(entrants.index(name), 3.0)) / 2)
                    for seat, name in enumerate(table)
                ]
                games.append(Game.of(table, [-each for each in points]))
            blocks.append(Block("/".join(table), tuple(games)))
    return blocks


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_count_that_changes_a_little_moves_the_means_as_foretold(seats: int) -> None:
    counted = tally(game for block in season(400, seats=seats) for game in block.games)
    outcomes = [outcome for outcome, _ in counted]
    counts = [float(count) for _, count in counted]
    names = entrants_of(outcomes)
    model = SkillModel(draw_probability=0.1)
    batch = Batch(outcomes, names, model)
    batch.solve(counts)
    influence = Influence(counted, names, batch.beliefs, model)
    before = batch.means()
    for number in range(0, len(counts), 7):
        more = list(counts)
        more[number] += 3.0
        moved = [new - old for new, old in zip(batch.resume(more, 1e-11), before, strict=True)]
        # Of two blocks one is drawn, and counts twice: the means move by this or by its opposite.
        spread = influence.spread([[((number, 3.0),), ()]])
        up = [sum(row) for row in spread]
        foretold = min(up, [-move for move in up], key=lambda moves: dist(moves, moved))
        assert foretold == pytest.approx(moved, rel=0.05, abs=0.02 * max(map(abs, moved)))


@pytest.mark.parametrize("entrants", ["abc", "abcde"])
def test_intervals_without_rating_again_are_those_of_rating_again(
    monkeypatch: pytest.MonkeyPatch, entrants: str
) -> None:
    blocks = season(900 // len(list(combinations(entrants, 3))), entrants)
    normal = rank_table(blocks, replicates=1000)
    monkeypatch.setattr(bootstrap, "MANY", len(blocks) + 1)
    rated = rank_table(blocks, replicates=200)
    for one, other in zip(normal.differences, rated.differences, strict=True):
        assert (one.better, one.worse, one.mu) == (other.better, other.worse, other.mu)
        assert one.low is not None
        assert other.low is not None
        # 200 replicates know a spread to 5 %, and the reach of all intervals a little better.
        assert one.mu - one.low == pytest.approx(other.mu - other.low, rel=0.2)
    for line, again in zip(normal.entrants, rated.entrants, strict=True):
        assert line.low is not None
        assert again.low is not None
        assert line.mu - line.low == pytest.approx(again.mu - again.low, rel=0.25)


def test_any_order_of_very_many_blocks_and_games_gives_the_same_bytes() -> None:
    blocks = season(100)
    assert len(blocks) > bootstrap.MANY
    expected = repr(rank_table(blocks))
    rng = random.Random(5)
    for _ in range(3):
        blocks = [Block(one.cell, tuple(rng.sample(one.games, 3))) for one in blocks]
        rng.shuffle(blocks)
        assert repr(rank_table(blocks)) == expected


def test_very_many_results_that_never_vary_leave_no_doubt_and_are_no_error() -> None:
    game = Game.of("abc", (0, 1, 2))
    blocks = [Block("a/b/c", (game, game, game))] * 400
    found = resample(blocks, replicates=20)
    for draw in found.replicates:
        assert draw == pytest.approx([one.mu for one in found.ratings], abs=found.resolution)
    assert [(one.rank_low, one.rank_high) for one in rank_table(blocks).entrants] == [
        (1, 1),
        (2, 2),
        (3, 3),
    ]


def test_who_has_won_once_in_a_hundred_games_is_rated_again_for_the_ratings_bend_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loses, wins = Game.of("abc", (0, 1, 2)), Game.of("abc", (1, 2, 0))
    blocks = season(400, "abd") + [
        Block("0-1-2", (wins if number % 100 == 0 else loses,) * 3) for number in range(200)
    ]
    again: list[int] = []
    resume = Batch.resume

    def counting(batch: Batch, counts: list[float], precision: float) -> list[float]:
        again.append(1)
        return resume(batch, counts, precision)

    monkeypatch.setattr(Batch, "resume", counting)
    resample(blocks, replicates=5)
    assert len(again) == 5
    resample(season(400, "abd"), replicates=5)
    assert len(again) == 5, "but not where they do not"


def test_entrants_who_never_met_and_one_who_never_played_move_apart_from_each_other() -> None:
    found = resample(season(200, "abcd") + season(200, "wxyz"), entrants=["idle"], replicates=50)
    names = [one.entrant for one in found.ratings]
    for draw in found.replicates:
        by_name = dict(zip(names, draw, strict=True))
        assert sum(by_name[name] for name in "abcd") == pytest.approx(100.0, abs=1e-6)
        assert by_name["idle"] == 25.0


def test_a_matrix_times_its_inverse_is_one() -> None:
    rng = random.Random(2)
    matrix = [[rng.gauss(0.0, 1.0) for _ in range(6)] for _ in range(6)]
    matrix[0][0] = 0.0
    other = inverse(matrix)
    for i, row in enumerate(matrix):
        for j in range(6):
            product = sum(value * other[k][j] for k, value in enumerate(row))
            assert product == pytest.approx(float(i == j), abs=1e-9)


def test_a_covariance_with_a_direction_in_which_nothing_varies_is_taken_apart() -> None:
    rng = random.Random(3)
    draws = [[rng.gauss(0.0, 1.0) for _ in range(3)] for _ in range(9)]
    rows = [[a, b, c, -a - b - c] for a, b, c in draws]
    covariance = [[sum(row[i] * row[j] for row in rows) for j in range(4)] for i in range(4)]
    lower = cholesky(covariance)
    for i in range(4):
        for j in range(4):
            product = sum(lower[i][k] * lower[j][k] for k in range(4))
            assert product == pytest.approx(covariance[i][j], abs=1e-9)
