"""A person who is erased: whatever is theirs in the database, and who else has to forget them."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import msgspec
from sqlalchemy import ColumnElement, Connection, Table, delete, func, insert, select

from citeseek.concurrency.background import cancel
from citeseek.conversations.database_store import DatabaseStore
from citeseek.conversations.tables import (
    BATCHES,
    DELETED,
    ERASURES,
    FILES,
    OAUTH_GRANTS,
    REPORTS,
    SESSIONS,
    SHARES,
    TURNS,
    USAGE,
)
from citeseek.errors import CiteseekError

# So soon other processes stop what they do for the person.
LOOK_SECONDS = 2.0
# A process that was away for longer has nothing of theirs in its memory that is under way.
NOTICE_SECONDS = 3_600.0

# Whether a name is that of the person.
IsTheirs: TypeAlias = Callable[[str], bool]

log = logging.getLogger(__name__)


class Belongings(msgspec.Struct, frozen=True, kw_only=True):
    """How much is kept of a person.

    ``programs`` have access as them, ``days_of_use`` are rows of numbers, ``traces`` are files.
    """

    conversations: int = 0
    turns: int = 0
    files: int = 0
    reports: int = 0
    batches: int = 0
    shares: int = 0
    programs: int = 0
    days_of_use: int = 0
    traces: int = 0


# What has the name of its person, in the order in which it is deleted: first what refers to others.
_OF_PERSON: Mapping[str, Table] = {
    "shares": SHARES,
    "programs": OAUTH_GRANTS,
    "conversations": SESSIONS,
    "reports": REPORTS,
    "batches": BATCHES,
    "days_of_use": USAGE,
}
# What goes with its conversation.
_OF_CONVERSATION: Mapping[str, Table] = {"turns": TURNS, "files": FILES}


class ErasedRows(NamedTuple):
    """What was deleted, and the ids of the conversations that were."""

    belongings: Belongings
    conversations: Sequence[str]


def count_belongings(connection: Connection, person: str) -> Belongings:
    """Return how much of ``person`` the tables hold."""

    def count(table: Table, condition: ColumnElement[bool]) -> int:
        found = select(func.count()).select_from(table).where(condition)
        return connection.scalar(found) or 0

    theirs = select(SESSIONS.c.id).where(SESSIONS.c.person == person)
    return Belongings(
        **{name: count(table, table.c.person == person) for name, table in _OF_PERSON.items()},
        **{
            name: count(table, table.c.session.in_(theirs))
            for name, table in _OF_CONVERSATION.items()
        },
    )


def erase_rows(connection: Connection, person: str) -> ErasedRows:
    """Delete whatever is of ``person``, and leave a notice for other processes.

    An answer that is under way elsewhere brings none of it back: the ids of the conversations stay.
    """
    belongings = count_belongings(connection, person)
    theirs = select(SESSIONS.c.id).where(SESSIONS.c.person == person)
    ids = list(connection.scalars(theirs))
    connection.execute(insert(DELETED).from_select(["id"], theirs))
    for table in _OF_PERSON.values():
        connection.execute(delete(table).where(table.c.person == person))
    now = time.time()
    connection.execute(insert(ERASURES).values(person=_hash(person), erased_at=now))
    return ErasedRows(belongings, ids)


def drop_old_notices(connection: Connection) -> None:
    """Delete notices that every process has seen, but for the last one: numbers only grow."""
    newest = select(func.max(ERASURES.c.place)).scalar_subquery()
    old = ERASURES.c.erased_at < time.time() - NOTICE_SECONDS
    connection.execute(delete(ERASURES).where(old, ERASURES.c.place < newest))


class ErasureWatch:
    """Lets this process ``forget`` whom another one, or a command, erased from ``database``.

    What it is given tells whether a name is that of the person, whose name nobody keeps.
    """

    def __init__(
        self, database: DatabaseStore, forget: Callable[[IsTheirs], Awaitable[None]]
    ) -> None:
        self._database = database
        self._forget = forget
        self._last: int | None = None
        self._looking: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Begin to look, behind what happened before this process had anything.

        Where the database is away, that is when it is back.
        """
        try:
            await self.look()
        except CiteseekError as error:
            log.warning("who was erased is looked for later: %s", error)
        self._looking = asyncio.create_task(self._look_again())

    async def close(self) -> None:
        """Look no more."""
        if self._looking is not None:
            await cancel(self._looking)

    async def look(self) -> None:
        """Forget who was erased since the last look; the first one finds out where that begins."""
        if self._last is None:
            self._last = await self._database.read(_last_notice)
            return
        for place, person in await self._database.read(_notices, self._last):
            self._last = place

            def is_theirs(name: str, person: str = person) -> bool:
                return _hash(name) == person

            await self._forget(is_theirs)
            # What was added by who did not know yet.
            await self._database.erase(_erase_use, is_theirs)

    async def _look_again(self) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                await self.look()
            except CiteseekError as error:
                log.warning("who was erased is looked for later: %s", error)


def _hash(person: str) -> str:
    return hashlib.sha256(person.encode()).hexdigest()


def _last_notice(connection: Connection) -> int:
    return connection.scalar(select(func.max(ERASURES.c.place))) or 0


def _notices(connection: Connection, after: int) -> list[tuple[int, str]]:
    newer = select(ERASURES.c.place, ERASURES.c.person).where(ERASURES.c.place > after)
    return [(row.place, row.person) for row in connection.execute(newer.order_by(ERASURES.c.place))]


def _erase_use(connection: Connection, is_theirs: IsTheirs) -> None:
    for person in list(connection.scalars(select(USAGE.c.person).distinct())):
        if is_theirs(person):
            connection.execute(delete(USAGE).where(USAGE.c.person == person))
