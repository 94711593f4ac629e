"""How sure the standings are: the block is the unit, and all intervals hold at once."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations

import pytest

from tournaments.rating import Block, Game, RankTable, RatingError, rank_table, resample, table_of
from tournaments.rating.student import like_normal, student_quantile, within


def season(
    seed: int, *, rounds: int = 4, entrants: str = "abcd", gap: float = 0.0, repeats: int = 1
) -> list[Block]:
    """Returns blocks in which the luck of a deal is shared by every table of the block."""
    rng = random.Random(seed)
    return [
        Block("/".join(table), tuple(tables_of(rng, table, entrants, gap)) * repeats)
        for table in combinations(entrants, 3)
        for _ in range(rounds)
    ]


def tables_of(
    rng: random.Random, table: tuple[str, ...], entrants: str, gap: float
) -> Iterator[Game]:
    hands = [rng.gauss(0.0, 1.0) for _ in table]
    suits = {(name, hand): rng.gauss(0.0, 0.6) for name in table for hand in range(3)}
    for turn in range(3):
        points = [
            round(3.0 * (suits[name, (seat + turn) % 3] + hands[(seat + turn) % 3]
                         - gap * entrants.index(name)))
            for seat, name in enumerate(table)
        ]  # fmt: skip
        yield Game.of(table, [-score for score in points])


def intervals(table: RankTable) -> dict[str, tuple[int, int]]:
    return {one.entrant: (one.rank_low, one.rank_high) for one in table.entrants}


def separated(table: RankTable) -> set[tuple[str, str]]:
    return {(pair.better, pair.worse) for pair in table.differences if pair.separated}


def test_any_order_of_blocks_and_games_gives_the_same_bytes() -> None:
    blocks = season(1, gap=0.3)
    expected = repr(rank_table(blocks, replicates=50))
    rng = random.Random(5)
    for _ in range(3):
        blocks = [Block(one.cell, tuple(rng.sample(one.games, 3))) for one in blocks]
        rng.shuffle(blocks)
        assert repr(rank_table(blocks, replicates=50)) == expected


def test_clear_differences_give_single_ranks() -> None:
    table = rank_table(season(2, rounds=12, gap=1.5))
    assert intervals(table) == {"a": (1, 1), "b": (2, 2), "c": (3, 3), "d": (4, 4)}
    assert table.not_separated == (("a",), ("b",), ("c",), ("d",))


def test_equals_are_not_told_apart() -> None:
    table = rank_table(season(3))
    assert set(intervals(table).values()) == {(1, 4)}
    assert table.not_separated == (tuple(one.entrant for one in table.entrants),)
    assert not separated(table)


def test_ranks_follow_from_the_pairs_that_are_separated() -> None:
    table = rank_table(season(4, rounds=5, gap=0.35))
    beats = separated(table)
    assert 0 < len(beats) < 6
    for line in table.entrants:
        assert line.rank_low == 1 + sum(worse == line.entrant for _, worse in beats)
        assert line.rank_high == 4 - sum(better == line.entrant for better, _ in beats)
        assert line.rank_low <= line.place <= line.rank_high
    for run in table.not_separated:
        assert not any((a, b) in beats for a, b in combinations(run, 2))


def test_a_deal_played_at_many_tables_counts_once() -> None:
    """Playing each deal six times over adds tables, not evidence."""
    once, often = season(5, gap=0.2), season(5, gap=0.2, repeats=6)
    widths = []
    for blocks in (once, often, [Block(b.cell, (game,)) for b in often for game in b.games]):
        table = rank_table(blocks, replicates=200)
        widths.append(
            sum(d.high - d.low for d in table.differences if d.low is not None and d.high)
            / max(abs(d.mu) for d in table.differences)
        )
    by_block, repeated, by_game = widths
    assert repeated == pytest.approx(by_block, rel=0.25)
    assert by_game < 0.6 * by_block


def test_intervals_from_blocks_hold_where_those_from_games_do_not() -> None:
    """Equals, deals played sixteen times over: any separation is false."""
    false_by_block = false_by_game = 0
    seasons = 40
    for seed in range(seasons):
        blocks = season(100 + seed, rounds=8, entrants="abc", repeats=16)
        apart = [Block(one.cell, (game,)) for one in blocks for game in one.games]
        false_by_block += bool(separated(rank_table(blocks, replicates=100)))
        false_by_game += bool(separated(rank_table(apart, replicates=100)))
    assert false_by_block <= 0.15 * seasons
    assert false_by_game >= 0.3 * seasons


def test_the_interval_of_a_rating_holds_from_few_blocks_on() -> None:
    """The percentiles of the draws held 84 in 100: they take the spread of six blocks as known."""
    held = told = 0
    for seed in range(100):
        for row in rank_table(
            season(500 + seed, rounds=6, entrants="abc"), replicates=100
        ).entrants:
            assert row.low is not None
            assert row.high is not None
            held += row.low <= 25.0 <= row.high
            told += 1
    assert 0.93 * told <= held <= 0.99 * told, "equals are worth 25 each"


def test_the_interval_of_a_newcomer_has_the_freedom_of_its_own_blocks() -> None:
    """It played six blocks: that the others played sixty says nothing of how it varies."""
    held = 0
    for seed in range(40):
        rng = random.Random(800 + seed)
        old = season(seed, rounds=15)
        tables = [(*rng.sample("abcd", 2), "n") for _ in range(6)]
        new = [Block("n", tuple(tables_of(rng, table, "abcdn", 0.0))) for table in tables]
        [row] = [r for r in rank_table([*old, *new], replicates=100).entrants if r.entrant == "n"]
        assert row.low is not None
        assert row.high is not None
        held += row.low <= 25.0 <= row.high
    assert held >= 37


def test_a_rating_that_no_draw_moves_has_no_interval() -> None:
    game = Game.of("abc", (0, 1, 2))
    table = rank_table([Block("a/b/c", (game, game, game))] * 20, replicates=50)
    assert {(row.low, row.high) for row in table.entrants} == {(None, None)}


def test_a_few_blocks_that_all_agree_separate_nobody() -> None:
    """Resampling what never varied shows no spread at all."""
    game = Game.of("abc", (0, 1, 2))
    few = [Block("a/b/c", (game, game, game))] * 3
    assert set(intervals(rank_table(few)).values()) == {(1, 3)}
    assert set(intervals(rank_table(few * 20)).values()) == {(1, 1), (2, 2), (3, 3)}


def test_results_that_never_vary_are_rated_alike_in_every_draw() -> None:
    """As many games are drawn as were played, or draws would know less than the ratings do."""
    game = Game.of("abc", (0, 1, 2))
    found = resample([Block("a/b/c", (game, game, game))] * 6, replicates=20)
    for draw in found.replicates:
        assert draw == pytest.approx([one.mu for one in found.ratings], abs=found.resolution)


def test_results_that_never_vary_leave_the_other_intervals_alone() -> None:
    """A pair without any spread must not stretch what is said of the rest."""
    blocks = season(6, rounds=12, entrants="abc", gap=1.5)
    constant = [Block("x/y/z", (Game.of("xyz", (0, 1, 2)),) * 3)] * 20
    table = rank_table([*blocks, *constant])
    assert separated(table) == {*combinations("abc", 2), *combinations("xyz", 2)}


@pytest.mark.parametrize("blocks", [[], season(7, rounds=1, entrants="abc")])
def test_too_little_to_resample_leaves_every_rank_open(blocks: list[Block]) -> None:
    table = rank_table(blocks, entrants=["a", "b", "c"])
    assert set(intervals(table).values()) == {(1, 3)}
    assert all(line.low is None and line.high is None for line in table.entrants)
    assert all(pair.low is None and pair.high is None for pair in table.differences)
    assert table.replicates == 0


def test_one_entrant_has_the_only_rank() -> None:
    assert intervals(rank_table([], entrants=["solo"])) == {"solo": (1, 1)}
    assert rank_table([]).entrants == ()


def test_who_never_played_may_have_any_rank() -> None:
    table = rank_table(season(8, rounds=12, gap=1.5), entrants=["idle"])
    low, high = intervals(table)["idle"]
    assert (low, high) == (1, 5)


def test_islands_that_never_met_are_not_compared() -> None:
    """Both are centred on the same prior, which says nothing about either."""
    near = season(13, rounds=12, entrants="abc", gap=1.5)
    far = season(14, rounds=12, entrants="xyz", gap=1.5)
    assert separated(rank_table([*near, *far])) == {
        *combinations("abc", 2),
        *combinations("xyz", 2),
    }


def test_nothing_that_is_counted_goes_missing() -> None:
    blocks = season(9, rounds=3)
    table = rank_table(blocks, replicates=20)
    assert table.blocks == 12
    assert {line.blocks for line in table.entrants} == {9}
    assert {line.games for line in table.entrants} == {27}


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    resample(season(10), replicates=5, progress=lambda done, of: told.append((done, of)))
    assert told == [(k, 5) for k in range(1, 6)]


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0])
def test_a_confidence_that_is_no_probability_is_refused(confidence: float) -> None:
    with pytest.raises(RatingError, match="confidence"):
        rank_table(season(11), confidence=confidence)


def test_more_confidence_asks_for_wider_intervals() -> None:
    found = resample(season(12, gap=0.2), replicates=200)
    widths = [
        [d.high - d.low for d in table_of(found, level).differences if d.low is not None and d.high]
        for level in (0.5, 0.9, 0.99)
    ]
    assert all(a < b < c for a, b, c in zip(*widths, strict=True))


def test_a_probability_is_at_most_one_however_far_out() -> None:
    """The sum of a series passed it by a rounding, and a p-value of less than 0 is none."""
    seen = [within(t, freedom) for freedom in range(1, 400) for t in (4.0, 9.0, 30.0, 1e6)]
    assert max(seen) == 1.0
    assert min(seen) > 0.8


def test_student_quantiles_are_those_of_the_tables() -> None:
    for freedom, expected in ((1, 12.7062), (2, 4.3027), (9, 2.2622), (30, 2.0423), (10**6, 1.96)):
        assert student_quantile(0.95, freedom) == pytest.approx(expected, abs=1e-4)
    assert within(2.2622, 9) == pytest.approx(0.95, abs=1e-5)
    assert like_normal(0.0, 3) == 0.0
