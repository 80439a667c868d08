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
from typing import TypeVar

import msgspec

from citeseek.concurrency.admission import RETRY_SECONDS
from citeseek.conversations import database
from citeseek.conversations.conversation_record import (
    Glance,
    LastTurn,
    Record,
    Turn,
    title_of,
)
from citeseek.conversations.session_file import SessionFile, Summaries
from citeseek.errors import Busy, CiteseekError, InvalidInput
from citeseek.fetching.own_file import OwnFile

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


class SqliteStore:
    """Conversations in the file at ``path``, which its owner alone may read.

    It is opened at once. Several processes may use one file. Raise InvalidInput for a file that
    cannot be used. Later every method raises Busy when the file could not be written to or read for
    5 seconds, calls that wait before it included, and CiteseekError for one that was damaged
    meanwhile. Who reads waits for nobody who writes.
    """

    def __init__(self, path: Path | str | None) -> None:
        file = None if path is None else Path(path)
        self._path = file
        self._is_closed = False
        try:
            self._writer = _Worker(file)
            # What is in memory is seen by its own connection alone.
            self._reader = self._writer if file is None else _Worker(file)
        except (OSError, sqlite3.Error) as error:
            raise InvalidInput(
                f"The file of conversations {self._path} cannot be used ({_reason(error)}).",
                hint="Set another assistant.sessions (CITESEEK_SESSIONS), or move the file away.",
            ) from None

    async def get(self, session_id: str) -> Record | None:
        """Return the conversation with all of its turns that can be read."""
        return await self._do(self._reader, SessionFile.get, session_id)

    async def glance(self, session_id: str) -> Glance | None:
        """Return what shows whether the conversation changed."""
        return await self._do(self._reader, SessionFile.glance, session_id)

    async def put(self, record: Record) -> None:
        """Store the conversation as it is now, but for its turns."""
        await self._do(self._writer, SessionFile.put, msgspec.structs.replace(record))

    async def add_turn(self, session_id: str, turn: Turn) -> tuple[LastTurn, LastTurn] | None:
        """Append ``turn`` without touching the earlier ones."""
        return await self._do(self._writer, SessionFile.add_turn, session_id, turn)

    async def add_file(self, session_id: str, file: OwnFile) -> None:
        """Keep ``file`` with the conversation."""
        await self._do(self._writer, SessionFile.add_file, session_id, file)

    async def drop_file(self, session_id: str, url: str) -> None:
        """Take a file away."""
        await self._do(self._writer, SessionFile.drop_file, session_id, url)

    async def clear(self, session_id: str) -> None:
        """Let the conversation begin anew."""
        await self._do(self._writer, SessionFile.clear, session_id)

    async def list(self, limit: int, before: tuple[float, str] | None = None) -> Summaries:
        """Return the conversations in which something was said, newest first."""
        return await self._do(self._reader, SessionFile.list, limit, before)

    async def change(self) -> tuple[int, int]:
        """Return what is another after each change of the file; this costs next to nothing."""
        return await self._do(self._reader, SessionFile.change)

    async def count(self) -> int:
        """Return how many conversations of the file are listed."""
        return await self._do(self._reader, SessionFile.count)

    async def drop_empty(self, keep: int) -> None:
        """Forget empty conversations, the oldest first."""
        await self._do(self._writer, SessionFile.drop_empty, keep)

    async def rename(self, session_id: str, title: str) -> bool:
        """Give the conversation another title."""
        if not (title := title_of(title)):
            raise InvalidInput("A title needs at least one character.")
        return await self._do(self._writer, SessionFile.rename, session_id, title)

    async def delete(self, session_id: str) -> bool:
        """Delete the conversation; nothing of it stays in the file."""
        return await self._do(self._writer, SessionFile.delete, session_id)

    async def close(self) -> None:
        """Close the file after what is under way; closing again does nothing."""
        if not self._is_closed:
            self._is_closed = True
            for worker in {self._reader, self._writer}:
                await self._do(worker, SessionFile.close)
                worker.thread.shutdown(wait=False)

    async def _do(self, worker: _Worker, work: Callable[..., T], *arguments: object) -> T:
        """Do ``work`` with the file of ``worker``, to its end even when the caller is cancelled."""
        until = time.monotonic() + database.BUSY_SECONDS
        loop = asyncio.get_running_loop()
        try:
            return await asyncio.shield(
                loop.run_in_executor(worker.thread, partial(worker.do, until, work, *arguments))
            )
        except (OSError, sqlite3.Error) as error:
            # Whoever reads the answer need not be who runs the server: the path stays here.
            log.warning("The file of conversations %s: %s", self._path, _reason(error))
            if not _may_pass(error):
                raise CiteseekError(
                    f"The file of conversations is damaged ({_reason(error)}).",
                    hint="The log of the server names it. Move it away: a new one is made then.",
                ) from None
            raise Busy(
                f"The file of conversations cannot be used at the moment ({_reason(error)}).",
                hint="Try again in a moment; the log of the server names the file.",
                detail_code="sessions_unavailable",
                retry_after=RETRY_SECONDS,
            ) from None


class _Worker:
    """One thread with the file open, so that nobody else waits for the disk."""

    def __init__(self, path: Path | None) -> None:
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="sessions")
        self.file = self.thread.submit(SessionFile, path).result()

    def do(self, until: float, work: Callable[..., T], *arguments: object) -> T:
        """Do ``work`` with the file; what waited for its turn waits less for other processes."""
        self.file.wait_for(until - time.monotonic())
        return work(self.file, *arguments)


class MemoryStore(SqliteStore):
    """Conversations that end with the process."""

    def __init__(self) -> None:
        super().__init__(None)


def _reason(error: OSError | sqlite3.Error) -> str:
    """Return why, without the path that an OSError names as well."""
    return str(error.strerror if isinstance(error, OSError) else error)


def _may_pass(error: OSError | sqlite3.Error) -> bool:
    """Whether the disk or another program is in the way, which may end."""
    if isinstance(error, OSError):
        return True
    # The rest of the number says more of the same.
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF in _PASSING
