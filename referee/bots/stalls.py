"""Whether it was a stall of this host that broke something, and not the bot."""

from __future__ import annotations

from collections.abc import Sequence

from referee.bots.asks import Ask, StalledError
from referee.bots.clock import RunningClock

BREAKS = 1.0
"""Seconds that the host must have stalled for a lost connection to be taken for its doing. No bot
can stall it for so long by using the processors."""
JUST_AFTER = 5.0
"""Seconds after a stall in which a connection may still be found broken by it."""
MAX_REPEATS = 3
"""How often a question is asked again for stalls; when one more would be needed, the table is void
and played again."""


def broke_by_stall(clock: RunningClock, since: float) -> bool:
    """Whether a connection that is lost now was lost by a stall, and not by the bot.

    Args:
        clock: The time of this host.
        since: The running time from which on the bot had something to do.
    """
    return clock.stalled_since(min(since, clock.now() - JUST_AFTER)) >= BREAKS


def repeatable(asks: Sequence[Ask], stalled: float) -> list[Ask]:
    """Returns those of *asks* that are to be asked again because of a stall.

    Nobody is charged for the first time. Those that were asked again too often end their tables.

    Args:
        asks: What was out.
        stalled: How long the host has stalled by now, in all, in seconds.
    """
    again = []
    for ask in asks:
        ask.note_stalls(stalled)
        ask.repeats += 1
        if ask.repeats > MAX_REPEATS:
            ask.failed(
                StalledError(
                    f"decision {ask.question.number} could not be asked: this host stood still "
                    f"{ask.repeats} times while it was out; use fewer workers or an idle machine"
                )
            )
        else:
            again.append(ask)
    return again
