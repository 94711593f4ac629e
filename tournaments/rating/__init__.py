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
from tournaments.rating.luce import Strength, plackett_luce
from tournaments.rating.model import Belief, RatingError, SkillModel
from tournaments.rating.opinions import (
    Ahead,
    PlayedGame,
    Ranking,
    SecondOpinions,
    WithoutForfeits,
    second_opinions,
    without_forfeits,
)
from tournaments.rating.outlook import (
    order_probability,
    quality,
    win_probabilities,
    win_probability,
)
from tournaments.rating.ranks import (
    Difference,
    RankedEntrant,
    RankTable,
    rank_table,
    ranks_among,
    table_of,
)

__all__ = [
    "Ahead",
    "Batch",
    "Belief",
    "Block",
    "Difference",
    "Game",
    "Outcome",
    "PlayedGame",
    "RankTable",
    "RankedEntrant",
    "Ranking",
    "Rating",
    "RatingError",
    "Resampled",
    "SecondOpinions",
    "SkillModel",
    "Strength",
    "WithoutForfeits",
    "entrants_of",
    "fitted",
    "observed_draw_probability",
    "order_probability",
    "plackett_luce",
    "quality",
    "rank_table",
    "ranks_among",
    "rate",
    "resample",
    "second_opinions",
    "table_of",
    "tally",
    "teams_at",
    "update",
    "win_probabilities",
    "win_probability",
    "without_forfeits",
]
