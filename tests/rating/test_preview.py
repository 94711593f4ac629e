"""The live preview: the given package, its traps avoided."""

from __future__ import annotations

from math import isfinite

import pytest
import trueskill

from tournaments.rating import Game, RatingError, SkillModel, rate
from tournaments.rating.preview import Preview


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
    preview = Preview("ab", SkillModel(mu=0.0, sigma=1000.0, beta=0.01))
    for _ in range(3):
        preview.record(Game.of("ab", (0, 1)))
        preview.record(Game.of("ab", (1, 0)))
    assert all(isfinite(one.mu) for one in preview.ratings)


def test_a_stranger_at_the_table_is_named() -> None:
    with pytest.raises(RatingError, match="'zoe'"):
        Preview("ab", SkillModel()).record(Game.of(["a", "zoe"], (0, 1)))
