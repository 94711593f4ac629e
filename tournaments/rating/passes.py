"""The messages that outcomes send to the entrants of a batch, and one pass of renewing them.

Every outcome keeps one message (a, b) a seat, the precision it adds to the skill and the
precision times mean, however often it happened. Skills are lists of total precisions and
totals of precision times mean, indexed by entrant; a pass changes them in place.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from tournaments.rating.messages import NOTHING_KNOWN, Chain, ChainState, Message, compare
from tournaments.rating.model import SkillModel

Seating = tuple[tuple[int, ...], ...]
"""The sides of an outcome in finishing order, members by number."""

_Trio = tuple[int, int, int, bool, bool]
_TrioMessages = tuple[float, float, float, float, float, float, float, float]
_ContestMessages = tuple[tuple[Message, ...], ChainState]


class Trios:
    """The outcomes of three single entrants, the common case, with nothing general about it."""

    def __init__(self, model: SkillModel) -> None:
        self._noise = model.beta * model.beta
        self._margin = model.draw_margin(2)
        self._seats: list[_Trio] = []
        self._counts: list[float] = []
        self.messages: list[_TrioMessages] = []

    @staticmethod
    def takes(teams: Seating) -> bool:
        """Whether *teams* are three single entrants."""
        return len(teams) == 3 and all(len(team) == 1 for team in teams)

    def append(self, teams: Seating, ranks: Sequence[int]) -> None:
        """Adds an outcome that has not happened yet."""
        (first,), (second,), (third,) = teams
        self._seats.append((first, second, third, ranks[0] == ranks[1], ranks[1] == ranks[2]))
        self.messages.append((0.0,) * 8)

    def load(self, counts: Sequence[float], pi: list[float], pull: list[float]) -> None:
        """Sets how often each outcome happened and adds what they all say to the skills."""
        self._counts = list(counts)
        for seats, message, count in zip(self._seats, self.messages, self._counts, strict=True):
            for place in range(3):
                pi[seats[place]] += count * message[2 * place]
                pull[seats[place]] += count * message[2 * place + 1]

    def renew(self, pi: list[float], pull: list[float], step: float) -> None:
        """Moves every message once by *step*, from 0 to 1, of the way to its new value."""
        noise, margin = self._noise, self._margin
        messages, counts = self.messages, self._counts
        for number, (i, j, k, tied_above, tied_below) in enumerate(self._seats):
            count = counts[number]
            if count == 0.0:
                continue
            a_i, b_i, a_j, b_j, a_k, b_k, up, up_pull = messages[number]
            # without one copy of its own message each skill is what all other games say
            rest = pi[i] - a_i
            mean_i, var_i = (pull[i] - b_i) / rest, 1.0 / rest + noise
            rest = pi[j] - a_j
            mean_j, var_j = (pull[j] - b_j) / rest, 1.0 / rest + noise
            rest = pi[k] - a_k
            mean_k, var_k = (pull[k] - b_k) / rest, 1.0 / rest + noise
            own, own_pull = 1.0 / var_j, mean_j / var_j
            # two sweeps: with the pair's message kept from pass to pass, more gain nothing
            for _ in (1, 2):
                total = own + up
                to_i, to_i_pull, down, down_pull = compare(
                    var_i, mean_i, 1.0 / total, (own_pull + up_pull) / total, margin, tied_above
                )
                total = own + down
                up, up_pull, to_k, to_k_pull = compare(
                    1.0 / total, (own_pull + down_pull) / total, var_k, mean_k, margin, tied_below
                )
            to_j, to_j_pull = up + down, up_pull + down_pull
            share = 1.0 + noise * to_i
            d_a_i, d_b_i = step * (to_i / share - a_i), step * (to_i_pull / share - b_i)
            share = 1.0 + noise * to_j
            d_a_j, d_b_j = step * (to_j / share - a_j), step * (to_j_pull / share - b_j)
            share = 1.0 + noise * to_k
            d_a_k, d_b_k = step * (to_k / share - a_k), step * (to_k_pull / share - b_k)
            pi[i] += count * d_a_i
            pull[i] += count * d_b_i
            pi[j] += count * d_a_j
            pull[j] += count * d_b_j
            pi[k] += count * d_a_k
            pull[k] += count * d_b_k
            messages[number] = (
                a_i + d_a_i, b_i + d_b_i, a_j + d_a_j, b_j + d_b_j, a_k + d_a_k, b_k + d_b_k,
                up, up_pull,
            )  # fmt: skip


class Contests:
    """Outcomes of any shape: pairs, teams, or more than three sides."""

    def __init__(self, model: SkillModel) -> None:
        self._model = model
        self._noise = model.beta * model.beta
        self._seats: list[Seating] = []
        self._chains: list[Chain] = []
        self._counts: list[float] = []
        self.messages: list[_ContestMessages] = []

    def append(self, teams: Seating, ranks: Sequence[int]) -> None:
        """Adds an outcome that has not happened yet."""
        pairs = range(len(teams) - 1)
        between = Chain(
            [self._model.draw_margin(len(teams[j]) + len(teams[j + 1])) for j in pairs],
            [ranks[j] == ranks[j + 1] for j in pairs],
        )
        self._seats.append(teams)
        self._chains.append(between)
        self.messages.append(((NOTHING_KNOWN,) * sum(map(len, teams)), between.state))

    def load(self, counts: Sequence[float], pi: list[float], pull: list[float]) -> None:
        """Sets how often each outcome happened and adds what they all say to the skills."""
        self._counts = list(counts)
        for teams, (old, _), count in zip(self._seats, self.messages, self._counts, strict=True):
            for entrant, (a, b) in zip(chain.from_iterable(teams), old, strict=True):
                pi[entrant] += count * a
                pull[entrant] += count * b

    def renew(self, pi: list[float], pull: list[float], step: float) -> None:
        """Moves every message once by *step*, from 0 to 1, of the way to its new value."""
        for number, count in enumerate(self._counts):
            if count == 0.0:
                continue
            old = self.messages[number][0]
            new = self._renewed(number, pi, pull)
            moved = []
            seats = chain.from_iterable(self._seats[number])
            for entrant, (a, b), (new_a, new_b) in zip(seats, old, new, strict=True):
                d_a, d_b = step * (new_a - a), step * (new_b - b)
                pi[entrant] += count * d_a
                pull[entrant] += count * d_b
                moved.append((a + d_a, b + d_b))
            self.messages[number] = tuple(moved), self._chains[number].state

    def _renewed(
        self, number: int, pi: Sequence[float], pull: Sequence[float]
    ) -> tuple[Message, ...]:
        """Returns what one outcome says to each seat, by what all other games say."""
        old, state = self.messages[number]
        sides: list[list[tuple[float, float]]] = []
        taken = iter(old)
        for team in self._seats[number]:
            rests = [(pi[i] - a, pull[i] - b) for i, (a, b) in zip(team, taken, strict=False)]
            sides.append([(total / rest, 1.0 / rest) for rest, total in rests])
        means = [sum(mean for mean, _ in side) for side in sides]
        variances = [sum(own + self._noise for _, own in side) for side in sides]
        between = self._chains[number]
        between.state = state
        between.sweep(means, variances)
        new: list[Message] = []
        for place, side in enumerate(sides):
            precision, total = between.to_side(place)
            for mean, own in side:
                share = 1.0 + precision * (variances[place] - own)
                others = means[place] - mean
                new.append((precision / share, (total - precision * others) / share))
        return tuple(new)
