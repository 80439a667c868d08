"""An L2 cache in a SQLite file, for answers that outlive the process."""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Hashable
from pathlib import Path

import msgspec

from citeseek.errors import InvalidInput
from citeseek.models import SearchResponse

FILE_NAME = "answers.sqlite3"
MAX_ENTRIES = 10_000

log = logging.getLogger(__name__)

_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, stored_at REAL NOT NULL, response BLOB NOT NULL
) WITHOUT ROWID
"""


class DiskCache:
    """Keeps answers for ``ttl`` seconds in ``folder``; each start keeps the newest 10,000.

    Raise InvalidInput when the folder cannot be written to. ``clock`` gives seconds since 1970,
    since the file is read by later processes. Event loops in different threads may share one, and
    any of them may close it.
    """

    def __init__(self, folder: Path, *, ttl: float, clock: Callable[[], float] = time.time) -> None:
        self._ttl = ttl
        self._clock = clock
        self._lock = threading.Lock()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._open(folder / FILE_NAME)
        except (OSError, ValueError, sqlite3.Error) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise InvalidInput(
                f"The cache folder {folder} cannot be written to ({reason}).",
                hint="Set another cache.dir (CITESEEK_CACHE_DIR), or none.",
            ) from None

    async def get(self, key: Hashable) -> SearchResponse | None:
        """Return the answer under ``key`` that is younger than ``ttl``."""
        try:
            with self._lock:
                row = self._db.execute(
                    "SELECT response FROM answers WHERE key = ? AND stored_at > ?",
                    (repr(key), self._clock() - self._ttl),
                ).fetchone()
            return msgspec.json.decode(row[0], type=SearchResponse) if row else None
        except (sqlite3.Error, msgspec.DecodeError) as error:
            # Locked by another process, or written by another version: ask the engine again.
            log.warning("the cache could not be read: %s", error)
            return None

    async def put(self, key: Hashable, response: SearchResponse) -> None:
        """Store ``response``; a cache that cannot be written to costs no answer."""
        try:
            with self._lock:
                self._db.execute(
                    "INSERT OR REPLACE INTO answers VALUES (?, ?, ?)",
                    (repr(key), self._clock(), msgspec.json.encode(response)),
                )
        except sqlite3.Error as error:
            log.warning("the cache could not be written: %s", error)

    def close(self) -> None:
        """Close the file, after what another thread is doing with it."""
        with self._lock:
            self._db.close()

    def _open(self, path: Path) -> None:
        """Open the file; one that is damaged is made anew."""
        self._db = _connected(path)
        try:
            self._prepare()
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError as error:
            log.warning("the cache is damaged and made anew: %s", error)
            path.unlink()
            self._db = _connected(path)
            self._prepare()

    def _prepare(self) -> None:
        """Make the table, and forget what is too old or too much."""
        try:
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute(_SCHEMA)
            self._db.execute(
                "DELETE FROM answers WHERE stored_at <= ?", (self._clock() - self._ttl,)
            )
            self._db.execute(
                "DELETE FROM answers WHERE key IN "
                "(SELECT key FROM answers ORDER BY stored_at DESC LIMIT -1 OFFSET ?)",
                (MAX_ENTRIES,),
            )
        except sqlite3.Error:
            self._db.close()
            raise


def _connected(path: Path) -> sqlite3.Connection:
    # The lock keeps threads apart.
    return sqlite3.connect(path, isolation_level=None, timeout=1, check_same_thread=False)
