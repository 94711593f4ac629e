"""The tables of a store. One file holds one run.

This is what the newest migration leads to; a test compares the two.
"""

from __future__ import annotations

from sqlalchemy import (
    CheckConstraint,
    Column,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
)

SCHEMA_VERSION = "0002"
"""The newest migration. Versions are numbers of four digits, so that text order is their order."""

READABLE = ("0001", SCHEMA_VERSION)
"""The versions that can be read as they are. The first has no figures."""

METADATA = MetaData()

run = Table(
    "run",
    METADATA,
    Column("id", Integer, CheckConstraint("id = 1", name="only_one"), primary_key=True),
    Column("name", Text, nullable=False),
    # What must not change, as canonical JSON: rules, seed, entrants, clock and so on.
    Column("identity", Text, nullable=False),
    Column("code_version", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("host", Text, nullable=False),
    Column("checksum", Text, nullable=False),
)

tables = Table(
    "tables",
    METADATA,
    # The place in the schedule.
    Column("number", Integer, primary_key=True),
    Column("block", Integer, nullable=False),
    Column("lane", Integer, nullable=False),
    Column("seats", Text, nullable=False),
    Column(
        "state",
        Text,
        CheckConstraint("state IN ('played', 'void')", name="known_state"),
        nullable=False,
    ),
    Column("attempt", Integer, nullable=False),
    Column("ending", Text, nullable=False),
    Column("scores", Text, nullable=False),
    Column("places", Text, nullable=False),
    # JSON lines, compressed; deterministic. The hash is that of the text.
    Column("record", LargeBinary, nullable=False),
    Column("record_sha256", Text, nullable=False),
    # Measured times, compressed; no comparison looks at them.
    Column("timings", LargeBinary, nullable=False),
    Column("finished_at", Text, nullable=False),
    # The hash of this row and its faults, so that a flipped bit is found and the table named.
    Column("checksum", Text, nullable=False),
    # What the record says in figures, as JSON; empty if it has to be read for them.
    Column("figures", Text, nullable=False, server_default=""),
)

faults = Table(
    "faults",
    METADATA,
    Column(
        "table_number", Integer, ForeignKey("tables.number", ondelete="CASCADE"), primary_key=True
    ),
    Column("seq", Integer, primary_key=True),
    Column("seat", Integer, nullable=False),
    Column("entrant", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("deal", Integer, nullable=False),
    Column("decision", Integer, nullable=False),
    Column("question", Text, nullable=False),
    Column("detail", Text, nullable=False),
    Column("exit_status", Text, nullable=False),
    Column("stderr_tail", Text, nullable=False),
    Column("substitute", Text, nullable=False),
)

notes = Table(
    "notes",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("at", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("text", Text, nullable=False),
)
