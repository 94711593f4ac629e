"""One TrueSkill update, exact to rounding: any number of sides, ties and teams."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from tournaments.rating.messages import Chain, Message, compare
from tournaments.rating.model import Belief, RatingError, SkillModel

Team = Sequence[Belief]


def update(
    teams: Sequence[Team], ranks: Sequence[int] | None, model: SkillModel
) -> tuple[tuple[Belief, ...], ...]:
    """Returns what is believed of every member after a game, in the order of *teams*.

    Ties depend a little on the order in which tied sides are listed, an artefact of
    comparing neighbours only: list them by entrant id.

    Args:
        teams: the members of each side.
        ranks: the place of each side, lower is better, equal is tied; left out, the
            sides are listed from first to last.
        model: the skill model; its ``tau`` is added before the update.

    Raises:
        RatingError: if there are fewer than two sides, an empty one, or a tie under a
            draw probability of 0.
    """
    places = tuple(range(len(teams))) if ranks is None else tuple(ranks)
    check_sides([len(team) for team in teams], places, model)
    order = sorted(range(len(teams)), key=places.__getitem__)
    members = [[_widened(belief, model.tau) for belief in teams[side]] for side in order]
    means = [sum(mu for mu, _ in team) for team in members]
    noise = model.beta * model.beta
    variances = [sum(variance + noise for _, variance in team) for team in members]
    messages = _settled(members, [places[side] for side in order], means, variances, model)
    posterior: list[tuple[Belief, ...]] = [()] * len(teams)
    for side, team, mean, variance, message in zip(
        order, members, means, variances, messages, strict=True
    ):
        posterior[side] = _informed(team, mean, variance, message)
    return tuple(posterior)


def check_sides(sizes: Sequence[int], ranks: Sequence[int], model: SkillModel) -> None:
    """Checks that sides of these sizes can have finished in these places.

    Raises:
        RatingError: if not; the message says why.
    """
    if len(sizes) < 2:
        raise RatingError(f"a game needs two sides, not {len(sizes)}")
    if not all(sizes):
        raise RatingError("a side has no members")
    if len(ranks) != len(sizes):
        raise RatingError(f"{len(sizes)} sides need as many ranks, not {len(ranks)}")
    if model.draw_probability == 0.0 and len(set(ranks)) < len(ranks):
        raise RatingError("a tie is impossible under a draw probability of 0")


def _widened(belief: Belief, tau: float) -> tuple[float, float]:
    """Returns mean and variance after the time between two games."""
    mu, sigma = belief
    if not sigma > 0.0:
        raise RatingError(f"sigma must be above 0, not {sigma!r}")
    return mu, sigma * sigma + tau * tau


def _settled(
    members: Sequence[Sequence[tuple[float, float]]],
    places: Sequence[int],
    means: Sequence[float],
    variances: Sequence[float],
    model: SkillModel,
) -> list[Message]:
    """Returns what the result says of the performance of each side."""
    pairs = range(len(members) - 1)
    margins = [model.draw_margin(len(members[j]) + len(members[j + 1])) for j in pairs]
    tied = [places[j] == places[j + 1] for j in pairs]
    if len(members) == 2:
        up, up_pull, down, down_pull = compare(
            variances[0], means[0], variances[1], means[1], margins[0], tied[0]
        )
        return [(up, up_pull), (down, down_pull)]
    chain = Chain(margins, tied)
    chain.settle(means, variances)
    return [chain.to_side(side) for side in range(len(members))]


def _informed(
    team: Sequence[tuple[float, float]], mean: float, variance: float, message: Message
) -> tuple[Belief, ...]:
    """Returns the beliefs about the members once the side's performance is known better."""
    precision, pull = message
    share = 1.0 + variance * precision
    return tuple(
        Belief(
            mu + own * (pull - mean * precision) / share,
            sqrt(own * (1.0 - own * precision / share)),
        )
        for mu, own in team
    )
