"""The live preview: the given package, its traps avoided."""

from __future__ import annotations

from itertools import pairwise
from math import isfinite

import pytest
import trueskill

from tournaments.rating import Belief, Game, RatingError, SkillModel, rate
from tournaments.rating.preview import Preview, environment, package_update


def test_the_preview_of_one_game_is_close_to_the_published_rating() -> None:
    game = Game.of(["ann", "bob", "cyd"], (1, 0, 2))
    model = SkillModel(draw_probability=0.05)
    preview = Preview(["ann", "bob", "cyd"], model)
    preview.record(game)
    published = rate([game], model)
    assert [one.entrant for one in preview.ratings] == ["bob", "ann", "cyd"]
    for shown, final in zip(preview.ratings, published, strict=True):
        assert shown.mu == pytest.approx(final.mu, abs=1e-5)
        assert shown.sigma == pytest.approx(final.sigma, abs=1e-5)
        assert shown.games == 1


def test_tied_entrants_rate_alike_however_the_table_was_seated() -> None:
    """The package compares neighbours in listing order only."""
    shown = set()
    for seats in ("abc", "bca", "cab", "cba"):
        preview = Preview("abc", SkillModel(draw_probability=0.1))
        preview.record(Game.of(seats, (0, 0, 0)))
        shown.add(repr(preview.ratings))
    assert len(shown) == 1


def test_nobody_elses_environment_is_used_or_changed() -> None:
    before = repr(trueskill.global_env())
    trueskill.setup(mu=1000.0, sigma=1.0)
    try:
        preview = Preview("abc", SkillModel())
        preview.record(Game.of("abc", (0, 1, 2)))
        assert preview.ratings[0].mu < 40.0
        assert trueskill.global_env().mu == 1000.0
    finally:
        trueskill.setup()
    assert repr(trueskill.global_env()) == before


def test_a_thousand_wins_in_a_row_are_shown() -> None:
    preview = Preview("abc", SkillModel(draw_probability=0.0))
    for _ in range(1000):
        preview.record(Game.of("abc", (0, 1, 2)))
    assert all(isfinite(one.mu) and one.sigma > 0.0 for one in preview.ratings)
    assert preview.ratings[0].entrant == "a"


def test_a_result_that_the_package_cannot_digest_is_rated_all_the_same() -> None:
    """Along a ladder of entrants who mostly beat the next, first and last are too far apart."""
    ladder = [f"{place:02}" for place in range(40)]
    model = SkillModel(sigma=20.0, beta=1.0)
    preview = Preview(ladder, model)
    steps = list(pairwise(ladder))
    for pair in (*steps, *steps[::-1]):
        for number in range(10):
            preview.record(Game.of(pair, (1, 0) if number == 5 else (0, 1)))
    known = {one.entrant: Belief(one.mu, one.sigma) for one in preview.ratings}
    ends = [[known[ladder[0]]], [known[ladder[-1]]]]
    with pytest.raises(FloatingPointError):
        package_update(ends, (1, 0), environment(model))
    preview.record(Game.of([ladder[0], ladder[-1]], (1, 0)))
    after = {one.entrant: one for one in preview.ratings}
    assert after[ladder[0]].mu < known[ladder[0]].mu
    assert all(isfinite(one.mu) and one.sigma > 0.0 for one in preview.ratings)


def test_a_stranger_at_the_table_is_named() -> None:
    with pytest.raises(RatingError, match="'zoe'"):
        Preview("ab", SkillModel()).record(Game.of(["a", "zoe"], (0, 1)))


def test_a_preview_goes_on_from_the_ratings_of_what_was_played_before() -> None:
    """A run that is continued must not wait until every old game went through the package."""
    games = [Game.of("abc", order) for order in ((0, 1, 2), (1, 0, 2), (0, 2, 1))] * 50
    model = SkillModel(draw_probability=0.05)
    preview = Preview("abcd", model, rate(games, model))
    before = preview.ratings
    assert [one.entrant for one in before] == [one.entrant for one in rate(games, entrants="abcd")]
    assert {one.entrant: one.games for one in before} == {"a": 150, "b": 150, "c": 150, "d": 0}
    preview.record(Game.of("dab", (0, 1, 2)))
    after = {one.entrant: one for one in preview.ratings}
    assert after["d"].mu > 25.0
    assert (after["a"].games, after["d"].games) == (151, 1)
