"""What a record says in figures stands beside it, so that standings need not read it again.

Tables that are stored already have none; for them the record is read, as before.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Adds the column."""
    op.add_column("tables", sa.Column("figures", sa.Text, nullable=False, server_default=""))
