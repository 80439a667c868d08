"""What is older than it may become: conversations, reports, batches and traces.

Nothing is spared: what is shared by a link grows as old as anything else. Age counts from the last
change, and what is under way counts when it has ended.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
from sqlalchemy import Connection, Select, Table, delete, false, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from citeseek.concurrency.background import cancel
from citeseek.conversations.database_store import DatabaseStore
from citeseek.conversations.erasure import drop_old_notices
from citeseek.conversations.tables import BATCHES, CHORES, DELETED, REPORTS, SESSIONS
from citeseek.errors import CiteseekError
from citeseek.trace.trace_file import drop_older

DAY_SECONDS = 86_400
HOUR_SECONDS = 3_600
# How often a process looks whether the hour of all of them is over.
_LOOK_SECONDS = 60.0
_CHORE = "retention"
# Deleted at one time: whoever writes to a file waits for it.
_AT_ONCE = 500
_NOT_ENDED = ("queued", "running", "loading")

log = logging.getLogger(__name__)


class Outdated(msgspec.Struct, frozen=True, kw_only=True):
    """How much was too old; ``traces`` are files."""

    conversations: int = 0
    reports: int = 0
    batches: int = 0
    traces: int = 0


class Retention:
    """Prunes ``database`` and the folder ``traces`` once an hour, by one process of all.

    What changed last more than ``days`` ago goes; None keeps everything.
    """

    def __init__(self, database: DatabaseStore, days: int | None, traces: Path | None) -> None:
        self._database = database
        self._days = days
        self._traces = traces
        self._looking: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Begin to look; the first time at once."""
        self._looking = asyncio.create_task(self._look_again())

    async def close(self) -> None:
        """Look no more."""
        if self._looking is not None:
            await cancel(self._looking)

    async def look(self) -> Outdated | None:
        """Prune unless it was done within the hour; return how much went."""
        if not await self._database.write(_take_chore, _CHORE, HOUR_SECONDS):
            return None
        await self._database.write(drop_old_notices)
        if self._days is None:
            return Outdated()
        gone = await prune(self._database, self._days, self._traces)
        if any(msgspec.structs.astuple(gone)):
            log.info("older than %d days, and deleted: %s", self._days, gone)
        return gone

    async def _look_again(self) -> None:
        while True:
            try:
                await self.look()
            except CiteseekError as error:
                log.warning("what is too old is deleted later: %s", error)
            await asyncio.sleep(_LOOK_SECONDS)


async def prune(database: DatabaseStore, days: int, traces: Path | None) -> Outdated:
    """Delete for good what changed last more than ``days`` ago; return how much that was."""
    before = time.time() - days * DAY_SECONDS
    return Outdated(
        conversations=await _prune(database, SESSIONS, before),
        reports=await _prune(database, REPORTS, before),
        batches=await _prune(database, BATCHES, before),
        traces=await asyncio.to_thread(drop_older, traces, before) if traces else 0,
    )


async def _prune(database: DatabaseStore, table: Table, before: float) -> int:
    count = 0
    while ids := await database.read(_list_older, table, before):
        count += await database.erase(_delete, table, ids, before)
    return count


def _list_older(connection: Connection, table: Table, before: float) -> Sequence[str]:
    return list(connection.scalars(_older(table, before).limit(_AT_ONCE)))


def _older(table: Table, before: float) -> Select[tuple[str]]:
    has_ended = table.c.asked == false() if table is SESSIONS else ~table.c.state.in_(_NOT_ENDED)
    return select(table.c.id).where(table.c.updated_at < before, has_ended)


def _delete(connection: Connection, table: Table, ids: Sequence[str], before: float) -> int:
    # Somebody may have gone on with one meanwhile.
    still = _older(table, before).where(table.c.id.in_(ids)).with_for_update()
    found = list(connection.scalars(still))
    if table is SESSIONS and found:
        connection.execute(insert(DELETED), [{"id": each} for each in found])
    connection.execute(delete(table).where(table.c.id.in_(found)))
    return len(found)


# What both have in common has two doors all the same.
_NEW_CHORE = {
    "sqlite": sqlite.insert(CHORES).on_conflict_do_nothing(),
    "postgresql": postgresql.insert(CHORES).on_conflict_do_nothing(),
}


def _take_chore(connection: Connection, name: str, seconds: float) -> bool:
    """Whether this process is to do the chore ``name``, which nobody did for ``seconds``."""
    now = time.time()
    due = (CHORES.c.name == name) & (CHORES.c.done_at <= now - seconds)
    if connection.execute(update(CHORES).where(due).values(done_at=now)).rowcount:
        return True
    new = _NEW_CHORE[connection.dialect.name].returning(CHORES.c.name)
    return connection.scalar(new, {"name": name, "done_at": now}) is not None
