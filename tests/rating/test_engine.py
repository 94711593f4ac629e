"""One update: exact where the package is not, and the same as the package where it is."""

from __future__ import annotations

from itertools import pairwise, permutations
from math import erf, isfinite, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.rating import (
    Belief,
    RatingError,
    SkillModel,
    order_probability,
    quality,
    update,
    win_probabilities,
    win_probability,
)
from tournaments.rating.gaussian import central_quantile, tie_correction, win_correction
from tournaments.rating.preview import environment, package_update

LADDER = SkillModel(tau=25 / 300, draw_probability=0.1)
"""The package's own defaults, under which its published values were made."""

NEW = SkillModel().prior
UNEQUAL = (Belief(30.0, 2.0), Belief(25.0, 3.0), Belief(20.0, 4.0))

# (teams, ranks, expected), from a 40-digit computation of the package's factor graph
UPDATES = [
    (
        ((NEW,), (NEW,)),
        (0, 1),
        (((29.395831692991518, 7.17147580700922),), ((20.60416830700849, 7.17147580700922),)),
    ),
    (
        ((NEW,), (Belief(50.0, 12.5),)),
        (0, 0),
        (((31.662301931668487, 7.137445989575196),), ((35.01065335821689, 7.910077115988939),)),
    ),
    (
        ((NEW,), (NEW,), (NEW,)),
        (0, 0, 0),
        (
            ((25.0, 5.698668238824483),),
            ((25.0, 5.695252857590046),),
            ((25.0, 5.698668238824483),),
        ),
    ),
    (
        tuple((one,) for one in UNEQUAL),
        (1, 2, 0),
        (
            ((29.35948401807064, 1.9060518859895927),),
            ((23.69547836114005, 2.7659542952969542),),
            ((24.87710098052622, 3.3732074732256665),),
        ),
    ),
    (
        tuple((one,) for one in UNEQUAL),
        (1, 1, 0),
        (
            ((29.006720800304606, 1.8924755092012069),),
            ((24.89927808268141, 2.6491641501644856),),
            ((24.146953221507466, 3.3625199425374457),),
        ),
    ),
    (
        ((Belief(15.0, 8.0), Belief(20.0, 6.0)), (Belief(25.0, 4.0), Belief(30.0, 3.0))),
        (0, 0),
        (
            ((21.570277269696383, 6.555891615064553), (23.69609283317519, 5.417810875775514)),
            ((23.35689605005423, 3.8329997325052547), (29.07544215918453, 2.930967618690195)),
        ),
    ),
    (
        ((NEW,), (NEW, NEW)),
        (0, 1),
        (
            ((33.73067114899642, 7.317365362867209),),
            ((16.26932885100357, 7.317365362867209), (16.26932885100357, 7.317365362867209)),
        ),
    ),
]


def close(got: object, expected: object, tolerance: float) -> bool:
    if isinstance(expected, tuple) and isinstance(got, tuple):
        return len(got) == len(expected) and all(
            close(a, b, tolerance) for a, b in zip(got, expected, strict=True)
        )
    assert isinstance(got, float)
    assert isinstance(expected, float)
    return abs(got - expected) <= tolerance


@pytest.mark.parametrize(("teams", "ranks", "expected"), UPDATES)
def test_an_update_agrees_with_forty_digit_arithmetic(teams, ranks, expected) -> None:
    assert close(update(teams, ranks, LADDER), expected, 1e-12)


@pytest.mark.parametrize(("teams", "ranks", "expected"), UPDATES)
def test_the_package_agrees_with_the_engine_where_its_backend_is_sound(
    teams, ranks, expected
) -> None:
    assert close(package_update(teams, ranks, environment(LADDER)), expected, 1e-5)


def test_eight_entrants_settle_to_the_fixed_point() -> None:
    got = update([(NEW,)] * 8, None, LADDER)
    assert close(got[0][0], (36.771095790397126, 5.749283833903912), 1e-12)
    assert close(got[3][0], (26.322178842186045, 4.874549062256956), 1e-12)


def test_a_tie_under_a_tiny_draw_probability_keeps_its_digits() -> None:
    """The package's backend is wrong in the third digit here."""
    ladder = SkillModel(tau=25 / 300, draw_probability=1e-5)
    (first,), (second,) = update([(NEW,), (NEW,)], (0, 0), ladder)
    assert close(first, (25.0, 6.455251952244656), 1e-12)
    assert close(second, (25.0, 6.455251952244656), 1e-12)


