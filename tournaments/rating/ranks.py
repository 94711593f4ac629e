"""Standings that say how sure they are: simultaneous rank intervals, and who is not separated.

Max-t over blocks (RATING.md 6.8; Mogstad, Romano, Shaikh and Wilhelm): with the stated
confidence *all* intervals of the table hold at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import ceil, fsum, log2, sqrt

from tournaments.rating.bootstrap import REPLICATES, Resampled, resample
from tournaments.rating.games import Block
from tournaments.rating.model import RatingError, SkillModel
from tournaments.rating.student import like_normal, student_quantile

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class RankedEntrant:
    """One line of the standings. Ratings and intervals are in rating points."""

    entrant: str
    place: int
    """The line in the table, from 1."""

    rank_low: int
    """The best rank that the evidence leaves open."""

    rank_high: int
    """The worst rank that the evidence leaves open."""

    mu: float
    """The mean skill. Only differences to others mean something."""

    low: float | None
    """Lower end of the interval of this mean skill by itself; None if too few blocks with this
    entrant are known to say, or if they do not vary."""

    high: float | None
    """Upper end of the interval of this mean skill by itself."""

    sigma: float
    """The uncertainty that the model states: not an error bar."""

    games: int
    blocks: int


@dataclass(frozen=True, slots=True)
class Difference:
    """How much better one entrant is than another, in rating points."""

    better: str
    worse: str
    mu: float
    low: float | None
    """Lower end of the simultaneous interval; None if too few blocks are known to say."""

    high: float | None
    """Upper end of the simultaneous interval."""

    @property
    def separated(self) -> bool:
        """Whether the evidence says which of the two is better."""
        return self.low is not None and self.low > 0.0


@dataclass(frozen=True, slots=True)
class RankTable:
    """Standings with their uncertainty."""

    entrants: tuple[RankedEntrant, ...]
    """Everybody, best first; equals by name."""

    differences: tuple[Difference, ...]
    """Every two entrants, in the order of the table."""

    not_separated: tuple[tuple[str, ...], ...]
    """The longest runs of neighbours in the table of whom no two are separated."""

    confidence: float
    """How sure it is that all rank intervals, or all differences, hold at once."""

    replicates: int
    blocks: int


def ranks_among(table: RankTable, names: Collection[str]) -> RankTable:
    """Returns *table* as it is among *names*: places and ranks count nobody else.

    Ratings, their intervals and differences stay as they are, as the others were rated too.
    """
    kept = [row for row in table.entrants if row.entrant in names]
    pairs = tuple(p for p in table.differences if p.better in names and p.worse in names)
    beats = {(pair.better, pair.worse) for pair in pairs if pair.separated}
    order = [row.entrant for row in kept]
    rows = []
    for place, row in enumerate(kept, 1):
        low, high = _open_ranks(row.entrant, order, beats)
        rows.append(replace(row, place=place, rank_low=low, rank_high=high))
    return replace(
        table,
        entrants=tuple(rows),
        differences=pairs,
        not_separated=_runs(order, beats),
    )


def _open_ranks(name: str, names: Sequence[str], beats: set[tuple[str, str]]) -> tuple[int, int]:
    """Returns the best and the worst rank of *name* among *names* that is left open."""
    low = 1 + sum((other, name) in beats for other in names)
    return low, len(names) - sum((name, other) in beats for other in names)


def rank_table(
    blocks: Sequence[Block],
    model: SkillModel | None = None,
    *,
    entrants: Sequence[str] = (),
    confidence: float = CONFIDENCE,
    replicates: int = REPLICATES,
    progress: Callable[[int, int], None] | None = None,
) -> RankTable:
    """Returns the standings of *blocks*: the same bytes for any order of blocks and games.

    Args:
        blocks: every block that was played.
        model: the skill model; left out, the default with the draw probability observed.
        entrants: who is to be listed even if unplayed.
        confidence: how sure all intervals are to hold at once.
        replicates: how often the blocks are drawn again.
        progress: told after each replicate how many are done, and of how many.

    Raises:
        RatingError: if a game is impossible under the model, or the confidence no probability.
    """
    if not 0.0 < confidence < 1.0:
        raise RatingError(f"confidence must be between 0 and 1, not {confidence!r}")
    resampled = resample(blocks, model, entrants=entrants, replicates=replicates, progress=progress)
    return table_of(resampled, confidence)


def table_of(resampled: Resampled, confidence: float = CONFIDENCE) -> RankTable:
    """Returns the standings that follow from ratings and their replicates."""
    differences = _differences(resampled, confidence)
    beats = {(pair.better, pair.worse) for pair in differences if pair.separated}
    ratings = resampled.ratings
    names = [rating.entrant for rating in ratings]
    lines = []
    for number, rating in enumerate(ratings):
        name = rating.entrant
        blocks = sum(name in block for block in resampled.blocks)
        low, high = _open_ranks(name, names, beats)
        half = _half_width(resampled, number, blocks, confidence)
        lines.append(
            RankedEntrant(
                entrant=name,
                place=number + 1,
                rank_low=low,
                rank_high=high,
                mu=rating.mu,
                low=None if half is None else rating.mu - half,
                high=None if half is None else rating.mu + half,
                sigma=rating.sigma,
                games=rating.games,
                blocks=blocks,
            )
        )
    return RankTable(
        entrants=tuple(lines),
        differences=differences,
        not_separated=_runs(names, beats),
        confidence=confidence,
        replicates=len(resampled.replicates),
        blocks=len(resampled.blocks),
    )


def _half_width(resampled: Resampled, number: int, blocks: int, confidence: float) -> float | None:
    """Returns half of the interval of one mean skill, of somebody who played so many *blocks*.

    It is Student's, with the freedom of its own blocks: their spread is only estimated, and the
    percentiles of the draws themselves held in 84 of 100 seasons of six blocks.
    """
    # Of a few blocks nothing can be drawn that differs much, and it would look like sureness.
    if blocks < _blocks_needed(1, confidence):
        return None
    error = _spread([draw[number] for draw in resampled.replicates])
    if error <= resampled.resolution:
        return None
    return student_quantile(confidence, min(blocks - 1, resampled.freedom)) * error


def percentile(ordered: Sequence[float], share: float) -> float | None:
    """Returns the value below which *share* of *ordered* lies, None of nothing."""
    if not ordered:
        return None
    position = share * (len(ordered) - 1)
    below = int(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (position - below) * (ordered[above] - ordered[below])


def _differences(resampled: Resampled, confidence: float) -> tuple[Difference, ...]:
    ratings, draws = resampled.ratings, resampled.replicates
    pairs = list(combinations(range(len(ratings)), 2))
    gaps = {(i, j): ratings[i].mu - ratings[j].mu for i, j in pairs}
    errors = {(i, j): _spread([draw[i] - draw[j] for draw in draws]) for i, j in pairs}
    # a pair that no draw moves says nothing of how far the others reach
    moving = [pair for pair in pairs if errors[pair] > resampled.resolution]
    worst = sorted(
        max((abs(draw[i] - draw[j] - gaps[i, j]) / errors[i, j] for i, j in moving), default=0.0)
        for draw in draws
    )
    reach = percentile(worst, confidence)
    if reach is not None:
        reach = like_normal(reach, resampled.freedom)
    played = Counter(name for block in resampled.blocks for name in block)
    found = []
    for i, j in pairs:
        better, worse, gap = ratings[i].entrant, ratings[j].entrant, gaps[i, j]
        shared = 1 if errors[i, j] > resampled.resolution else len(pairs)
        enough = min(played[better], played[worse]) >= _blocks_needed(shared, confidence)
        if reach is None or not enough or resampled.islands[i] != resampled.islands[j]:
            found.append(Difference(better, worse, gap, None, None))
        else:
            half = max(reach * errors[i, j], resampled.resolution)
            found.append(Difference(better, worse, gap, gap - half, gap + half))
    return tuple(found)


def _spread(values: Sequence[float]) -> float:
    """Returns the standard deviation, 0 of fewer than two values."""
    if len(values) < 2:
        return 0.0
    mean = fsum(values) / len(values)
    return sqrt(fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


def _blocks_needed(claims: int, confidence: float) -> int:
    """Returns how many blocks it takes before somebody can be told apart from others.

    Resampling a handful of blocks that all came out alike shows no spread at all. But n
    coins fall alike with probability 2^(1-n), so n blocks make nothing surer than that,
    shared by all the *claims* that hold at once.
    """
    return ceil(1.0 + log2(max(claims, 1) / (1.0 - confidence)))


def _runs(names: Sequence[str], beats: set[tuple[str, str]]) -> tuple[tuple[str, ...], ...]:
    """Returns the maximal runs of *names* in which nobody is separated from anybody."""
    runs: list[tuple[str, ...]] = []
    reached = 0
    for first in range(len(names)):
        end = first + 1
        while end < len(names) and not any(
            (names[k], names[end]) in beats for k in range(first, end)
        ):
            end += 1
        if end > reached:
            runs.append(tuple(names[first:end]))
            reached = end
    return tuple(runs)
