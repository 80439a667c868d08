"""How much each person uses, by day."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

_ID = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_PLACE = sa.Integer().with_variant(sa.BigInteger(), "postgresql")


def upgrade() -> None:
    """Make the table."""
    counted = ("searches", "pages", "answers", "reports", "model_calls")
    op.create_table(
        "usage",
        sa.Column("person", _ID, primary_key=True),
        sa.Column("day", sa.Text, primary_key=True),
        *(
            sa.Column(name, _PLACE, nullable=False, server_default="0")
            for name in (*counted, "input_tokens", "output_tokens")
        ),
    )
