"""Who reads a store is named to whoever has to wait for it."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from referee.errors import StoreError
from tournaments.store.database import APPLICATION_ID
from tournaments.store.digest import write_digest
from tournaments.store.readers import readers


def test_a_file_that_is_still_read_is_refused_with_the_process_that_reads_it(
    tmp_path: Path,
) -> None:
    store = tmp_path / "night.sqlite"
    open_store = sqlite3.connect(store)
    open_store.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    open_store.execute("PRAGMA journal_mode = wal")
    open_store.execute("CREATE TABLE things (name)")
    if Path("/proc/self/fd").exists():
        assert readers(store).startswith(f"process {os.getpid()} (")
    with pytest.raises(StoreError, match=r"is still read by .*process .*; let that end, and do"):
        write_digest(store)
    open_store.close()
    assert readers(store) == ""
    assert write_digest(store)
