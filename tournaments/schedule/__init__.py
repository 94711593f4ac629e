"""Who meets whom, where and in which order: values made before the first bot starts."""

from tournaments.schedule.blocks import Block, EntrantId, Schedule, Table, TableId
from tournaments.schedule.designs import check_entrants, round_robin
from tournaments.schedule.formats import DESIGNS, Format, house_bots, house_names, make_schedule

__all__ = [
    "DESIGNS",
    "Block",
    "EntrantId",
    "Format",
    "Schedule",
    "Table",
    "TableId",
    "check_entrants",
    "house_bots",
    "house_names",
    "make_schedule",
    "round_robin",
]
