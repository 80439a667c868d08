"""What was looked for in the JSON of each row gets a column: the id of a turn, an open question.

The two databases read JSON in different ways, and what is damaged must stop neither of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

# Conversations may be long: so many rows at a time are in memory.
_ROWS = 200
_TURNS = sa.table("turns", sa.column("place"), sa.column("id"), sa.column("value"))
_SESSIONS = sa.table("sessions", sa.column("id"), sa.column("asked"), sa.column("value"))


def upgrade() -> None:
    """Add the columns and fill them."""
    op.add_column("turns", sa.Column("id", sa.Text, nullable=False, server_default=""))
    op.add_column(
        "sessions", sa.Column("asked", sa.Boolean, nullable=False, server_default=sa.false())
    )
    for place, turn in _rows(_TURNS, _TURNS.c.place):
        op.execute(
            sa.update(_TURNS).where(_TURNS.c.place == place).values(id=str(turn.get("id", "")))
        )
    for session_id, session in _rows(_SESSIONS, _SESSIONS.c.id):
        if session.get("asked") is not None:
            this = _SESSIONS.c.id == session_id
            op.execute(sa.update(_SESSIONS).where(this).values(asked=sa.true()))
    said, silent = sa.text("(turns > 0 OR asked)"), sa.text("turns = 0")
    op.drop_index("listed", "sessions")
    op.create_index(
        "listed", "sessions", ["updated_at", "id"], sqlite_where=said, postgresql_where=said
    )
    op.create_index(
        "silent", "sessions", ["created_at"], sqlite_where=silent, postgresql_where=silent
    )
    op.drop_index("turns_of", "turns")
    op.create_index("turns_of", "turns", ["session", "place"])


def _rows(table: sa.TableClause, key: Any) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Yield the key of each row and what its value says; what cannot be read is left out."""
    last: Any = None
    while True:
        wanted = sa.select(key, table.c.value).order_by(key).limit(_ROWS)
        if last is not None:
            wanted = wanted.where(key > last)
        rows = op.get_bind().execute(wanted).all()
        for found, value in rows:
            try:
                yield found, msgspec.json.decode(value, type=dict[str, Any])
            except (msgspec.DecodeError, TypeError):
                continue
        if len(rows) < _ROWS:
            return
        last = rows[-1][0]
