"""The tables as they were made without a number of their own, in files with user_version 1."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_ID = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_SECONDS: sa.REAL[float] = sa.REAL().with_variant(sa.Double(), "postgresql")
_PLACE = sa.Integer().with_variant(sa.BigInteger(), "postgresql")


def upgrade() -> None:
    """Make them."""
    op.create_table(
        "sessions",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("mode", sa.Text, nullable=False),
        sa.Column("agent_id", sa.Text),
        sa.Column("created_at", _SECONDS, nullable=False),
        sa.Column("updated_at", _SECONDS, nullable=False),
        sa.Column("turns", sa.Integer, nullable=False, server_default="0"),
        sa.Column("value", sa.LargeBinary, nullable=False),
    )
    said = sa.text("turns > 0")
    op.create_index(
        "listed", "sessions", ["updated_at", "id"], sqlite_where=said, postgresql_where=said
    )
    op.create_table("turns", _place(), _session(), _value())
    op.create_index("turns_of", "turns", ["session"])
    for name in ("sources", "rounds"):
        number = sa.Column("place", sa.Integer, nullable=False)
        key = sa.PrimaryKeyConstraint("session", "place")
        op.create_table(name, _session(), number, _value(), key)
    url = sa.Column("url", sa.Text, nullable=False)
    unique = sa.UniqueConstraint("session", "url")
    op.create_table("files", _place(), _session(), url, _value(), unique)
    op.create_table("deleted", sa.Column("id", _ID, primary_key=True))


def _place() -> sa.Column[int]:
    return sa.Column("place", _PLACE, primary_key=True)


def _session() -> sa.Column[str]:
    return sa.Column(
        "session", _ID, sa.ForeignKey("sessions.id", ondelete="CASCADE"), nullable=False
    )


def _value() -> sa.Column[bytes]:
    return sa.Column("value", sa.LargeBinary, nullable=False)
