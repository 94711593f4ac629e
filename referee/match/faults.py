"""What a bot can do wrong. A fault is data in the record, never an exception above the referee."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from referee.rules import Kind


class FaultKind(StrEnum):
    """What went wrong. The values are part of the record format."""

    TIMEOUT = "timeout"
    """No answer within the time allowed."""
    CRASHED = "crashed"
    """The process ended, or its connection closed."""
    PROTOCOL = "protocol"
    """An answer that does not fit the question, or a call that failed."""
    ILLEGAL = "illegal"
    """A well-formed choice that the rules refuse."""
    START = "start"
    """The bot did not start, or its handshake was refused."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What a bot did wrong, as the transport or the rules saw it."""

    kind: FaultKind
    detail: str
    """What happened, in one line."""
    exit_status: str = ""
    """``exit code 3`` or ``signal SIGSEGV`` when the process ended."""
    stderr_tail: str = ""
    """The last 4 KB of what the bot wrote to standard error."""


class FaultMark(NamedTuple):
    """Where in a deal a fault happened: the part of it that belongs to the record."""

    at: int
    """The choice of the deal, from 0, that the substitute stands for."""
    seat: int
    kind: FaultKind


class FaultReport(NamedTuple):
    """A fault with its place in the match."""

    fault: Fault
    seat: int
    deal: int
    """The number of the deal, from 0."""
    decision: int
    """The number of the decision in the match, from 1."""
    question: str
    """What was asked, in words, with the legal choices."""
    kind: Kind
    """What kind of choice that is."""
    substitute: str
    """The choice that was made in the bot's place; empty when the match was forfeited."""
