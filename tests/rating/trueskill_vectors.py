"""Answers the questions about single updates, predictions and whole batches."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, permutations
from math import sqrt
from typing import Any

import trueskill
from vector_checks import Case, as_lists, is_number, largest_difference, two_digits

from tournaments.rating import (
    Batch,
    Belief,
    Game,
    Outcome,
    RatingError,
    SkillModel,
    order_probability,
    quality,
    tally,
    update,
    win_probabilities,
    win_probability,
)
from tournaments.rating.preview import environment, package_update

EXACT = "exact"
PACKAGE = ("package_default_backend", "package_engine")
PUBLISHED = "published_three_decimals"


def beliefs(team: Sequence[Sequence[float]]) -> list[Belief]:
    return [Belief(mu, sigma) for mu, sigma in team]


def tolerance_of(case: Case, name: str, default: float) -> float:
    stated = case.content.get("tolerance")
    value = stated.get(name, default) if isinstance(stated, dict) else default
    return float(value)


def judge_updates(case: Case) -> None:
    """Judges single updates: by our engine, by the package, and as published."""
    case.take("tolerance")
    case.tolerance = tolerance_of(case, EXACT, 1e-9)
    package = tolerance_of(case, PACKAGE[0], 1e-5)
    published = tolerance_of(case, PUBLISHED, 1e-3)
    for one in case.each("updates"):
        model = SkillModel(**one.take("params", {}))
        teams = [beliefs(team) for team in one.take("teams")]
        ranks = one.take("ranks")
        try:
            got: Any = as_lists(update(teams, ranks, model))
        except RatingError as error:
            got = type(error).__name__
        expected = one.take("expected")
        if isinstance(expected, str):
            one.report.judged += 1
            if isinstance(got, list):
                one.report.differs(one.name, "expected", expected, got)
        elif expected is not None:
            one.compare("expected", expected, got)
            # how well somebody else's implementation agreed: ours is held to the same tolerance
            one.take("independent_check_max_abs_diff")
        judge_package(one, teams, ranks, model, package)
        if "published" in one:
            one.compare("published", one.take("published"), got, published)
            two_digits(
                one,
                "published_max_abs_diff",
                largest_difference(one.content["published"], expected or got),
            )
    for one in case.each("draw_margins"):
        model = SkillModel(
            beta=one.take("beta", SkillModel().beta), draw_probability=one.take("draw_probability")
        )
        margin = model.draw_margin(one.take("players", 2))
        one.expect("expected", margin)
        one.expect("published", margin, 1e-6)
    judge_predictions(case)


def judge_package(
    one: Case, teams: list[list[Belief]], ranks: Any, model: SkillModel, tolerance: float
) -> None:
    """Judges what the package with its default backend makes of the same update."""
    if "package_default_backend" not in one:
        return
    recorded = one.take("package_default_backend")
    places = list(range(len(teams))) if ranks is None else ranks
    try:
        got: Any = as_lists(package_update(teams, places, environment(model)))
    except (FloatingPointError, ZeroDivisionError, ValueError) as error:
        got = type(error).__name__
    one.report.judged += 1
    if isinstance(recorded, str) or isinstance(got, str):
        if recorded != got:
            one.report.differs(one.name, "package_default_backend", recorded, got)
        return
    one.compare("package_default_backend", recorded, got, tolerance)
    expected = one.content.get("expected")
    if isinstance(expected, list):
        error = largest_difference(got, expected)
        two_digits(one, "default_backend_error", error)
        known_wrong = one.content.get("default_backend_error")
        if error > tolerance and not is_number(known_wrong):
            one.report.differs(one.name, "package against exact", expected, got)


def judge_predictions(case: Case) -> None:
    for one in case.each("match_quality"):
        model = SkillModel(**one.take("params", {}))
        got = quality([beliefs(team) for team in one.take("teams")], model)
        one.expect("expected", got)
        one.expect_shown("published", got)
    for one in case.each("win_probability_two_teams"):
        model = SkillModel(**one.take("params", {}))
        got = win_probability(beliefs(one.take("team1")), beliefs(one.take("team2")), model)
        one.expect("expected", got)
        one.expect_shown("published", got)
    for one in case.each("three_player_outcome_probability"):
        model = SkillModel(**one.take("params", {}))
        field = beliefs(one.take("ratings"))
        for order, expected in one.take("order_probability", {}).items():
            got = order_probability([field[int(seat)] for seat in order], model)
            one.compare(f"order_probability/{order}", expected, got)
        one.expect("win_probability", list(win_probabilities(field, model)))


def judge_batch(case: Case) -> None:
    """Judges data sets of whole tournaments."""
    case.take("tolerance")
    case.tolerance = tolerance_of(case, EXACT, 1e-7)
    package = tolerance_of(case, PACKAGE[1], 1e-4)
    for one in case.each("datasets"):
        DataSet(one).judge(package)


class DataSet:
    """One tournament of a file, with its entrants named so that names sort as numbers do."""

    def __init__(self, case: Case) -> None:
        self.case = case
        prior = case.take("prior", [25.0, 25.0 / 3.0])
        self.model = SkillModel(
            mu=prior[0],
            sigma=prior[1],
            beta=case.take("beta", 25.0 / 6.0),
            tau=case.take("tau", 0.0),
            draw_probability=case.take("draw_probability", 0.0),
        )
        entrants = case.take("entrants")
        labels = list(range(entrants)) if isinstance(entrants, int) else list(entrants)
        names = {str(label): f"{number:06}" for number, label in enumerate(labels)}
        self.entrants = sorted(names.values())
        self.priors = {
            names[str(label)]: Belief(*belief)
            for label, belief in zip(labels, case.take("priors") or [], strict=False)
        }
        self.played: list[Game] = []
        for game in case.take("games"):
            teams = tuple(tuple(names[str(member)] for member in team) for team in game["teams"])
            ranks = tuple(game.get("ranks", range(len(teams))))
            self.played += [Game(teams, ranks)] * game.get("count", 1)
        self.counted = tally(self.played)

    def judge(self, package: float) -> None:
        case = self.case
        expected = case.take("expected")
        solved, passes = self.solve(list(self.counted), 1e-12)
        case.compare("expected", expected, solved)
        if "passes_to_1e-12" in case:
            recorded = case.take("passes_to_1e-12")
            # a few more are rounding luck at the last digit
            case.compare("passes_to_1e-12", 0, max(0, passes - recorded), 0.25 * recorded + 2)
        checks = case.inner("checks") if "checks" in case else None
        if checks is not None:
            self.judge_checks(checks, expected, package)
            checks.close()
        if "online_one_pass_mu_for_three_orders" in case:
            self.judge_online(case.take("online_one_pass_mu_for_three_orders"))

    def solve(self, items: list[tuple[Outcome, float]], precision: float) -> tuple[list[Any], int]:
        batch = Batch([outcome for outcome, _ in items], self.entrants, self.model, self.priors)
        passes = batch.solve([count for _, count in items], precision)
        return as_lists(batch.beliefs), passes

    def judge_checks(self, checks: Case, expected: Any, package: float) -> None:
        """Repeats how the values were checked; the recorded deviations are others' rounding."""
        if "shuffled_item_order" in checks:
            checks.take("shuffled_item_order")
            got, _ = self.solve(list(self.counted[::-1]), 1e-11)
            checks.compare("shuffled_item_order", expected, got)
        if "one_message_per_game" in checks:
            checks.take("one_message_per_game")
            single: list[tuple[Outcome, float]] = [(game.outcome, 1.0) for game in self.played]
            got, _ = self.solve(single, 1e-11)
            checks.compare("one_message_per_game", expected, got)
        if "package_engine" in checks:
            checks.take("package_engine")
            checks.compare("package_engine", expected, self.by_package(), package)
        for key, _ in checks.take_matching("trueskillthroughtime"):
            checks.report.leaves_out(checks.name, key, "the deviation of another library")

    def by_package(self) -> list[list[float]]:
        """Returns the fixed point with the package in place of our engine."""
        env = environment(self.model)
        index = {name: number for number, name in enumerate(self.entrants)}
        prior = [self.priors.get(name, self.model.prior) for name in self.entrants]
        pi = [sigma**-2 for _, sigma in prior]
        tau = [mu * sigma**-2 for mu, sigma in prior]
        messages: dict[Outcome, list[tuple[float, float]]] = {}
        last, step = float("inf"), 1.0
        means = [mu for mu, _ in prior]
        for _ in range(400):
            for outcome, count in self.counted:
                self.renew(outcome, count * 1.0, messages, (pi, tau), index, env, step)
            weights = [sigma**-2 for _, sigma in prior]
            if all(len({len(team) for team in outcome.teams}) == 1 for outcome, _ in self.counted):
                pull = sum(
                    w * (b.mu - t / p) for w, b, t, p in zip(weights, prior, tau, pi, strict=True)
                )
                delta = pull / sum(weights)
                tau = [t + delta * (p - w) for t, p, w in zip(tau, pi, weights, strict=True)]
                for kept in messages.values():
                    kept[:] = [(a, b + a * delta) for a, b in kept]
            before, means = means, [t / p for t, p in zip(tau, pi, strict=True)]
            change = largest_difference(before, means)
            if change < 1e-7:
                break
            step = step if change < 0.7 * last else max(0.1, 0.7 * step)
            last = change
        return [[mean, 1.0 / sqrt(p)] for mean, p in zip(means, pi, strict=True)]

    def renew(
        self,
        outcome: Outcome,
        count: float,
        messages: dict[Outcome, list[tuple[float, float]]],
        totals: tuple[list[float], list[float]],
        index: dict[str, int],
        env: trueskill.TrueSkill,
        step: float,
    ) -> None:
        pi, tau = totals
        seats = [index[name] for team in outcome.teams for name in team]
        old = messages.get(outcome, [(0.0, 0.0)] * len(seats))
        cavities = [(pi[i] - a, tau[i] - b) for i, (a, b) in zip(seats, old, strict=True)]
        skills = iter([Belief(t / p, 1.0 / sqrt(p)) for p, t in cavities])
        rated = package_update([list(islice(skills, len(team))) for team in outcome.teams],
                               outcome.ranks, env)  # fmt: skip
        new = []
        for i, (a, b), (p, t), one in zip(
            seats, old, cavities, [one for team in rated for one in team], strict=True
        ):
            d_a = step * (one.sigma**-2 - p - a)
            d_b = step * (one.mu * one.sigma**-2 - t - b)
            pi[i] += count * d_a
            tau[i] += count * d_b
            new.append((a + d_a, b + d_b))
        messages[outcome] = new

    def judge_online(self, rows: list[list[float]]) -> None:
        """Judges one-pass values, which belong to some order that the file does not tell."""
        case, what = self.case, "online_one_pass_mu_for_three_orders"
        if len(self.played) > 6:
            case.report.leaves_out(case.name, what, "the file does not tell the orders")
            return
        possible = [self.online(order) for order in permutations(self.played)]
        for number, row in enumerate(rows):
            nearest = min(possible, key=lambda one: largest_difference(one, row))
            case.compare(f"{what}[{number}]", row, nearest)

    def online(self, order: Sequence[Game]) -> list[float]:
        known = {name: self.priors.get(name, self.model.prior) for name in self.entrants}
        for game in order:
            teams, ranks = game.outcome
            rated = update([[known[name] for name in team] for team in teams], ranks, self.model)
            for team, after in zip(teams, rated, strict=True):
                known.update(zip(team, after, strict=True))
        return [known[name].mu for name in self.entrants]
