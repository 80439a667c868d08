"""A turn says which one it follows, and a conversation which one is the last that is shown.

Those of before say neither: each follows the one before it, and the newest is the last.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the columns."""
    op.add_column("turns", sa.Column("follows", sa.Text))
    op.add_column("sessions", sa.Column("head", sa.Text, nullable=False, server_default=""))
