"""Ratings: pure functions from stored results to standings with their uncertainty.

The live preview, which needs the `trueskill` package, is `tournaments.rating.preview`.
"""

from tournaments.rating.batch import Batch, Rating, fitted, rate
from tournaments.rating.bootstrap import Resampled, resample
from tournaments.rating.engine import update
from tournaments.rating.games import (
    Block,
    Game,
    Outcome,
    entrants_of,
    observed_draw_probability,
    tally,
    teams_at,
)
from tournaments.rating.model import Belief, RatingError, SkillModel
from tournaments.rating.outlook import (
    order_probability,
    quality,
    win_probabilities,
    win_probability,
)
from tournaments.rating.ranks import Difference, RankedEntrant, RankTable, rank_table, table_of

__all__ = [
    "Batch",
    "Belief",
    "Block",
    "Difference",
    "Game",
    "Outcome",
    "RankTable",
    "RankedEntrant",
    "Rating",
    "RatingError",
    "Resampled",
    "SkillModel",
    "entrants_of",
    "fitted",
    "observed_draw_probability",
    "order_probability",
    "quality",
    "rank_table",
    "rate",
    "resample",
    "table_of",
    "tally",
    "teams_at",
    "update",
    "win_probabilities",
    "win_probability",
]
