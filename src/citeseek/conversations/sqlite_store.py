"""Conversations kept between visits in a SQLite file, or in memory until the process ends."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from citeseek.conversations import sqlite_file
from citeseek.conversations.database_store import DatabaseStore, damage_error, unavailable
from citeseek.errors import CiteseekError, InvalidInput, reason_of

P = ParamSpec("P")
T = TypeVar("T")

_PASSING = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
    }
)

log = logging.getLogger(__name__)


class SqliteStore(DatabaseStore):
    """Conversations in the file at ``path``, which its owner alone may read.

    It is opened at once. Several processes may use one file. Raise InvalidInput for a file that
    cannot be used. The 5 seconds of a later call include the calls that wait before it. Who reads
    waits for nobody who writes.
    """

    def __init__(self, path: Path | str | None) -> None:
        file = None if path is None else Path(path)
        self._path = file
        self._is_closed = False
        try:
            self._writer = _Worker(file)
            # What is in memory is seen by its own connection alone.
            self._reader = self._writer if file is None else _Worker(file)
        except (OSError, sqlite3.Error, DBAPIError) as error:
            raise InvalidInput(
                f"The file of conversations {self._path} cannot be used ({_reason(error)}).",
                hint="Set another assistant.sessions (CITESEEK_SESSIONS), or move the file away.",
                values={
                    "case": "sessions_file",
                    "path": str(self._path),
                    "reason": _reason(error),
                    **(reason_of(error) if isinstance(error, OSError) else {}),
                },
            ) from None

    async def change(self) -> object:
        """Return what is another after each change of the file, by whichever process."""
        return await self._do(self._reader, self._reader.change)

    async def close(self) -> None:
        """Close the file after what is under way; closing again does nothing."""
        if not self._is_closed:
            self._is_closed = True
            for worker in {self._reader, self._writer}:
                await self._do(worker, worker.engine.dispose)
                worker.thread.shutdown(wait=False)

    async def read(
        self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Do ``work``, which sees one state of all tables."""
        return await self._do(self._reader, partial(self._reader.read, work, *args, **kwargs))

    async def write(
        self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Do all of ``work`` or nothing."""
        return await self._do(self._writer, partial(self._writer.write, work, *args, **kwargs))

    async def erase(
        self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Do ``work`` and leave nothing of what it deletes."""
        return await self._do(self._writer, partial(self._writer.erase, work, *args, **kwargs))

    async def compact(self) -> None:
        """Write the file anew; who wants to write meanwhile waits."""
        await self._do(self._writer, self._writer.compact)

    async def _do(self, worker: _Worker, work: Callable[[], T]) -> T:
        """Do ``work`` in the thread of ``worker``, to its end even when the caller is cancelled."""
        until = time.monotonic() + sqlite_file.BUSY_SECONDS
        loop = asyncio.get_running_loop()
        try:
            return await asyncio.shield(loop.run_in_executor(worker.thread, worker.do, until, work))
        except (OSError, sqlite3.Error, DBAPIError) as error:
            raise self._translate(error) from None

    def _translate(self, error: OSError | sqlite3.Error | DBAPIError) -> CiteseekError:
        # Whoever reads the answer need not be who runs the server: the path stays here.
        reason = _reason(error)
        log.warning("The file of conversations %s: %s", self._path, reason)
        if _may_pass(error):
            hint = "Try again in a moment; the log of the server names the file."
            return unavailable("file", reason, hint=hint)
        hint = "The log of the server names it. Move it away: a new one is made then."
        return damage_error("file", reason, hint=hint)


class _Worker:
    """One thread with the file open, so that nobody else waits for the disk.

    A thread and not aiosqlite, which goes to its thread and back four times for each statement.
    """

    def __init__(self, path: Path | None) -> None:
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="sessions")
        self.engine = self.thread.submit(sqlite_file.open_database, path).result()
        self._reading = self.engine.execution_options(reads=True)

    def do(self, until: float, work: Callable[[], T]) -> T:
        """Do ``work``; what waited for its turn waits less for other processes."""
        milliseconds = max(round((until - time.monotonic()) * 1000), 0)
        self.driver.execute(f"PRAGMA busy_timeout = {milliseconds}")
        return work()

    def read(
        self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Do ``work`` with one state of all tables."""
        with self._reading.begin() as connection:
            return work(connection, *args, **kwargs)

    def write(
        self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Do all of ``work`` or nothing."""
        with self.engine.begin() as connection:
            return work(connection, *args, **kwargs)

    def erase(
        self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Do ``work`` and leave nothing of what it deleted in the write-ahead log."""
        done = self.write(work, *args, **kwargs)
        self._forget_log()
        return done

    def compact(self) -> None:
        """Write the file anew.

        What is deleted is overwritten, but where rows moved from page to page a copy may be left in
        the room between others.
        """
        self.driver.execute("VACUUM")
        self._forget_log()

    def _forget_log(self) -> None:
        busy, *_ = self.driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            log.warning("what was deleted stays in the write-ahead log: others read for too long")

    def change(self) -> tuple[int, int]:
        """Return what is another after each change of the file, by whichever connection."""
        (others,) = self.driver.execute("PRAGMA data_version").fetchone()
        return int(others), self.driver.total_changes

    @property
    def driver(self) -> sqlite3.Connection:
        """The connection itself, for what SQLite alone has."""
        connection = self.engine.raw_connection()
        try:
            found = connection.driver_connection
            assert isinstance(found, sqlite3.Connection)  # noqa: S101 - the engine has no other
            return found
        finally:
            connection.close()


class MemoryStore(SqliteStore):
    """Conversations that end with the process."""

    def __init__(self) -> None:
        super().__init__(None)


def _cause(error: OSError | sqlite3.Error | DBAPIError) -> BaseException | None:
    return error.orig if isinstance(error, DBAPIError) else error


def _reason(error: OSError | sqlite3.Error | DBAPIError) -> str:
    """Return why, without the path that an OSError names as well, and without the statement."""
    cause = _cause(error)
    return str(cause.strerror if isinstance(cause, OSError) else cause)


def _may_pass(error: OSError | sqlite3.Error | DBAPIError) -> bool:
    """Whether the disk or another program is in the way, which may end."""
    cause = _cause(error)
    if isinstance(cause, OSError):
        return True
    # The rest of the number says more of the same.
    return getattr(cause, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF in _PASSING
