"""All games at once: nothing but the results decides the ratings."""

from __future__ import annotations

import random
from math import isfinite

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.rating import (
    Batch,
    Belief,
    Game,
    Rating,
    RatingError,
    SkillModel,
    entrants_of,
    fitted,
    observed_draw_probability,
    rate,
    tally,
)

FFA = "three seats"
PAIRS = "two pairs"

# (games with counts, expected) from an independent implementation in 40-digit arithmetic
THREE_GAMES = (
    [Game.of("abc", (0, 1, 2)), Game.of("acb", (0, 1, 2)), Game.of("bac", (0, 1, 2))],
    [
        (28.757963034349803, 3.97855044128566),
        (25.000000000000043, 3.761997293933225),
        (21.242036965650136, 3.978550441285652),
    ],
)


def season(games: int, seed: int, entrants: str = "abcdef") -> list[Game]:
    """Returns games of three, with ties and unequal entrants."""
    rng = random.Random(seed)
    skill = {name: 2.0 * place for place, name in enumerate(entrants)}
    found = []
    for _ in range(games):
        table = rng.sample(entrants, 3)
        points = [round(rng.gauss(skill[name], 4.0)) for name in table]
        found.append(Game.of(table, [-score for score in points]))
    return found


def by_name(ratings: tuple[Rating, ...]) -> dict[str, tuple[float, float]]:
    return {one.entrant: (one.mu, one.sigma) for one in ratings}


def test_the_fixed_point_is_that_of_the_reference() -> None:
    games, expected = THREE_GAMES
    got = by_name(rate(games, SkillModel(draw_probability=0.0)))
    for name, (mu, sigma) in zip("abc", expected, strict=True):
        assert got[name] == (pytest.approx(mu, abs=1e-10), pytest.approx(sigma, abs=1e-10))


def test_any_order_of_the_games_gives_the_same_bytes() -> None:
    games = season(200, seed=1)
    expected = repr(rate(games)).encode()
    for seed in range(10):
        random.Random(seed).shuffle(games)
        assert repr(rate(games)).encode() == expected


def test_the_order_of_seats_and_of_partners_does_not_matter() -> None:
    games = [
        Game((("a", "b"), ("c", "d")), (0, 1)),
        Game((("a", "c"), ("d", "b")), (1, 1)),
        Game((("d", "a"), ("b", "c")), (1, 0)),
    ]
    turned = [
        Game(tuple(team[::-1] for team in game.teams[::-1]), tuple(7 * r for r in game.ranks[::-1]))
        for game in games
    ]
    assert [game.outcome for game in games] == [game.outcome for game in turned]
    assert repr(rate(games)) == repr(rate(turned))


def test_counting_games_one_by_one_or_together_is_the_same() -> None:
    games = season(120, seed=2)
    model = fitted(games)
    counted = tally(games)
    assert repr(rate(dict(counted), model)) == repr(rate(games, model))
    single = Batch([game.outcome for game in games], entrants_of([o for o, _ in counted]), model)
    single.solve([1.0] * len(games))
    together = by_name(rate(games, model))
    for name, belief in zip(single.entrants, single.beliefs, strict=True):
        assert together[name] == pytest.approx(belief, abs=1e-9)


def test_equal_records_are_listed_by_name() -> None:
    games = [Game.of("cab", order) for order in ((0, 1, 2), (1, 2, 0), (2, 0, 1))]
    assert [one.entrant for one in rate(games)] == ["a", "b", "c"]


def test_the_means_stay_centred_on_the_prior() -> None:
    ratings = rate(season(300, seed=3))
    assert sum(one.mu for one in ratings) / len(ratings) == pytest.approx(25.0, abs=1e-9)


def test_strangers_who_never_met_are_each_centred() -> None:
    """Moving one island of entrants would not change any result either."""
    games = [Game.of("ab", (0, 1)), *season(50, seed=4, entrants="vwxyz")]
    got = by_name(rate(games))
    assert got["a"][0] + got["b"][0] == pytest.approx(50.0, abs=1e-9)
    assert sum(got[name][0] for name in "vwxyz") == pytest.approx(125.0, abs=1e-9)


