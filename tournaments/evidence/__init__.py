"""Evidence from block scores: sequential tests, anytime-valid bounds, Elo for comparison."""

from tournaments.evidence.elo import (
    NELO,
    EloEstimate,
    elo_of_score,
    estimate,
    score_of_elo,
)
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
    NormalMixture,
    average,
    clipped_log_wealth,
    product,
    rejects,
    sign_log_e,
)

__all__ = [
    "NELO",
    "BlockTest",
    "Bounds",
    "Decision",
    "EloEstimate",
    "EloModel",
    "EvidenceError",
    "HedgedBetting",
    "Length",
    "Look",
    "NormalMixture",
    "Scores",
    "Summary",
    "average",
    "bounds",
    "clipped_log_wealth",
    "elo_llr",
    "elo_of_score",
    "estimate",
    "expected_length",
    "fixed_length",
    "mean_llr",
    "product",
    "rejects",
    "score_of_elo",
    "sign_log_e",
    "summarize",
    "t_llr",
]
