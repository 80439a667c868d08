"""Conversations, reports and batches belong to somebody.

Those of before belong to whoever runs the program, as all did.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

_ID = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_SAID = sa.text("(turns > 0 OR asked)")
_SILENT = sa.text("turns = 0")


def upgrade() -> None:
    """Add the columns; lists are looked up by them."""
    for table in ("sessions", "reports", "batches"):
        op.add_column(table, sa.Column("person", _ID, nullable=False, server_default=""))
    for name, table in (
        ("listed", "sessions"),
        ("silent", "sessions"),
        ("reports_listed", "reports"),
        ("batches_listed", "batches"),
    ):
        op.drop_index(name, table)
    op.create_index(
        "listed",
        "sessions",
        ["person", "updated_at", "id"],
        sqlite_where=_SAID,
        postgresql_where=_SAID,
    )
    op.create_index(
        "silent",
        "sessions",
        ["person", "created_at"],
        sqlite_where=_SILENT,
        postgresql_where=_SILENT,
    )
    for table in ("reports", "batches"):
        op.create_index(f"{table}_listed", table, ["person", "created_at", "id"])
