"""The bidding laboratory: how everybody bids, what it is worth, and who bids too much."""

from tournaments.lab.estimates import Estimate, Moments
from tournaments.lab.examples import KINDS, Example
from tournaments.lab.findings import Finding
from tournaments.lab.laboratory import MEASURES, TOPICS, Figure, Laboratory, Measure, study
from tournaments.lab.observing import GROUPINGS

__all__ = [
    "GROUPINGS",
    "KINDS",
    "MEASURES",
    "TOPICS",
    "Estimate",
    "Example",
    "Figure",
    "Finding",
    "Laboratory",
    "Measure",
    "Moments",
    "study",
]
