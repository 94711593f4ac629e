"""Evidence from block scores: sequential tests, anytime-valid bounds, Elo for comparison."""

from tournaments.evidence.elo import (
    NELO,
    EloEstimate,
    elo_of_score,
    estimate,
    score_of_elo,
)
from tournaments.evidence.families import e_bh, holm
from tournaments.evidence.gsprt import (
    BlockTest,
    Bounds,
    Decision,
    EloModel,
    Length,
    Look,
    bounds,
    elo_llr,
    expected_length,
    fixed_length,
    mean_llr,
    t_llr,
)
from tournaments.evidence.scores import EvidenceError, Scores, Summary, summarize
from tournaments.evidence.sequential import (
    HedgedBetting,
    MixtureBetting,
    NormalMixture,
    clipped_log_wealth,
    sign_log_e,
)
from tournaments.evidence.tally import FLOOR, MeanSequence, Tally
from tournaments.evidence.two_sided import Direction, TwoSidedRun, TwoSidedTest

__all__ = [
    "FLOOR",
    "NELO",
    "BlockTest",
    "Bounds",
    "Decision",
    "Direction",
    "EloEstimate",
    "EloModel",
    "EvidenceError",
    "HedgedBetting",
    "Length",
    "Look",
    "MeanSequence",
    "MixtureBetting",
    "NormalMixture",
    "Scores",
    "Summary",
    "Tally",
    "TwoSidedRun",
    "TwoSidedTest",
    "bounds",
    "clipped_log_wealth",
    "e_bh",
    "elo_llr",
    "elo_of_score",
    "estimate",
    "expected_length",
    "fixed_length",
    "holm",
    "mean_llr",
    "score_of_elo",
    "sign_log_e",
    "summarize",
    "t_llr",
]
