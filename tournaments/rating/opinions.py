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
    """Everybody that is ranked in it, best first; of who has no game in it nothing is said."""
    games: int
    """How many games it is from."""
    swaps: tuple[tuple[str, str], ...]
    """Every two of these whose order is another here: first who is ahead in the published one."""


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


class WithoutForfeits(NamedTuple):
    """The ranking as if the games that somebody forfeited had not been played."""

    order: tuple[str, ...]
    """Everybody who has games without them, best first."""
    forfeited: int
    """How many games, or tables of which no game is rated, were forfeited."""


def without_forfeits(played: Iterable[tuple[Game | None, bool]]) -> WithoutForfeits:
    """Returns what is left without forfeits: the same for any order of *played*.

    Args:
        played: By table: the game, or ``None`` if none is rated, and whether it was forfeited.
    """
    kept: Counter[Game] = Counter()
    forfeited = 0
    for game, is_forfeited in played:
        if is_forfeited:
            forfeited += 1
        elif game is not None:
            kept[game] += 1
    return WithoutForfeits(tuple(_rated(_outcomes(kept))), forfeited)


def _outcomes(games: Mapping[Game, int]) -> Counter[Outcome]:
    counts: Counter[Outcome] = Counter()
    for game, count in games.items():
        counts[game.outcome] += count
    return counts


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
    known = {name: each for name in order if (each := points[name]) is not None}
    by_points = sorted(known, key=lambda name: (-known[name], name))
    by_strength = [each.entrant for each in strengths if each.blocks]
    rankings = [
        _ranking("Plackett-Luce", by_strength, order, len(games)),
        _ranking("points a deal", by_points, order, len(games)),
    ]
    clean, forfeited = without_forfeits((each.game, each.is_forfeited) for each in games)
    if forfeited:
        rankings.append(_ranking("without forfeits", clean, order, len(games) - forfeited))
    if 2 < len(order) <= MOST:
        counts = Counter(each.game.outcome for each in games)
        for name in order:
            left = _without(counts, name)
            rankings.append(_ranking(f"without {name}", _rated(left), order, left.total()))
    return SecondOpinions(strengths, tuple(rankings), tuple(_pairs(games, order)))


def _rated(counts: Mapping[Outcome, int]) -> list[str]:
    """Returns who plays in *counts*, best first: of who does not there is nothing to be rated."""
    return [rating.entrant for rating in rate(dict(counts))]


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
    pairs = combinations([name for name in order if name in place], 2)
    swaps = [(one, other) for one, other in pairs if place[other] < place[one]]
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
