"""Answers and reports that are shared by a link."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

_ID = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_SECONDS: sa.REAL[float] = sa.REAL().with_variant(sa.Double(), "postgresql")


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "shares",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("person", _ID, nullable=False),
        sa.Column("created_at", _SECONDS, nullable=False),
        sa.Column("session", _ID, sa.ForeignKey("sessions.id", ondelete="CASCADE")),
        sa.Column("turn", sa.Text),
        sa.Column("report", _ID, sa.ForeignKey("reports.id", ondelete="CASCADE")),
    )
    op.create_index("shares_listed", "shares", ["person", "created_at"])
    op.create_index("shares_of_session", "shares", ["session"])
    op.create_index("shares_of_report", "shares", ["report"])
