"""The way from one version of the tables to the next; Alembic reads this folder."""
