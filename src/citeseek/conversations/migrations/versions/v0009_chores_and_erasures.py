"""What one process of all does now and then, and people who were erased a moment ago."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

_ID = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_PLACE = sa.Integer().with_variant(sa.BigInteger(), "postgresql")
_SECONDS: sa.REAL[float] = sa.REAL().with_variant(sa.Double(), "postgresql")


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "chores",
        sa.Column("name", _ID, primary_key=True),
        sa.Column("done_at", _SECONDS, nullable=False),
    )
    op.create_table(
        "erasures",
        sa.Column("place", _PLACE, primary_key=True),
        sa.Column("person", _ID, nullable=False),
        sa.Column("erased_at", _SECONDS, nullable=False),
    )
