"""The jobs of a table that have not ended, and whose they are, each within a transaction.

A job of a queue is any worker's that has begun with it last. Without a queue it has an owner, a
process which says now and then that it is there; who was not heard of for long loses what is open.
"""

from __future__ import annotations

import time

from sqlalchemy import Connection, Table, Update, select, update

from citeseek.conversations.tables import OPEN_STATES


class OpenJobs:
    """Those of ``table``: reports or batches."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.are_open = table.c.state.in_(OPEN_STATES)

    def of_person(self, connection: Connection, person: str) -> list[str]:
        """Return those that ``person`` asked for."""
        theirs = select(self._table.c.id).where(self._table.c.person == person, self.are_open)
        return list(connection.scalars(theirs))

    def orphans(self, connection: Connection, seconds: float) -> list[str]:
        """Return those whose owner was not heard of for ``seconds``, the oldest first."""
        lost = self._table.c.beat_at < time.time() - seconds
        rows = select(self._table.c.id).where(self.are_open, lost)
        return list(connection.scalars(rows.order_by(self._table.c.created_at)))

    def adopt(self, connection: Connection, owner: str, seconds: float) -> list[str]:
        """Give those to ``owner`` and return them."""
        orphans = self.orphans(connection, seconds)
        these = update(self._table).where(self._table.c.id.in_(orphans))
        connection.execute(these.values(owner=owner, beat_at=time.time()))
        return orphans

    def beat(self, connection: Connection, owner: str) -> None:
        """Say that ``owner`` is there, for all of theirs."""
        connection.execute(self._of(owner).values(beat_at=time.time()))

    def release(self, connection: Connection, owner: str) -> None:
        """Let others have what ``owner`` has not begun, or not done."""
        connection.execute(self._of(owner).values(owner="", beat_at=0.0))

    def _of(self, owner: str) -> Update:
        return update(self._table).where(self.are_open, self._table.c.owner == owner)
