"""A run: its identity, the finished tables with their faults, and notes.

Written out and not taken from `tournaments.store.schema`, which will move on.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Makes the tables."""
    op.create_table(
        "run",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("identity", sa.Text, nullable=False),
        sa.Column("code_version", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("host", sa.Text, nullable=False),
        sa.Column("checksum", sa.Text, nullable=False),
        sa.CheckConstraint("id = 1", name="only_one"),
    )
    op.create_table(
        "tables",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("block", sa.Integer, nullable=False),
        sa.Column("lane", sa.Integer, nullable=False),
        sa.Column("seats", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("ending", sa.Text, nullable=False),
        sa.Column("scores", sa.Text, nullable=False),
        sa.Column("places", sa.Text, nullable=False),
        sa.Column("record", sa.LargeBinary, nullable=False),
        sa.Column("record_sha256", sa.Text, nullable=False),
        sa.Column("timings", sa.LargeBinary, nullable=False),
        sa.Column("finished_at", sa.Text, nullable=False),
        sa.Column("checksum", sa.Text, nullable=False),
        sa.CheckConstraint("state IN ('played', 'void')", name="known_state"),
    )
    op.create_table(
        "faults",
        sa.Column(
            "table_number",
            sa.Integer,
            sa.ForeignKey("tables.number", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("seq", sa.Integer, primary_key=True),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.Column("entrant", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("deal", sa.Integer, nullable=False),
        sa.Column("decision", sa.Integer, nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("detail", sa.Text, nullable=False),
        sa.Column("exit_status", sa.Text, nullable=False),
        sa.Column("stderr_tail", sa.Text, nullable=False),
        sa.Column("substitute", sa.Text, nullable=False),
    )
    op.create_table(
        "notes",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
    )
