"""An L2 cache in a SQLite file, for answers that outlive the process."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import msgspec

from citeseek.errors import InvalidInput, reason_of
from citeseek.models import SearchResponse
from citeseek.searching.cache import CacheOfOneProcess

FILE_NAME = "answers.sqlite3"
MAX_ENTRIES = 10_000
# A cache that lets one wait is of no use: the engine is asked instead.
BUSY_SECONDS = 0.05
PATIENCE_SECONDS = 0.5
# After it was locked, or could not be written to, it is left alone for so long.
PAUSE_SECONDS = 1.0
# Of the table and of the keys; answers of another version are forgotten.
VERSION = 2

T = TypeVar("T")

log = logging.getLogger(__name__)

_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, stored_at REAL NOT NULL, kept_until REAL NOT NULL, response BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS by_age ON answers (stored_at);
CREATE INDEX IF NOT EXISTS by_end ON answers (kept_until);
PRAGMA user_version = {VERSION};
"""
_GET = "SELECT response FROM answers WHERE key = ? AND stored_at > ? AND stored_at <= ?"
# A fresh answer is kept for whoever keeps it longest.
_PUT = """
INSERT INTO answers VALUES (?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET
    stored_at = excluded.stored_at, response = excluded.response,
    kept_until = max(kept_until, excluded.kept_until)
"""
# One by one, since each goes by its index.
_SWEEP = (
    "DELETE FROM answers WHERE kept_until <= :now",
    # What a clock that was ahead has stored would never grow old.
    "DELETE FROM answers WHERE stored_at > :now",
    """DELETE FROM answers WHERE key IN
    (SELECT key FROM answers ORDER BY stored_at DESC LIMIT -1 OFFSET :most)""",
)


class DiskCache(CacheOfOneProcess):
    """Keeps answers for ``ttl`` seconds in ``folder``, the newest 10,000 of all that use the file.

    Caches of other times to live may share it: how old an answer may be is decided when it is read.
    Raise InvalidInput when the folder cannot be written to. ``clock`` gives seconds since 1970,
    since the file is read by later processes. SQLite works in a thread of its own, event loops in
    different threads may share one cache, and any of them may close it. While another process holds
    the file, nothing is found and nothing is stored.
    """

    def __init__(self, folder: Path, *, ttl: float, clock: Callable[[], float] = time.time) -> None:
        self._ttl = ttl
        self._clock = clock
        self._paused_until = 0.0
        self._path = folder / FILE_NAME
        self._opened: sqlite3.Connection | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._path.touch()
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise InvalidInput(
                f"The cache folder {folder} cannot be written to ({reason}).",
                hint="Set another cache.dir (CITESEEK_CACHE_DIR), or none.",
                values={
                    "case": "cache_folder",
                    "folder": str(folder),
                    "reason": str(reason),
                    **(reason_of(error) if isinstance(error, OSError) else {}),
                },
            ) from None
        self._thread = ThreadPoolExecutor(1, "citeseek-cache")

    async def get(self, key: Hashable) -> SearchResponse | None:
        """Return the answer under ``key`` that is younger than ``ttl``."""
        now = self._clock()

        def read() -> SearchResponse | None:
            asked = (repr(key), now - self._ttl, now)
            row = self._database().execute(_GET, asked).fetchone()
            return msgspec.json.decode(row[0], type=SearchResponse) if row else None

        return await self._do("read", read)

    async def put(self, key: Hashable, response: SearchResponse) -> None:
        """Store ``response``; a cache that cannot be written to costs no answer."""
        now = self._clock()

        def write() -> None:
            row = (repr(key), now, now + self._ttl, msgspec.json.encode(response))
            with self._database() as database:
                database.execute("BEGIN IMMEDIATE")
                database.execute(_PUT, row)
                _sweep(database, now)

        await self._do("written", write)

    def close(self) -> None:
        """Close the file, after what is being done with it."""
        try:
            self._thread.submit(self._close).result()
        except RuntimeError:
            return  # It was closed before.
        self._thread.shutdown()

    async def _do(self, what: str, work: Callable[[], T]) -> T | None:
        """Return what ``work`` returns in the cache's thread; None if that fails or takes long."""
        loop = asyncio.get_running_loop()
        began = time.monotonic()
        if began < self._paused_until:
            return None
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                return await loop.run_in_executor(self._thread, self._unless_paused, work)
        except msgspec.DecodeError as error:
            log.warning("the cache could not be %s: %s", what, error)
        except TimeoutError:
            # Of many that wait in line behind what is held, the first says it.
            if self._paused_until < began:
                self._pause()
                log.warning("the cache could not be %s in %s s", what, PATIENCE_SECONDS)
        except (sqlite3.Error, OSError, RuntimeError) as error:
            # Held by another process, full, on a slow disk, or closed.
            log.warning("the cache could not be %s: %s", what, str(error) or type(error).__name__)
        return None

    def _unless_paused(self, work: Callable[[], T]) -> T | None:
        if time.monotonic() < self._paused_until:
            return None
        try:
            return work()
        except sqlite3.Error:
            # Here, before the next of many comes to the same lock.
            self._pause()
            raise

    def _pause(self) -> None:
        self._paused_until = time.monotonic() + PAUSE_SECONDS

    def _database(self) -> sqlite3.Connection:
        """Return the file, opened by the first who needs it; one that is damaged is made anew."""
        if self._opened is None:
            try:
                self._opened = self._prepare()
            except sqlite3.OperationalError:
                raise
            except sqlite3.DatabaseError as error:
                log.warning("the cache is damaged and made anew: %s", error)
                self._path.unlink()
                self._opened = self._prepare()
        return self._opened

    def _prepare(self) -> sqlite3.Connection:
        """Open the file, make the table, and forget what is too old or too much."""
        database = sqlite3.connect(self._path, isolation_level=None, timeout=BUSY_SECONDS)
        try:
            database.execute("PRAGMA journal_mode=WAL")
            database.execute("PRAGMA synchronous=NORMAL")
            if database.execute("PRAGMA user_version").fetchone() != (VERSION,):
                database.execute("DROP TABLE IF EXISTS answers")
                database.executescript(_SCHEMA)
            _sweep(database, self._clock())
        except sqlite3.Error:
            database.close()
            raise
        return database

    def _close(self) -> None:
        if self._opened is not None:
            self._opened.close()


def _sweep(database: sqlite3.Connection, now: float) -> None:
    """Forget what nobody reads any more, and the oldest where there are too many."""
    for statement in _SWEEP:
        database.execute(statement, {"now": now, "most": MAX_ENTRIES})
