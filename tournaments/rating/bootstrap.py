"""How sure the ratings are: the batch rated again on resampled blocks.

The block is the unit because its tables share their deals. Blocks are drawn with replacement
within each cell of the schedule: one fewer than the cell has, each counting correspondingly
more (J. N. K. Rao and C. F. J. Wu, 1988), which keeps the variance right for small cells too.

Of very many blocks a draw moves the ratings so little that they move in proportion, and the sum
over so many blocks is normal. Then the moves are drawn from the normal distribution that resampled
blocks would have given, see `influence`, and nothing is rated again.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt

from tournaments.rating.batch import Batch, Rating, played, ranked
from tournaments.rating.games import (
    Block,
    Game,
    Outcome,
    Tally,
    entrants_of,
    observed_draw_probability,
    tally,
)
from tournaments.rating.influence import Content, Influence, Matrix
from tournaments.rating.model import SkillModel

REPLICATES = 400
"""Enough for a 95 % quantile to move by a few hundredths of a standard error."""

_SMALL = 10
"""Cells with fewer blocks than this are drawn from together."""

_PRECISION = 1e-4
"""When a replicate has converged, in units of beta: far below any standard error."""

MANY = 300
"""Blocks, less strata, from which on the moves of the ratings may be taken as normal."""

NEAR = 0.1
"""Standard error of a mean, in units of beta, up to which it moves in proportion. There the spread
of a difference is mostly within 3 %, and always within 7 %, of that of replicates that are rated
again; 400 of them vary as much.
"""

_EXACT = 1e-5
"""What is numerical noise where nothing is rated again, in units of beta."""


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

    blocks: tuple[Content, ...]

    def draw(self, rng: random.Random, counts: list[float]) -> None:
        size = len(self.blocks)
        if size == 1:
            chosen, weight = [0], 1.0
        else:
            chosen, weight = rng.choices(range(size), k=size - 1), size / (size - 1)
        for number in chosen:
            for outcome, count in self.blocks[number]:
                counts[outcome] += weight * count


class _Played:
    """What was played, with every outcome as a number. Equal games may be one object."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        games: dict[int, Game] = {id(game): game for block in blocks for game in block.games}
        outcomes = {key: game.outcome for key, game in games.items()}
        counts: Counter[Outcome] = Counter()
        for key, count in Counter(id(game) for block in blocks for game in block.games).items():
            counts[outcomes[key]] += count
        self.counted: Tally = tally(counts)
        place = {outcome: number for number, (outcome, _) in enumerate(self.counted)}
        number = {key: place[outcome] for key, outcome in outcomes.items()}
        self.contents: list[Content] = [
            tuple(sorted(Counter(number[id(game)] for game in block.games).items()))
            for block in blocks
        ]

    def members(self) -> tuple[frozenset[str], ...]:
        """Returns who played in each block."""
        names = [
            frozenset(name for team in outcome.teams for name in team)
            for outcome, _ in self.counted
        ]
        return tuple(
            frozenset[str]().union(*(names[number] for number, _ in content))
            for content in self.contents
        )


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
    found = _Played(blocks)
    counted = found.counted
    outcomes = [outcome for outcome, _ in counted]
    model = model or SkillModel(draw_probability=observed_draw_probability(counted))
    batch = Batch(outcomes, entrants_of(outcomes, entrants), model)
    batch.solve([count for _, count in counted])
    ratings = ranked(batch, played(batch.entrants, counted))
    place = {name: number for number, name in enumerate(batch.entrants)}
    order = [place[rating.entrant] for rating in ratings]
    strata, seed = _strata(blocks, found)
    freedom = len(blocks) - len(strata)
    spread = _normal_spread(batch, counted, strata, model) if freedom >= MANY else None
    draws = _Draws(batch, strata, seed, model)
    drawn: list[tuple[float, ...]] = []
    for done in range(1, replicates + 1 if freedom else 1):
        means = draws.rated(len(outcomes)) if spread is None else draws.normal(spread)
        drawn.append(tuple(means[i] for i in order))
        if progress is not None:
            progress(done, replicates)
    return Resampled(
        ratings=ratings,
        replicates=tuple(drawn),
        blocks=found.members(),
        islands=tuple(batch.islands[i] for i in order),
        freedom=freedom,
        resolution=(10.0 * _PRECISION if spread is None else _EXACT) * model.beta,
    )


class _Draws:
    """The mean skills of one replicate after the other, in the order of the batch."""

    def __init__(
        self, batch: Batch, strata: Sequence[_Stratum], seed: int, model: SkillModel
    ) -> None:
        self._batch = batch
        self._strata = strata
        self._means = batch.means()
        self._precision = _PRECISION * model.beta
        self._rng = random.Random(seed)  # noqa: S311 - drawn from the data on purpose

    def rated(self, outcomes: int) -> list[float]:
        """Returns the mean skills by blocks that were drawn again."""
        counts = [0.0] * outcomes
        for stratum in self._strata:
            stratum.draw(self._rng, counts)
        return self._batch.resume(counts, self._precision)

    def normal(self, spread: Matrix) -> list[float]:
        """Returns mean skills that are spread as those would be."""
        luck = [self._rng.gauss(0.0, 1.0) for _ in self._means]
        return [
            mean + sum(share * each for share, each in zip(row, luck, strict=True))
            for mean, row in zip(self._means, spread, strict=True)
        ]


def _normal_spread(
    batch: Batch, counted: Tally, strata: Sequence[_Stratum], model: SkillModel
) -> Matrix | None:
    """Returns how the mean skills are spread, ``None`` if some do not move in proportion."""
    influence = Influence(counted, batch.entrants, batch.beliefs, model)
    spread = influence.spread([stratum.blocks for stratum in strata])
    widest = max(sqrt(sum(share * share for share in row)) for row in spread)
    return spread if widest <= NEAR * model.beta else None


def _strata(blocks: Sequence[Block], found: _Played) -> tuple[tuple[_Stratum, ...], int]:
    """Returns the strata in canonical order, and a seed made of all that was played.

    A cell of a few blocks says little about its own spread, so small cells vary together, as
    if they repeated each other. That overstates the spread a little where they differ.
    """
    cells: dict[str, list[Content]] = {}
    for block, content in zip(blocks, found.contents, strict=True):
        cells.setdefault(block.cell, []).append(content)
    ordered = [(name, sorted(contents)) for name, contents in sorted(cells.items())]
    outcomes = [outcome for outcome, _ in found.counted]
    text = json.dumps([outcomes, ordered], separators=(",", ":"))
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big")
    strata = [tuple(contents) for _, contents in ordered if len(contents) >= _SMALL]
    small = sorted(one for _, contents in ordered if len(contents) < _SMALL for one in contents)
    if small:
        strata.append(tuple(small))
    return tuple(_Stratum(contents) for contents in strata), seed
