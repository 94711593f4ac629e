"""How bots are asked, and what they may take: the same for a single match and for a tournament."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

MAX_BATCH = 256
"""The most decisions that are out to one process at a time."""
NETWORK = 0.25
"""What the way to a remote bot and back may usually take, in seconds."""
CALL_MARGIN = 5.0
"""Seconds by which the deadline of a call lies behind our own judgement of it."""

LONG_MOVE = 5.0
"""The move time from which on a clock is long, in seconds: what freezing a bot costs, about five
milliseconds a turn, is then a thousandth of it."""


class CallStyle(StrEnum):
    """How decisions are put to bots."""

    AUTO = "auto"
    """Over the stream where the bot serves it, else by as many calls at a time as it takes."""
    UNARY = "unary"
    """By unary calls, one at a time."""
    STREAM = "stream"


@dataclass(frozen=True, slots=True)
class ClockTerms:
    """What a bot may take. Times are seconds.

    A bot's clock runs while it has an unanswered decision. It must answer the oldest one within the
    move time of the later of two moments: that decision was handed to the transport, and its
    previous answer arrived. With one decision in flight this is the ordinary move clock; with a
    batch it is one answer per move time, and a bot is not charged for waiting that we caused.
    """

    move_time: float = 2.0
    """For each decision."""
    bank: float | None = None
    """For a seat in a whole match, on top of the move times; ``None`` for no bank."""
    startup: float = 30.0
    """From the start of the process to its answer to the handshake."""
    first_move: float = 10.0
    """For the first decision of a process, in which it may warm up."""
    grace: float | None = None
    """What an answer may be late before it counts as late: the share of this host. ``None`` means
    that it is measured when the bots' arena is made."""
    network: float = 0.0
    """What an answer of a remote bot may be late on top of that, and what of its time is not taken
    from its bank: for the way there and back. Nothing to a bot on this host."""


@dataclass(frozen=True, slots=True)
class RemoteTerms:
    """How remote bots are reached."""

    tls: str | None = None
    """The folder with the arena's certificates; ``None`` if there are none."""
    dial_in: str | None = None
    """The folder of the gateway; ``None`` for the usual one."""


def freezes_idle_bots(clock: ClockTerms, tables: int | None, *, ponder: bool) -> bool:
    """Returns whether bots are stopped while they are not to move.

    Only where it costs little and helps: one table at a time, so that whoever thinks has the
    processors to itself, under a long clock.

    Args:
        clock: What a bot may take.
        tables: How many tables one process of ours plays at the same time; ``None`` if as many as
            turn out well.
        ponder: Whether bots may think in the time of others all the same.
    """
    return not ponder and tables == 1 and clock.move_time >= LONG_MOVE
