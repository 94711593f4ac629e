"""Games as plain values, and the canonical form in which equal results are counted together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from tournaments.rating.model import RatingError, clamp_draw_probability

SeatedT = TypeVar("SeatedT", bound=str)


class Outcome(NamedTuple):
    """What happened, however the sides were listed: the key under which games are counted."""

    teams: tuple[tuple[str, ...], ...]
    """The sides in finishing order, tied ones by name; members by name."""

    ranks: tuple[int, ...]
    """The place of each side, from 0 and without gaps; equal is tied."""


def teams_at(seats: Sequence[SeatedT], sides: int) -> tuple[tuple[SeatedT, ...], ...]:
    """Returns by side who plays for it, each once, where those of a side do not sit together.

    >>> teams_at("abc", 3), teams_at("abab", 2), teams_at("abcd", 2)
    ((('a',), ('b',), ('c',)), (('a',), ('b',)), (('a', 'c'), ('b', 'd')))
    """
    return tuple(tuple(dict.fromkeys(seats[side::sides])) for side in range(sides))


@dataclass(frozen=True, slots=True)
class Game:
    """One finished game."""

    teams: tuple[tuple[str, ...], ...]
    """The members of each side, in any order; a single entrant is a team of one."""

    ranks: tuple[int, ...]
    """The place of each side: lower is better, equal is tied, gaps mean nothing."""

    def __post_init__(self) -> None:
        if len(self.teams) != len(self.ranks):
            raise RatingError(f"{len(self.teams)} sides need as many ranks, not {self.ranks!r}")
        if len(self.teams) < 2 or not all(self.teams):
            raise RatingError(f"a game needs two sides with members, not {self.teams!r}")
        members = [name for team in self.teams for name in team]
        if len(set(members)) != len(members):
            raise RatingError(f"an entrant has two seats in one rated game: {self.teams!r}")

    @classmethod
    def of(cls, entrants: Iterable[str], ranks: Iterable[int]) -> Game:
        """Returns a game in which everybody played for himself.

        >>> Game.of(["ann", "bob", "cyd"], [1, 0, 1]).outcome.teams
        (('bob',), ('ann',), ('cyd',))
        """
        return cls(tuple((name,) for name in entrants), tuple(ranks))

    @classmethod
    def at_table(cls, seats: Sequence[str], ranks: Sequence[int]) -> Game | None:
        """Returns the game of those who sat at a table, with the places of the sides.

        ``None`` where somebody is its own partner against two others: the model adds the skills of
        partners, and knows nothing of what it is worth to know what the partner will do.

        >>> Game.at_table(["ann", "bob", "cyd", "dan"], [2, 1]).outcome.teams
        (('bob', 'dan'), ('ann', 'cyd'))
        >>> Game.at_table(["ann", "bob", "ann", "dan"], [2, 1]) is None
        True
        """
        teams = teams_at(seats, len(ranks))
        alike = len({len(team) for team in teams}) == 1
        return cls(teams, tuple(ranks)) if alike else None

    @property
    def outcome(self) -> Outcome:
        """The canonical form."""
        sides = sorted(
            (rank, tuple(sorted(team))) for rank, team in zip(self.ranks, self.teams, strict=True)
        )
        dense = {rank: place for place, rank in enumerate(sorted(set(self.ranks)))}
        return Outcome(tuple(team for _, team in sides), tuple(dense[rank] for rank, _ in sides))


@dataclass(frozen=True, slots=True)
class Block:
    """Games that share their deals: one observation, however many tables it has."""

    cell: str
    """The place in the schedule; blocks of a cell are repetitions of each other."""

    games: tuple[Game, ...]


Tally = tuple[tuple[Outcome, float], ...]
"""Every outcome with its count, in canonical order."""


def tally(games: Iterable[Game] | Mapping[Outcome, float]) -> Tally:
    """Returns the counts of *games*: the same for any order of play."""
    if isinstance(games, Mapping):
        counts: Mapping[Outcome, float] = games
    else:
        counts = Counter(game.outcome for game in games)
    return tuple(sorted((outcome, count) for outcome, count in counts.items() if count > 0))


def entrants_of(outcomes: Iterable[Outcome], also: Sequence[str] = ()) -> tuple[str, ...]:
    """Returns everybody who played, and *also* those who did not, by name."""
    names = {name for outcome in outcomes for team in outcome.teams for name in team}
    return tuple(sorted(names.union(also)))


def observed_draw_probability(counted: Tally) -> float:
    """Returns the share of neighbouring ranks that are tied, clamped to what can be rated."""
    tied = neighbours = 0.0
    for outcome, count in counted:
        neighbours += count * (len(outcome.ranks) - 1)
        tied += count * (len(outcome.ranks) - len(set(outcome.ranks)))
    return clamp_draw_probability(tied / neighbours if neighbours else 0.0)
