"""Whether the ranking would be another: by another model, by points, or without some results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from tournaments.rating.batch import rate
from tournaments.rating.games import Game, Outcome
from tournaments.rating.luce import Strength, plackett_luce

MOST = 20
"""Entrants up to which the ranking is made again without each of them: every one is a batch."""


class PlayedGame(NamedTuple):
    """One game, with what second opinions ask of it."""

    block: int
    game: Game
    is_forfeited: bool


@dataclass(frozen=True, slots=True)
class Ranking:
    """A ranking made in another way, beside the published one."""

    way: str
    """``Plackett-Luce``, ``points a deal``, ``without forfeits`` or ``without`` and an entrant."""
    order: tuple[str, ...]
    """Everybody that is ranked in it, best first."""
    games: int
    """How many games it is from."""
    swaps: tuple[tuple[str, str], ...]
    """Every two whose order is another here: first who is ahead in the published ranking."""


@dataclass(frozen=True, slots=True)
class Ahead:
    """How often one entrant finished ahead of another, over the tables at which both sat."""

    entrant: str
    other: str
    tables: int
    ahead: float
    """Tables at which it took the better place; a tie counts as half."""


@dataclass(frozen=True, slots=True)
class SecondOpinions:
    """What else can be said of a ranking."""

    strengths: tuple[Strength, ...]
    """By Plackett and Luce's model, best first."""
    rankings: tuple[Ranking, ...]
    pairs: tuple[Ahead, ...]
    """Every two that met, in the published order, the one ahead in it first."""


def second_opinions(
    games: Sequence[PlayedGame], order: Sequence[str], points: Mapping[str, float | None]
) -> SecondOpinions:
    """Returns what other ways make of *games*: the same for any order of them.

    Args:
        games: Every game that was rated.
        order: The published ranking, best first.
        points: By entrant: its points a deal.
    """
    blocks: dict[int, list[Game]] = {}
    for number, game, _ in games:
        blocks.setdefault(number, []).append(game)
    strengths = plackett_luce(blocks, order)
    by_points = sorted(order, key=lambda name: (-(points[name] or 0.0), name))
    rankings = [
        _ranking("Plackett-Luce", [each.entrant for each in strengths], order, len(games)),
        _ranking("points a deal", by_points, order, len(games)),
    ]
    kept = [each for each in games if not each.is_forfeited]
    if len(kept) < len(games):
        counts = Counter(each.game.outcome for each in kept)
        rankings.append(_ranking("without forfeits", _rated(counts, order), order, len(kept)))
    if 2 < len(order) <= MOST:
        counts = Counter(each.game.outcome for each in games)
        for name in order:
            rest = [other for other in order if other != name]
            left = _without(counts, name)
            rankings.append(_ranking(f"without {name}", _rated(left, rest), rest, left.total()))
    return SecondOpinions(strengths, tuple(rankings), tuple(_pairs(games, order)))


def _rated(counts: Mapping[Outcome, int], entrants: Sequence[str]) -> list[str]:
    return [rating.entrant for rating in rate(dict(counts), entrants=entrants)]


def _without(counts: Mapping[Outcome, int], name: str) -> Counter[Outcome]:
    """Returns the outcomes of those who are left when *name* is struck from every game."""
    found: Counter[Outcome] = Counter()
    for outcome, count in counts.items():
        kept = [
            (team, rank)
            for team, rank in zip(outcome.teams, outcome.ranks, strict=True)
            if name not in team
        ]
        if len(kept) > 1:
            teams, ranks = zip(*kept, strict=True)
            found[Game(teams, ranks).outcome] += count
    return found


def _ranking(way: str, found: Sequence[str], order: Sequence[str], games: int) -> Ranking:
    place = {name: number for number, name in enumerate(found)}
    swaps = [(one, other) for one, other in combinations(order, 2) if place[other] < place[one]]
    return Ranking(way, tuple(found), games, tuple(swaps))


def _pairs(games: Iterable[PlayedGame], order: Sequence[str]) -> Iterable[Ahead]:
    place = {name: number for number, name in enumerate(order)}
    met: Counter[tuple[str, str]] = Counter()
    ahead: Counter[tuple[str, str]] = Counter()
    for (teams, ranks), count in Counter(each.game.outcome for each in games).items():
        for first, second in combinations(range(len(teams)), 2):
            (a,), (b,) = teams[first], teams[second]
            tie = ranks[first] == ranks[second]
            key, halves = ((a, b), 2 - tie) if place[a] < place[b] else ((b, a), int(tie))
            met[key] += count
            ahead[key] += halves * count
    for one, other in combinations(order, 2):
        if tables := met[one, other]:
            yield Ahead(one, other, tables, ahead[one, other] / 2)
