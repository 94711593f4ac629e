"""Answers the questions about sequential tests, Elo intervals and anytime-valid bounds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import sqrt

from vector_checks import Case, bins_of

from tests.rating.reference_bets import (
    HedgedBetting,
    clipped_log_wealth,
    sign_log_e,
    summarize,
)
from tests.rating.reference_elo import (
    NELO,
    elo_of_score,
    estimate,
    games_in_score,
    score_of_elo,
)
from tests.rating.reference_glicko2 import GlickoRating, after_period
from tests.rating.reference_sprt import (
    EloModel,
    elo_hypotheses,
    elo_llr,
    fixed_length,
    mean_llr,
    mean_llr_by_normal,
    mean_llr_by_spread,
    t_llr_approximate,
)
from tournaments.evidence import (
    Bounds,
    NormalMixture,
    Scores,
    bounds,
    expected_length,
    t_llr,
)


def judge_sprt(case: Case) -> None:
    """Judges log-likelihood ratios, bounds and lengths of sequential tests."""
    case.tolerance = 1e-6
    case.expect("normalized_elo_constant", NELO)
    for one in case.each("bounds"):
        limits = bounds(one.take("alpha"), one.take("beta"))
        one.expect("lower", limits.lower)
        one.expect("upper", limits.upper)
    for one in case.each("llr"):
        judge_llr(one)
    for one in case.each("generic_block_scores"):
        judge_generic(one)
    for one in case.each("expected_length"):
        judge_length(one)


def judge_llr(one: Case) -> None:
    counts, elo0, elo1 = bins_of(one), one.take("elo0"), one.take("elo1")
    model = EloModel(one.take("model"))
    scores, hypotheses = Scores.of_bins(counts), elo_hypotheses(counts, elo0, elo1, model)
    exact = elo_llr(counts, elo0, elo1, model)
    if model is EloModel.NORMALIZED:
        alt = t_llr_approximate(scores, *hypotheses, 0.5, games=games_in_score(len(counts)))
    else:
        alt = mean_llr_by_spread(scores, *hypotheses)
        alt2 = mean_llr_by_normal(scores, *hypotheses)
        one.expect("llr_alt2", alt2)
        one.expect_shown("published_alt2", alt2)
    one.expect("llr", exact)
    one.expect("llr_alt", alt)
    least = 0.01 if "1 percent" in str(one.content.get("source")) else 0.0
    one.expect_shown("published", exact, least)
    one.expect_shown("published_alt", alt, least)


def judge_generic(one: Case) -> None:
    scores = Scores.of_bins(one.take("counts"), one.take("scores"))
    if "s0" in one:
        hypotheses = one.take("s0"), one.take("s1")
        exact = mean_llr(scores, *hypotheses)
        one.expect("llr_alt", mean_llr_by_spread(scores, *hypotheses))
        one.expect("llr_alt2", mean_llr_by_normal(scores, *hypotheses))
    else:
        hypotheses = one.take("t0"), one.take("t1")
        reference = one.take("ref", one.take("reference", 0.0))
        exact = t_llr(scores, *hypotheses, reference)
        one.expect("llr_alt", t_llr_approximate(scores, *hypotheses, reference))
    one.expect("llr", exact)


def judge_length(one: Case) -> None:
    limits = bounds(one.take("alpha", 0.05), one.take("beta", 0.05))
    kind = one.take("elo_model")
    if kind == "normalized":
        judge_games(one, limits)
    elif kind == "t-value of block scores":
        judge_blocks(one, limits)
    else:
        one.report.differs(one.name, "elo_model", kind, "no answer: an unknown model")


def judge_games(one: Case, limits: Bounds) -> None:
    t0, t1, t = one.take("elo0") / NELO, one.take("elo1") / NELO, one.take("true") / NELO
    length = expected_length(t, t0, t1, limits)
    one.expect_close("expected_games", length.observations)
    one.expect("pass_probability", length.pass_probability)
    # means of simulations, which stop at whole games and not on the bound
    one.expect_shown("published_simulated_games", length.observations, 0.02)
    one.expect_shown("published_pass", length.pass_probability, 0.02)


def judge_blocks(one: Case, limits: Bounds) -> None:
    t0, t1 = one.take("t0"), one.take("t1")
    for name, t in (("H0", t0), ("mid", 0.5 * (t0 + t1)), ("H1", t1)):
        one.expect_close(f"expected_blocks_{name}", expected_length(t, t0, t1, limits).observations)
    for key, _ in one.take_matching("fixed_n_"):
        asked = re.fullmatch(r"fixed_n_(one|two)_sided_(0?\.\d+)_power_(0?\.\d+)", key)
        if asked is None:
            one.report.differs(one.name, key, one.content[key], "no answer: an unknown question")
            continue
        sides = 1 if asked[1] == "one" else 2
        one.expect_close(key, fixed_length(t1 - t0, float(asked[2]), float(asked[3]), sides))


def judge_elo(case: Case) -> None:
    """Judges Elo estimates and conversions, and the Glicko-2 example."""
    case.tolerance = 1e-6
    for one in case.each("intervals"):
        one.take("kind")
        found = estimate(bins_of(one))
        answers = {
            "score": found.score,
            "elo": found.elo,
            "elo_error95": found.elo_error,
            "nelo": found.nelo,
            "nelo_error95": found.nelo_error,
            "los": found.los,
        }
        for key, got in answers.items():
            one.expect_close(key, got)
        if "published" in one:
            shown = one.inner("published")
            for key, got in answers.items():
                shown.expect_shown(key, got)
            shown.close()
    for one in case.each("misc"):
        judge_conversion(one)
    if "glicko2" in case:
        judge_glicko(case.inner("glicko2"))


def judge_conversion(one: Case) -> None:
    """Judges a conversion: what is given is told by the fields that are there."""
    one.take("what")
    if "nelo" in one and ("counts_low_to_high" in one or "wins" in one):
        counts = bins_of(one)
        spread = sqrt(games_in_score(len(counts)) * Scores.of_bins(counts).variance)
        score = 0.5 + one.take("nelo") * spread / NELO
        one.expect("score", score)
        one.expect("elo", elo_of_score(score))
        one.expect_shown("published", elo_of_score(score))
    elif "score" in one and "elo" in one:
        elo = elo_of_score(one.content["score"])
        one.expect("score", score_of_elo(one.content["elo"]))
        one.expect_close("elo", elo)
        one.expect_shown("published", elo)
    else:
        one.report.differs(one.name, "what", one.content.get("what"), "no answer: unknown")


def judge_glicko(one: Case) -> None:
    one.take("what")
    games = [(GlickoRating(r, d), score) for r, d, score in one.take("opponents")]
    got = after_period(GlickoRating(*one.take("player")), games, one.take("tau", 0.5))
    # the worked example was rounded at every step, so its last digit is not sure
    one.expect_shown("expected", [got.rating, got.deviation, got.volatility], units=1.0)
    one.close()


def judge_sequential(case: Case) -> None:
    """Judges anytime-valid bounds and bets."""
    case.tolerance = 1e-9
    if "normal_mixture" in case:
        judge_mixture(case.inner("normal_mixture"))
    if "betting" in case:
        judge_betting(case.inner("betting"))
    for one in case.each("sign_beta_binomial"):
        one.expect("log_e", sign_log_e(one.take("wins"), one.take("losses")))
    if "clipped_betting_blocks" in case:
        one = case.inner("clipped_betting_blocks")
        path = clipped_log_wealth(blocks_of(one), one.take("clip"), one.take("truncation", 0.9))
        for n, expected in one.take("log_wealth_after", {}).items():
            one.compare(f"log_wealth_after/{n}", expected, path[int(n) - 1])
        one.close()
    if "summary_of_blocks" in case:
        one = case.inner("summary_of_blocks")
        found = summarize(
            blocks_of(one if "blocks" in one else case.inner("clipped_betting_blocks"))
        )
        for key, got in (("n", found.n), ("mean", found.mean), ("sd", found.sd), ("t", found.t)):
            one.expect(key, got)
        one.expect("decided", found.decided)
        one.close()


def judge_mixture(one: Case) -> None:
    one.take("rho_formula")
    mixture = NormalMixture.tuned(one.take("v_opt"), one.take("alpha", 0.05))
    one.expect("rho", mixture.rho)
    one.expect_shown("published_rho", mixture.rho)
    logs, limits = [], []
    for key, _ in one.take_matching("log_mixture_s"):
        total, variance = numbers_in(key, r"log_mixture_s(.+)_v(.+)")
        logs.append(mixture.log_e(total, variance))
        one.expect(key, logs[-1])
    for key, _ in one.take_matching("bound_v"):
        (variance,) = numbers_in(key, r"bound_v(.+)")
        limits.append(mixture.bound(variance))
        one.expect(key, limits[-1])
    if len(logs) == 1:
        one.expect_shown("published_log_mixture", logs[0])
    if len(limits) == 1:
        one.expect_shown("published_bound", limits[0])
    one.close()


def judge_betting(one: Case) -> None:
    scores = observations(one.take("x"))
    alpha = one.take("alpha", 0.05)
    at = one.inner("capital_at_n")
    looks = at.take("n", [])
    for key, expected in at.take_matching("m="):
        (mean,) = numbers_in(key, r"m=(.+)")
        path = HedgedBetting(alpha).capital(scores, mean)
        at.compare(key, expected, [path[n - 1] for n in looks])
    at.close()
    for key in [key for key in one.content if re.fullmatch(r"cs\d+_grid_\d+", key)]:
        level, grid = numbers_in(key, r"cs(\d+)_grid_(\d+)")
        inner = one.inner(key)
        betting = HedgedBetting(round(1.0 - level / 100.0, 6))
        found = [betting.interval(scores[:n], int(grid)) for n in inner.take("n")]
        inner.expect("lower", [low for low, _ in found])
        inner.expect("upper", [high for _, high in found])
        inner.close()
    one.close()


def blocks_of(one: Case) -> list[float]:
    return list(one.take("blocks")) * one.take("repeat", 1)


def observations(told: str | Sequence[float]) -> list[float]:
    """Returns the observations, which a file may give as the formula of a simple generator."""
    if not isinstance(told, str):
        return list(told)
    found = re.fullmatch(
        r"x_i = \(\(i\*(\d+)\) mod (\d+)\)/(\d+), i = (\d+)\.\.(\d+)", told.strip()
    )
    if found is None:
        raise ValueError(f"no observations can be made of {told!r}")
    factor, modulus, scale, first, last = map(int, found.groups())
    return [(i * factor) % modulus / scale for i in range(first, last + 1)]


def numbers_in(key: str, pattern: str) -> tuple[float, ...]:
    found = re.fullmatch(pattern, key)
    if found is None:
        raise ValueError(f"no numbers in the name {key!r}")
    return tuple(map(float, found.groups()))
