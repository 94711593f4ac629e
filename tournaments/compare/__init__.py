"""Whether one entrant is better than another, and by how much, with as few deals as it takes."""

from tournaments.compare.comparison import Comparison, Contest
from tournaments.compare.designs import Pairing, block_seatings, comparison_schedule
from tournaments.compare.judges import ClaimJudge, ClaimPlan, Judge, Plan, RatioJudge, RatioPlan
from tournaments.compare.scoring import BlockScore, LeftOut, score_block
from tournaments.compare.verdicts import Claim, Verdict

__all__ = [
    "BlockScore",
    "Claim",
    "ClaimJudge",
    "ClaimPlan",
    "Comparison",
    "Contest",
    "Judge",
    "LeftOut",
    "Pairing",
    "Plan",
    "RatioJudge",
    "RatioPlan",
    "Verdict",
    "block_seatings",
    "comparison_schedule",
    "score_block",
]
