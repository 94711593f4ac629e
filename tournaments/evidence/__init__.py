"""Evidence from block scores: sequential tests, and bounds that hold at every look."""

from tournaments.evidence.families import e_bh, holm
from tournaments.evidence.gsprt import (
    Bounds,
    Length,
    bounds,
    expected_length,
    t_llr,
)
from tournaments.evidence.scores import EvidenceError, Scores
from tournaments.evidence.sequential import (
    MixtureBetting,
    NormalMixture,
)
from tournaments.evidence.tally import FLOOR, MeanSequence, Tally
from tournaments.evidence.two_sided import Direction, TwoSidedRun, TwoSidedTest

__all__ = [
    "FLOOR",
    "Bounds",
    "Direction",
    "EvidenceError",
    "Length",
    "MeanSequence",
    "MixtureBetting",
    "NormalMixture",
    "Scores",
    "Tally",
    "TwoSidedRun",
    "TwoSidedTest",
    "bounds",
    "e_bh",
    "expected_length",
    "holm",
    "t_llr",
]
