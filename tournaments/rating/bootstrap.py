"""How sure the ratings are: the batch rated again on resampled blocks.

The block is the unit because its tables share their deals. Blocks are drawn with replacement
within each cell of the schedule: one fewer than the cell has, each counting correspondingly
more (J. N. K. Rao and C. F. J. Wu, 1988), which keeps the variance right for small cells too.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tournaments.rating.batch import Batch, Rating, played, ranked
from tournaments.rating.games import (
    Block,
    Outcome,
    entrants_of,
    observed_draw_probability,
    tally,
)
from tournaments.rating.model import SkillModel

REPLICATES = 400
"""Enough for a 95 % quantile to move by a few hundredths of a standard error."""

_SMALL = 10
"""Cells with fewer blocks than this are drawn from together."""

_PRECISION = 1e-4
"""When a replicate has converged, in units of beta: far below any standard error."""


@dataclass(frozen=True, slots=True)
class Resampled:
    """The ratings, and what they would have been on other blocks."""

    ratings: tuple[Rating, ...]
    """Everybody, best first."""

    replicates: tuple[tuple[float, ...], ...]
    """The mean skills of each replicate, in the order of ``ratings``."""

    blocks: tuple[frozenset[str], ...]
    """Who played in each block."""

    islands: tuple[int, ...]
    """For each of ``ratings`` the island of entrants that games connect it with."""

    freedom: int
    """Blocks less strata: how many observations the spread of the replicates is from."""

    resolution: float
    """Differences below this, in rating points, are numerical noise."""


@dataclass(frozen=True, slots=True)
class _Stratum:
    """The blocks that may stand for each other, as counts of outcomes by number."""

    blocks: tuple[tuple[tuple[int, float], ...], ...]

    def draw(self, rng: random.Random, counts: list[float]) -> None:
        size = len(self.blocks)
        if size == 1:
            chosen, weight = [0], 1.0
        else:
            chosen, weight = rng.choices(range(size), k=size - 1), size / (size - 1)
        for number in chosen:
            for outcome, count in self.blocks[number]:
                counts[outcome] += weight * count


def resample(
    blocks: Sequence[Block],
    model: SkillModel | None = None,
    *,
    entrants: Sequence[str] = (),
    replicates: int = REPLICATES,
    progress: Callable[[int, int], None] | None = None,
) -> Resampled:
    """Rates *blocks* and rates resampled ones, the same for any order of blocks and games.

    The draws follow from the data: nobody can try seeds until a table looks right.

    Args:
        blocks: every block that was played.
        model: the skill model; left out, the default with the draw probability observed.
        entrants: who is to be listed even if unplayed.
        replicates: how often to draw.
        progress: told after each replicate how many are done, and of how many.
    """
    counted = tally(game for block in blocks for game in block.games)
    outcomes = [outcome for outcome, _ in counted]
    model = model or SkillModel(draw_probability=observed_draw_probability(counted))
    batch = Batch(outcomes, entrants_of(outcomes, entrants), model)
    batch.solve([count for _, count in counted])
    ratings = ranked(batch, played(batch.entrants, counted))
    place = {name: number for number, name in enumerate(batch.entrants)}
    order = [place[rating.entrant] for rating in ratings]
    drawn: list[tuple[float, ...]] = []
    strata, seed = _strata(blocks, outcomes)
    if len(blocks) > len(strata):
        rng = random.Random(seed)  # noqa: S311 - drawn from the data on purpose, nothing is secret
        for done in range(1, replicates + 1):
            counts = [0.0] * len(outcomes)
            for stratum in strata:
                stratum.draw(rng, counts)
            means = batch.resume(counts, _PRECISION * model.beta)
            drawn.append(tuple(means[i] for i in order))
            if progress is not None:
                progress(done, replicates)
    return Resampled(
        ratings=ratings,
        replicates=tuple(drawn),
        blocks=tuple(
            frozenset(name for game in block.games for team in game.teams for name in team)
            for block in blocks
        ),
        islands=tuple(batch.islands[i] for i in order),
        freedom=len(blocks) - len(strata),
        resolution=10.0 * _PRECISION * model.beta,
    )


def _strata(
    blocks: Sequence[Block], outcomes: Sequence[Outcome]
) -> tuple[tuple[_Stratum, ...], int]:
    """Returns the strata in canonical order, and a seed made of all that was played.

    A cell of a few blocks says little about its own spread, so small cells vary together, as
    if they repeated each other. That overstates the spread a little where they differ.
    """
    number = {outcome: position for position, outcome in enumerate(outcomes)}
    cells: dict[str, list[tuple[tuple[int, float], ...]]] = {}
    for block in blocks:
        counts = Counter(number[game.outcome] for game in block.games)
        cells.setdefault(block.cell, []).append(tuple(sorted(counts.items())))
    ordered = [(name, sorted(content)) for name, content in sorted(cells.items())]
    text = json.dumps([outcomes, ordered], separators=(",", ":"))
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big")
    strata = [tuple(content) for _, content in ordered if len(content) >= _SMALL]
    small = sorted(one for _, content in ordered if len(content) < _SMALL for one in content)
    if small:
        strata.append(tuple(small))
    return tuple(_Stratum(content) for content in strata), seed
