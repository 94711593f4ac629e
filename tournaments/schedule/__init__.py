"""Who meets whom, where and in which order: values made before the first bot starts."""

from tournaments.schedule.blocks import Block, EntrantId, Schedule, Table, TableId
from tournaments.schedule.designs import check_entrants, round_robin
from tournaments.schedule.formats import Format, check_format, house_bots, make_schedule

__all__ = [
    "Block",
    "EntrantId",
    "Format",
    "Schedule",
    "Table",
    "TableId",
    "check_entrants",
    "check_format",
    "house_bots",
    "make_schedule",
    "round_robin",
]