@pytest.mark.parametrize(
    "game",
    [
        Game.of("ab", (0, 1)),
        Game.of("abc", (0, 1, 2)),
        Game.of("abc", (0, 0, 0)),
        Game.of("abcd", (0, 1, 2, 2)),
        Game((("a", "b"), ("c", "d")), (0, 1)),
        Game((("a",), ("b", "c")), (0, 1)),
    ],
    ids=repr,
)
@pytest.mark.parametrize("wins", [1, 100, 1_000, 1_000_000])
def test_the_same_result_a_thousand_times_gives_finite_ratings(game: Game, wins: int) -> None:
    """Equal results change their messages all at once and would swing for ever."""
    ratings = rate({game.outcome: wins})
    for one in ratings:
        assert isfinite(one.mu)
        assert 0.0 < one.sigma < 25.0 / 3.0
        assert one.games == wins
    if len(set(game.ranks)) == len(game.ranks):
        assert ratings[0].entrant == "a"
        assert ratings[0].mu > ratings[-1].mu + 5.0


def test_many_equal_wins_rate_as_the_same_wins_one_by_one() -> None:
    game = Game.of("abc", (0, 1, 2))
    batch = Batch([game.outcome] * 100, "abc", SkillModel())
    batch.solve([1.0] * 100)
    together = by_name(rate({game.outcome: 100}, SkillModel()))
    for name, belief in zip("abc", batch.beliefs, strict=True):
        assert together[name] == pytest.approx(belief, abs=1e-8)


def test_who_never_played_keeps_the_prior() -> None:
    got = by_name(rate([Game.of("ab", (0, 1))], entrants=["idle"]))
    assert got["idle"] == (pytest.approx(25.0), pytest.approx(25.0 / 3.0))


def test_nothing_played_is_no_error() -> None:
    assert rate([]) == ()
    assert [one.entrant for one in rate([], entrants=["b", "a"])] == ["a", "b"]


def test_what_was_known_before_counts() -> None:
    games = [Game.of("ab", (0, 1)), Game.of("ab", (1, 0))]
    got = by_name(rate(games, priors={"a": Belief(30.0, 0.5)}))
    assert got["a"][0] == pytest.approx(30.0, abs=0.1)
    assert 25.0 < got["b"][0] < 31.0


def test_the_draw_probability_is_the_share_of_tied_neighbours() -> None:
    games = [Game.of("abc", (0, 0, 1)), Game.of("abc", (0, 1, 2))]
    assert observed_draw_probability(tally(games)) == 0.25
    assert observed_draw_probability(tally(games[1:])) == 0.001
    assert observed_draw_probability(()) == 0.001
    assert observed_draw_probability(tally([Game.of("ab", (0, 0))])) < 1.0


def test_a_tie_under_a_draw_probability_of_nothing_is_refused() -> None:
    with pytest.raises(RatingError, match="draw probability of 0"):
        rate([Game.of("ab", (0, 0))], SkillModel(draw_probability=0.0))


def test_a_wandering_skill_is_refused_since_a_batch_has_no_time() -> None:
    with pytest.raises(RatingError, match="tau"):
        rate([Game.of("ab", (0, 1))], SkillModel(tau=0.1))


@pytest.mark.parametrize(
    ("teams", "ranks"),
    [
        ((("a",), ("a",)), (0, 1)),
        ((("a",),), (0,)),
        ((("a",), ()), (0, 1)),
        ((("a",), ("b",)), (0,)),
    ],
)
def test_a_game_that_cannot_have_been_is_refused(teams, ranks) -> None:
    with pytest.raises(RatingError):
        Game(teams, ranks)


games_of_three = st.builds(
    Game.of,
    st.permutations("abcd").map(lambda names: names[:3]),
    st.lists(st.integers(0, 2), min_size=3, max_size=3),
)


@given(st.lists(games_of_three, max_size=12), st.randoms(use_true_random=False))
def test_whatever_was_played_the_ratings_are_finite_and_free_of_order(
    games: list[Game], rng: random.Random
) -> None:
    ratings = rate(games)
    assert all(isfinite(one.mu) and 0.0 < one.sigma <= 25.0 / 3.0 + 1e-9 for one in ratings)
    rng.shuffle(games)
    assert repr(rate(games)) == repr(ratings)
