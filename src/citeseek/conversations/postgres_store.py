"""Conversations kept in Postgres, which any number of processes and machines share."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

import psycopg
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as NoConnection
from sqlalchemy.ext.asyncio import AsyncEngine

from citeseek.concurrency.background import Chores
from citeseek.conversations import postgres, sqlite_file
from citeseek.conversations.database_store import DatabaseStore, damage_error, unavailable
from citeseek.errors import CiteseekError

P = ParamSpec("P")
T = TypeVar("T")

_PAUSE_SECONDS = 0.2
# A transaction that sees all that another one sees is in the same state of the database.
_SNAPSHOT = text("SELECT pg_current_snapshot()::text")

log = logging.getLogger(__name__)


class PostgresStore(DatabaseStore):
    """Conversations in the database at ``address``, whose tables are those of this version.

    A connection that broke is opened again, and what was under way over it is done once more: a
    server that comes back within 5 seconds is missed by nobody. Raise InvalidInput for a database
    that cannot be used.
    """

    def __init__(self, address: str) -> None:
        standing = postgres.look(address)
        if standing.state != "ok":
            raise standing.refusal()
        self._pool = postgres.open_pool(address)
        # One state for all statements, of which none waits for who writes.
        self._reading = self._pool.execution_options(
            isolation_level="REPEATABLE READ", postgresql_readonly=True
        )
        self._under_way = Chores()

    async def change(self) -> object:
        """Return what is another after each change of the server, perhaps of others' as well."""
        return await self.read(lambda connection: connection.scalar(_SNAPSHOT))

    async def compact(self) -> None:
        """Do nothing: the server cleans up by itself (autovacuum), which its operator sets."""

    async def close(self) -> None:
        """Close the connections after what is under way; closing again does nothing."""
        await self._under_way.finish()
        await self._pool.dispose()

    async def read(
        self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Do ``work``, which sees one state of all tables."""
        return await self._do(self._reading, lambda connection: work(connection, *args, **kwargs))

    async def write(
        self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Do all of ``work`` or nothing."""
        return await self._do(self._pool, lambda connection: work(connection, *args, **kwargs))

    async def _do(self, pool: AsyncEngine, work: Callable[[Connection], T]) -> T:
        """Do ``work``, to its end even when nobody waits for it any longer."""
        until = asyncio.get_running_loop().time() + sqlite_file.BUSY_SECONDS
        task = self._under_way.start(self._try_until(until, pool, work))
        # A server that is there and says nothing ends nothing: who asks must not wait for it.
        await asyncio.wait({task}, timeout=sqlite_file.BUSY_SECONDS + 1)
        if not task.done():
            raise self._translate(None)
        return task.result()

    async def _try_until(
        self, until: float, pool: AsyncEngine, work: Callable[[Connection], T]
    ) -> T:
        while True:
            try:
                async with pool.begin() as connection:
                    return await connection.run_sync(work)
            except (DBAPIError, NoConnection, OSError) as error:
                is_over = asyncio.get_running_loop().time() > until
                if is_over or not _may_pass(error):
                    raise self._translate(error) from None
            await asyncio.sleep(_PAUSE_SECONDS)

    def _translate(self, error: Exception | None) -> CiteseekError:
        # Whoever reads the answer need not be who runs the server: what it says stays here.
        reason = "no answer in time" if error is None else postgres.reason_of(error)
        log.warning("The database of conversations: %s", reason)
        if error is None or _may_pass(error):
            hint = "Try again in a moment; the log of the server says why."
            return unavailable("database", "it does not answer", hint=hint)
        hint = "The log of the server says what is missing: `citeseek doctor database`."
        return damage_error("database", type(error).__name__, hint=hint)


def _may_pass(error: Exception) -> bool:
    """Whether the same may be done later: the server is gone, full, or others were in the way."""
    if not isinstance(error, DBAPIError):
        return True
    passing = (psycopg.OperationalError, psycopg.InterfaceError)
    changes_nothing = psycopg.errors.ReadOnlySqlTransaction
    return error.connection_invalidated or isinstance(error.orig, (*passing, changes_nothing))
