"""Reports that outlive the request for them: what was asked, their journal, events and result."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_ID = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_SECONDS: sa.REAL[float] = sa.REAL().with_variant(sa.Double(), "postgresql")
_PLACE = sa.Integer().with_variant(sa.BigInteger(), "postgresql")


def upgrade() -> None:
    """Make their tables."""
    op.create_table(
        "reports",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("created_at", _SECONDS, nullable=False),
        sa.Column("updated_at", _SECONDS, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False, server_default="0"),
        sa.Column("lost", sa.Integer, nullable=False, server_default="0"),
        sa.Column("owner", sa.Text, nullable=False, server_default=""),
        sa.Column("beat_at", _SECONDS, nullable=False, server_default="0"),
        sa.Column("job", _PLACE),
        sa.Column("value", sa.LargeBinary, nullable=False),
        sa.Column("error", sa.LargeBinary),
        sa.Column("result", sa.LargeBinary),
    )
    op.create_index("reports_listed", "reports", ["created_at", "id"])
    is_open = sa.text("state IN ('queued', 'running')")
    op.create_index(
        "reports_open", "reports", ["beat_at"], sqlite_where=is_open, postgresql_where=is_open
    )
    value = sa.LargeBinary
    op.create_table(
        "report_answers",
        _report(),
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("value", value, nullable=False),
    )
    op.create_table(
        "report_events",
        _report(),
        sa.Column("place", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("value", value, nullable=False),
    )


def _report() -> sa.Column[str]:
    whose = sa.ForeignKey("reports.id", ondelete="CASCADE")
    return sa.Column("report", _ID, whose, primary_key=True)
