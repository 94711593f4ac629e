"""A match as a fold over choices, its referee, and its record. No clock, no process, no socket."""

from referee.match.errors import RecordError, RecordMismatchError
from referee.match.faults import Fault, FaultKind, FaultMark, FaultReport
from referee.match.log import dump_match, load_matches
from referee.match.matches import Ending, FinishedDeal, Match, Result, Terms
from referee.match.notation import DealLine, dump_line, read_line
from referee.match.records import DealRecord, MatchRecord
from referee.match.referee import MatchReferee, Question, TableTerms
from referee.match.replay import deal_states, finished_deals, verify_line
from referee.match.verify import match_differences, verify_match

__all__ = [
    "DealLine",
    "DealRecord",
    "Ending",
    "Fault",
    "FaultKind",
    "FaultMark",
    "FaultReport",
    "FinishedDeal",
    "Match",
    "MatchRecord",
    "MatchReferee",
    "Question",
    "RecordError",
    "RecordMismatchError",
    "Result",
    "TableTerms",
    "Terms",
    "deal_states",
    "dump_line",
    "dump_match",
    "finished_deals",
    "load_matches",
    "match_differences",
    "read_line",
    "verify_line",
    "verify_match",
]
