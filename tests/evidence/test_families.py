"""Several questions at once: nobody is found better by asking often."""

from __future__ import annotations

from math import exp, log

import pytest

from tournaments.evidence import EvidenceError, e_bh, holm


def test_holm_has_the_values_of_its_definition() -> None:
    # times 4, 3, 2, 1 in ascending order, then never falling
    assert holm([0.03, 0.005, 0.04, 0.01]) == pytest.approx((0.06, 0.02, 0.06, 0.03))


def test_holm_of_one_is_the_p_value_and_never_above_1() -> None:
    assert holm([0.3]) == (0.3,)
    assert holm([0.9, 0.8]) == (1.0, 1.0)
    assert holm([]) == ()


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_what_is_no_p_value_is_refused(p: float) -> None:
    with pytest.raises(EvidenceError, match="from 0 to 1"):
        holm([p])


def test_e_bh_lets_weaker_ones_pass_in_the_wake_of_others() -> None:
    # of 4 at 0.05: one alone needs 80, the second of two 40, the third of three 80/3
    es = [90.0, 41.0, 26.0, 1.0]
    assert e_bh([log(e) for e in es], 0.05) == (True, True, False, False)
    es[2] = 27.0
    assert e_bh([log(e) for e in es], 0.05) == (True, True, True, False)


def test_e_bh_of_one_is_villes_inequality() -> None:
    assert e_bh([log(20.0) + 1e-12], 0.05) == (True,)
    assert e_bh([log(19.9)], 0.05) == (False,)
    assert e_bh([], 0.05) == ()


def test_e_bh_refuses_a_rate_that_is_none() -> None:
    with pytest.raises(EvidenceError, match="alpha"):
        e_bh([exp(1.0)], 1.0)
