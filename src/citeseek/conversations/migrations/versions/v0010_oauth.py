"""Programs to which people give access, and the tokens that they have of it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"

_ID = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_SECONDS: sa.REAL[float] = sa.REAL().with_variant(sa.Double(), "postgresql")


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "oauth_clients",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("created_at", _SECONDS, nullable=False),
        sa.Column("value", sa.LargeBinary, nullable=False),
    )
    op.create_index("oauth_clients_of_age", "oauth_clients", ["created_at"])
    op.create_table(
        "oauth_grants",
        sa.Column("id", _ID, primary_key=True),
        sa.Column("person", _ID, nullable=False),
        sa.Column("client", _ID, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("host", sa.Text, nullable=False),
        sa.Column("resource", sa.Text, nullable=False),
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("created_at", _SECONDS, nullable=False),
        sa.Column("used_at", _SECONDS, nullable=False, server_default="0"),
        sa.Column("expires_at", _SECONDS, nullable=False),
    )
    op.create_index("oauth_grants_listed", "oauth_grants", ["person", "created_at"])
    op.create_index("oauth_grants_of_client", "oauth_grants", ["client"])
    op.create_index("oauth_grants_ending", "oauth_grants", ["expires_at"])
    op.create_table(
        "oauth_tokens",
        sa.Column("hash", _ID, primary_key=True),
        sa.Column(
            "grant_id", _ID, sa.ForeignKey("oauth_grants.id", ondelete="CASCADE"), nullable=False
        ),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("expires_at", _SECONDS, nullable=False),
        sa.Column("used_at", _SECONDS, nullable=False, server_default="0"),
        sa.Column("value", sa.LargeBinary),
    )
    op.create_index("oauth_tokens_of_grant", "oauth_tokens", ["grant_id"])
    op.create_index("oauth_tokens_ending", "oauth_tokens", ["expires_at"])
