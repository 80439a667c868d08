"""What Alembic runs before the steps: it is told of the connection and of the tables."""

from __future__ import annotations

from alembic import context

from citeseek.conversations.migrations import VERSION_TABLE
from citeseek.conversations.tables import TABLES

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=TABLES,
    version_table=VERSION_TABLE,
)
with context.begin_transaction():
    context.run_migrations()
