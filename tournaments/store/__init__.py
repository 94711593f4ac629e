"""Where a run is kept. Only commands that need a store import this: a database library is slow."""

from tournaments.store.runs import Counts, Note, RunInfo
from tournaments.store.stores import Store

__all__ = ["Counts", "Note", "RunInfo", "Store"]
