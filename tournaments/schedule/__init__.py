"""Who meets whom, where and in which order: values made before the first bot starts."""

from tournaments.schedule.blocks import Block, EntrantId, Schedule, Table, TableId
from tournaments.schedule.designs import check_entrants, round_robin

__all__ = [
    "Block",
    "EntrantId",
    "Schedule",
    "Table",
    "TableId",
    "check_entrants",
    "round_robin",
]
