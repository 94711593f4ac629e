"""Sequential tests of chess tools, which the reference values ask for and no command runs."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from math import log, sqrt

from tests.rating.reference_elo import (
    NELO,
    draw_elo,
    games_in_score,
    score_of_bayes_elo,
    score_of_elo,
)
from tournaments.evidence import EvidenceError, Scores, t_llr
from tournaments.evidence.gsprt import log_tilts, tilt
from tournaments.evidence.scores import mean_of
from tournaments.rating.gaussian import quantile


class EloModel(Enum):
    """What an Elo number means."""

    LOGISTIC = "logistic"
    NORMALIZED = "normalized"
    BAYESIAN = "bayesian"


def mean_llr(scores: Scores, s0: float, s1: float) -> float:
    """Returns the exact log-likelihood ratio of mean *s1* against mean *s0*.

    Raises:
        EvidenceError: if a mean is not strictly between the lowest and the highest score.
    """
    low, high = (
        log_tilts(pulls, tilt(scores.shares, pulls, s))
        for s in (s0, s1)
        for pulls in ([a - s for a in scores.values],)
    )
    return scores.total * mean_of([a - b for a, b in zip(low, high, strict=True)], scores.shares)


def mean_llr_by_spread(scores: Scores, s0: float, s1: float) -> float:
    """Returns the first approximation of `mean_llr`: the ratio of spreads round both means."""
    mean, variance = scores.mean, scores.variance
    around = [variance + (mean - s) ** 2 for s in (s0, s1)]
    if around[0] == around[1]:
        return 0.0
    return 0.5 * scores.total * log(around[0] / around[1])


def mean_llr_by_normal(scores: Scores, s0: float, s1: float) -> float:
    """Returns the second approximation of `mean_llr`: normal scores of the observed variance.

    Raises:
        EvidenceError: if the scores do not vary.
    """
    if scores.variance == 0.0:
        raise EvidenceError("scores that do not vary have no normal approximation")
    return scores.total * (s1 - s0) * (2.0 * scores.mean - s0 - s1) / (2.0 * scores.variance)


def t_llr_approximate(
    scores: Scores, t0: float, t1: float, reference: float = 0.0, *, games: int = 1
) -> float:
    """Returns the closed approximation of `t_llr`; 0 if the scores do not vary.

    Args:
        scores: the scores observed.
        t0: the t-value of one observation under H0.
        t1: the t-value of one observation under H1.
        reference: the score at which the t-value is 0.
        games: how many games an observation is made of. Chess tools approximate game by
            game, which is not quite the same as pair by pair.
    """
    if scores.variance == 0.0:
        return 0.0
    root = sqrt(games)
    t = (scores.mean - reference) / (root * sqrt(scores.variance))
    ratio = (1.0 + (t - t0 / root) ** 2) / (1.0 + (t - t1 / root) ** 2)
    return 0.5 * games * scores.total * log(ratio)


def elo_llr(
    counts: Sequence[float], elo0: float, elo1: float, model: EloModel = EloModel.NORMALIZED
) -> float:
    """Returns the exact log-likelihood ratio of two Elo differences.

    Args:
        counts: losses, draws, wins of games, or the five scores of pairs of games.
        elo0: the difference under H0.
        elo1: the difference under H1.
        model: what the differences mean; BayesElo is defined for single games only.
    """
    scores = Scores.of_bins(counts)
    low, high = elo_hypotheses(counts, elo0, elo1, model)
    if model is EloModel.NORMALIZED:
        return t_llr(scores, low, high, 0.5)
    return mean_llr(scores, low, high)


def elo_hypotheses(
    counts: Sequence[float], elo0: float, elo1: float, model: EloModel
) -> tuple[float, float]:
    """Returns two Elo differences as t-values of a score (normalized) or as mean scores.

    Raises:
        EvidenceError: if the model is not defined for these counts.
    """
    games = games_in_score(len(counts))
    if model is EloModel.NORMALIZED:
        return sqrt(games) * elo0 / NELO, sqrt(games) * elo1 / NELO
    if model is EloModel.LOGISTIC:
        return score_of_elo(elo0), score_of_elo(elo1)
    if games != 1:
        raise EvidenceError("BayesElo is defined for single games, not for pairs")
    loss, _, win = Scores.of_bins(counts).shares
    drawn = draw_elo(win, loss)
    return score_of_bayes_elo(elo0, drawn), score_of_bayes_elo(elo1, drawn)


def fixed_length(t: float, level: float, power: float, sides: int = 2) -> float:
    """Returns how many observations of t-value *t* a test of fixed length needs."""
    return (quantile(1.0 - level / sides) + quantile(power)) ** 2 / (t * t)
