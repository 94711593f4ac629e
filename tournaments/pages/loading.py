"""The one match that a page or a screen shows, from wherever it is recorded."""

from __future__ import annotations

from itertools import islice

from referee.errors import ConfigError
from tournaments.pages.steps import Beside, Replay, replay_of, replay_of_line
from tournaments.reports.reading import (
    ChatDeal,
    entries,
    is_store,
    open_store,
    record_of,
    results,
)


def load_replay(where: str, table: str | None) -> Replay:
    """Returns the match at *where*; from a store also what its bots took and did wrong.

    Args:
        where: A file, a store, or ``-`` for standard input.
        table: The id of the match; may be left out where there is only one.

    Raises:
        ConfigError: if there are several, and *table* does not say which.
        NotFoundError: if there is no such file, or no such table in it.
        RecordError: if it cannot be read.
        RecordMismatchError: at a choice that the rules do not allow.
        StoreError: if a store is damaged.
    """
    if is_store(where):
        return _stored(where, table)
    first, *more = islice(entries(where, table), 2)
    if more:
        problem = "there are several; pass one chat line"
        if not isinstance(first, ChatDeal):
            problem = f"there are several matches; say which, like --table {first.table}"
        raise ConfigError(where, "--table", problem)
    if isinstance(first, ChatDeal):
        return replay_of_line(first.line, first.where)
    return replay_of(first)


def _stored(where: str, table: str | None) -> Replay:
    if table is None:
        raise ConfigError(where, "--table", "a run has many tables; say which, like --table 0.0")
    with open_store(where) as store:
        [result] = results(store, table)
        return replay_of(record_of(store, result), Beside.of(result.timings, result.faults))
