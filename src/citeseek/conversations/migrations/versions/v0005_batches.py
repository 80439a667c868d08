"""Batches: many questions that were given at one time, in parts, with their answers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

_ID = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_SECONDS: sa.REAL[float] = sa.REAL().with_variant(sa.Double(), "postgresql")
_PLACE = sa.Integer().with_variant(sa.BigInteger(), "postgresql")


def upgrade() -> None:
    """Make their tables."""
    op.create_table(
        "batches",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("created_at", _SECONDS, nullable=False),
        sa.Column("updated_at", _SECONDS, nullable=False),
        sa.Column("began_at", _SECONDS, nullable=False, server_default="0"),
        sa.Column("total", _PLACE, nullable=False, server_default="0"),
        sa.Column("done", _PLACE, nullable=False, server_default="0"),
        sa.Column("failed", _PLACE, nullable=False, server_default="0"),
        sa.Column("parts", sa.Integer, nullable=False, server_default="0"),
        sa.Column("next", sa.Integer, nullable=False, server_default="0"),
        sa.Column("owner", sa.Text, nullable=False, server_default=""),
        sa.Column("beat_at", _SECONDS, nullable=False, server_default="0"),
        sa.Column("value", sa.LargeBinary, nullable=False),
    )
    op.create_index("batches_listed", "batches", ["created_at", "id"])
    is_open = sa.text("state IN ('queued', 'running')")
    op.create_index(
        "batches_open", "batches", ["beat_at"], sqlite_where=is_open, postgresql_where=is_open
    )
    whose = sa.ForeignKey("batches.id", ondelete="CASCADE")
    op.create_table(
        "batch_parts",
        sa.Column("batch", _ID, whose, primary_key=True),
        sa.Column("place", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("lines", sa.Integer, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False, server_default="0"),
        sa.Column("lost", sa.Integer, nullable=False, server_default="0"),
        sa.Column("job", _PLACE),
        sa.Column("ended_at", _SECONDS, nullable=False, server_default="0"),
        sa.Column("asked", sa.LargeBinary, nullable=False),
        sa.Column("answers", sa.LargeBinary),
    )
    op.create_index("batch_parts_ended", "batch_parts", ["batch", "ended_at"])