@pytest.mark.parametrize("gap", [300.0, -300.0, 3e4, -3e4, 3e6, -3e6])
@pytest.mark.parametrize("ranks", [(0, 1), (0, 0)])
def test_no_gap_is_too_wide(gap: float, ranks: tuple[int, int]) -> None:
    """The package raises for results this certain or this surprising."""
    (first,), (second,) = update(
        [(Belief(gap, 1.0),), (Belief(0.0, 1.0),)], ranks, SkillModel(draw_probability=0.1)
    )
    assert all(map(isfinite, (*first, *second)))
    assert 0.0 < first.sigma <= 1.0


def test_ranks_count_by_order_only_and_listing_is_the_order_without_them() -> None:
    teams = [(one,) for one in UNEQUAL]
    assert update(teams, None, LADDER) == update(teams, (3, 5, 90), LADDER)


def test_answers_come_in_the_order_asked() -> None:
    for order in permutations(range(3)):
        listed = update([(UNEQUAL[i],) for i in order], list(order), LADDER)
        for place, i in enumerate(order):
            assert listed[place] == update([(one,) for one in UNEQUAL], None, LADDER)[i]


def test_a_tie_is_refused_when_ties_are_impossible() -> None:
    with pytest.raises(RatingError, match="draw probability of 0"):
        update([(NEW,), (NEW,)], (0, 0), SkillModel(draw_probability=0.0))


@pytest.mark.parametrize("teams", [[], [(NEW,)], [(NEW,), ()]])
def test_a_game_of_nobody_is_refused(teams) -> None:
    with pytest.raises(RatingError):
        update(teams, None, LADDER)


beliefs = st.builds(Belief, st.floats(-100, 100), st.floats(0.01, 50))


@given(st.lists(beliefs, min_size=2, max_size=5), st.data())
def test_a_game_never_makes_anybody_less_known(field: list[Belief], data: st.DataObject) -> None:
    ranks = data.draw(
        st.lists(st.integers(0, 3), min_size=len(field), max_size=len(field)), label="ranks"
    )
    model = SkillModel(draw_probability=0.05)
    for before, (after,) in zip(
        field, update([(one,) for one in field], ranks, model), strict=True
    ):
        assert isfinite(after.mu)
        assert 0.0 < after.sigma <= before.sigma * (1 + 1e-12)


@given(st.floats(-30, 30), st.floats(-8, 1))
def test_corrections_stay_within_what_a_truncated_normal_allows(t: float, size: float) -> None:
    margin = 10.0**size
    v, w = win_correction(t)
    assert v >= 0.0
    assert v >= -t
    assert 0.0 <= w < 1.0
    v, w = tie_correction(t, margin)
    assert -margin - 1e-9 <= v + t <= margin + 1e-9
    assert -1e-12 <= w <= 1.0


def test_a_tie_correction_does_not_jump_where_its_methods_meet() -> None:
    near = [tie_correction(0.5, 0.0142 + 1e-7 * k) for k in range(300)]
    steps = [abs(b[1] - a[1]) for a, b in pairwise(near)]
    assert max(steps) < 10 * min(steps) + 1e-12


@pytest.mark.parametrize("p", [1e-9, 1e-5, 0.05, 0.5, 0.999])
def test_a_small_draw_margin_keeps_its_digits(p: float) -> None:
    assert erf(central_quantile(p) / sqrt(2.0)) == pytest.approx(p, rel=1e-14)


def test_draw_margins_are_those_of_the_published_model() -> None:
    assert SkillModel(draw_probability=0.1).draw_margin(2) == pytest.approx(0.7404665874521474)
    assert SkillModel(draw_probability=0.1).draw_margin(4) == pytest.approx(1.0471778904589504)


def test_predictions_agree_with_reference_values() -> None:
    model = SkillModel()
    assert quality([(NEW,)] * 4, model) == pytest.approx(0.08944271909999159, abs=1e-12)
    team, other = (Belief(26.0, 1.0), Belief(27.0, 2.0)), (Belief(25.0, 1.0), Belief(24.0, 3.0))
    assert win_probability(team, other, model) == pytest.approx(0.6683224865113638, abs=1e-12)
    a, b, c = UNEQUAL
    assert order_probability((b, c, a), model) == pytest.approx(0.027732715098265873, abs=1e-12)
    assert win_probabilities(UNEQUAL, model)[1] == pytest.approx(0.2169654008303363, abs=1e-12)


@given(st.lists(beliefs, min_size=3, max_size=3))
def test_the_six_orders_make_up_everything(field: list[Belief]) -> None:
    model = SkillModel()
    orders = {o: order_probability([field[i] for i in o], model) for o in permutations(range(3))}
    assert sum(orders.values()) == pytest.approx(1.0, abs=1e-9)
    for seat, first in enumerate(win_probabilities(field, model)):
        assert sum(p for o, p in orders.items() if o[0] == seat) == pytest.approx(first, abs=1e-9)
