"""What is read from and written to the file of conversations.

Everything here waits for the disk; :mod:`citeseek.assistant.store` keeps that away from the event
loop.
"""

from __future__ import annotations

import errno
import logging
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import msgspec

from citeseek.assistant.session import NO_TURN, Glance, LastTurn, Record, SessionSummary, Turn
from citeseek.citations import Round, Source
from citeseek.errors import InvalidInput

# Tells the file from those of other programs, and one layout of the tables from the next.
APPLICATION_ID = 0x43495445
VERSION = 1
# How long a call waits for another process that is writing, and for calls that wait before it.
BUSY_SECONDS = 5.0

# Turns, sources and rounds are rows of their own: what was said before is not written again.
# The ids of what was deleted stay: an answer still under way must not bring it back.
_SCHEMA = f"""
CREATE TABLE sessions (
    id TEXT PRIMARY KEY, title TEXT NOT NULL, mode TEXT NOT NULL, agent_id TEXT,
    created_at REAL NOT NULL, updated_at REAL NOT NULL, turns INTEGER NOT NULL DEFAULT 0,
    value BLOB NOT NULL);
CREATE INDEX listed ON sessions (updated_at, id) WHERE turns > 0;
CREATE TABLE turns (
    place INTEGER PRIMARY KEY,
    session TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE, value BLOB NOT NULL);
CREATE INDEX turns_of ON turns (session);
CREATE TABLE sources (
    session TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
    place INTEGER NOT NULL, value BLOB NOT NULL, PRIMARY KEY (session, place));
CREATE TABLE rounds (
    session TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
    place INTEGER NOT NULL, value BLOB NOT NULL, PRIMARY KEY (session, place));
CREATE TABLE deleted (id TEXT PRIMARY KEY);
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {VERSION}
"""


def opened(path: Path | None) -> sqlite3.Connection:
    """Open the file at ``path``, made when there is none, or memory for None.

    Its owner alone may read it. Raise OSError or sqlite3.Error when it cannot be opened or written
    to, is damaged, or belongs to another program or a later version.
    """
    if path is not None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _make(path)
    where = ":memory:" if path is None else path
    db = sqlite3.connect(where, isolation_level=None, timeout=BUSY_SECONDS)
    try:
        _prepare(db)
        if path is not None and path.stat().st_mode & 0o077:
            path.chmod(0o600)
    except BaseException:
        db.close()
        raise
    return db


def _make(path: Path) -> None:
    """Make the file unless it is there.

    One that is there is not opened: to close it would take SQLite's locks from all connections of
    this process, and another process would throw away what these write.
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


@contextmanager
def transaction(db: sqlite3.Connection, kind: str = "IMMEDIATE") -> Iterator[None]:
    """Do all or nothing. ``kind`` is ``DEFERRED`` for reading one state of several tables."""
    db.execute(f"BEGIN {kind}")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        # A full disk may have ended it already.
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _prepare(db: sqlite3.Connection) -> None:
    with transaction(db):
        (tables,) = db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if not tables:
            for statement in _SCHEMA.split(";"):
                db.execute(statement)
        (application,) = db.execute("PRAGMA application_id").fetchone()
        (version,) = db.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION_ID:
        raise sqlite3.DatabaseError("it belongs to another program")
    if version != VERSION:
        raise sqlite3.DatabaseError("it was written by a later version of Citeseek")
    _write_ahead(db)
    db.execute("PRAGMA synchronous = NORMAL")
    db.execute("PRAGMA foreign_keys = ON")
    # What is deleted is overwritten as well.
    db.execute("PRAGMA secure_delete = ON")


def _write_ahead(db: sqlite3.Connection) -> None:
    """Let processes read while one writes; of several that ask for it, SQLite refuses some."""
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(0.01)
        else:
            return


log = logging.getLogger(__name__)

T = TypeVar("T")
Summaries: TypeAlias = list[SessionSummary]

_PARTS = ("turns", "sources", "rounds")


class SessionFile:
    """The open file, for one thread; the methods are those of a store.

    Each may raise sqlite3.Error, for a file that is damaged, full or locked too long.
    """

    def __init__(self, path: Path | None) -> None:
        self._db = opened(path)

    def wait_for(self, seconds: float) -> None:
        """Let what comes next wait at most so long for another process."""
        self._db.execute(f"PRAGMA busy_timeout = {max(round(seconds * 1000), 0)}")

    def glance(self, session_id: str) -> Glance | None:
        """Return what shows whether the conversation changed, None when it is not stored."""
        with transaction(self._db, "DEFERRED"):
            row = self._db.execute(
                "SELECT value, title FROM sessions WHERE id = ?", (session_id,)
            ).fetchone()
            if row is None:
                return Glance(is_deleted=True) if self._was_deleted(session_id) else None
            last = self._last_turn(session_id)
        if about := _decoded(row[0], Record, session_id):
            about.title = row[1]
        return Glance(about=about, last=last)

    def get(self, session_id: str) -> Record | None:
        """Return the conversation, None when there is none that can be read."""
        with transaction(self._db, "DEFERRED"):
            row = self._db.execute(
                "SELECT value, title FROM sessions WHERE id = ?", (session_id,)
            ).fetchone()
            if row is None or (record := _decoded(row[0], Record, session_id)) is None:
                return None
            turns = list(self._values("turns", Turn, session_id))
            sources = list(self._values("sources", Source, session_id))
            rounds = list(self._values("rounds", Round, session_id))
        record.title = row[1]
        record.turns = [turn for turn in turns if turn]
        record.sources = tuple(source for source in sources if source)
        record.rounds = tuple(shown for shown in rounds if shown)
        if (len(record.sources), len(record.rounds)) != (len(sources), len(rounds)):
            # The number of what is missing could be given out again, for another page.
            return None
        return record

    def put(self, record: Record) -> None:
        """Store everything but the turns."""
        kept = msgspec.structs.replace(record, title="", turns=[], sources=(), rounds=())
        with transaction(self._db):
            stored = self._db.execute(
                "INSERT INTO sessions (id, title, mode, agent_id, created_at, updated_at, value)"
                " SELECT :id, :title, :mode, :agent_id, :created_at, :created_at, :value"
                " WHERE NOT EXISTS (SELECT 1 FROM deleted WHERE id = :id)"
                " ON CONFLICT DO UPDATE SET"
                " title = CASE title WHEN '' THEN excluded.title ELSE title END,"
                " mode = excluded.mode, agent_id = excluded.agent_id, value = excluded.value",
                {**msgspec.structs.asdict(record), "value": msgspec.json.encode(kept)},
            )
            if stored.rowcount:
                numbered = ((source.number, source) for source in record.sources)
                self._append("sources", record.id, numbered)
                self._append("rounds", record.id, enumerate(record.rounds, 1))

    def add_turn(self, session_id: str, turn: Turn) -> tuple[LastTurn, LastTurn] | None:
        """Append ``turn``; return what was the last turn before, and what is now.

        None for a conversation that was deleted. Raise InvalidInput for one that was never put.
        """
        with transaction(self._db):
            before = self._last_turn(session_id)
            # Who opened the conversation meanwhile took it for interrupted.
            replaced = self._db.execute(
                "DELETE FROM turns WHERE session = ?"
                " AND json_extract(CAST(value AS TEXT), '$.id') = ?",
                (session_id, turn.id),
            )
            known = self._db.execute(
                "UPDATE sessions SET turns = turns + ?, updated_at = max(updated_at, ?)"
                " WHERE id = ?",
                (turn.outcome != "command" and not replaced.rowcount, turn.at, session_id),
            )
            if known.rowcount:
                self._db.execute(
                    "INSERT INTO turns (session, value) VALUES (?, ?)",
                    (session_id, msgspec.json.encode(turn)),
                )
                return before, self._last_turn(session_id)
            if not self._was_deleted(session_id):
                raise InvalidInput(f"The conversation {session_id} was not stored before its turn.")
        return None

    def clear(self, session_id: str) -> None:
        """Take away what was said, and with it the title and the numbers."""
        with transaction(self._db):
            for table in _PARTS:
                self._db.execute(f"DELETE FROM {table} WHERE session = ?", (session_id,))  # noqa: S608 - our own names
            self._db.execute(
                "UPDATE sessions SET turns = 0, title = '' WHERE id = ?", (session_id,)
            )
        self._empty_log()

    def list(self, limit: int, before: tuple[float, str] | None) -> Summaries:
        """Return the newest conversations in which something was said."""
        rows = self._db.execute(
            "SELECT id, title, mode, agent_id, created_at, updated_at, turns FROM sessions"
            " WHERE (turns > 0 OR json_extract(CAST(value AS TEXT), '$.asked') IS NOT NULL)"
            " AND (updated_at, id) < (?, ?)"
            " ORDER BY updated_at DESC, id DESC LIMIT ?",
            (*(before or (float("inf"), "")), max(limit, 0)),
        )
        names = [column[0] for column in rows.description]
        found = [msgspec.json.encode(dict(zip(names, row, strict=True))) for row in rows]
        return [each for raw in found if (each := _decoded(raw, SessionSummary, "of the list"))]

    def count(self) -> int:
        """Return the number of conversations in which something was said."""
        (number,) = self._db.execute("SELECT count(*) FROM sessions WHERE turns > 0").fetchone()
        return int(number)

    def drop_empty(self, keep: int) -> None:
        """Take away those in which nothing was said, but for the last ``keep``."""
        self._db.execute(
            "DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE turns = 0"
            " ORDER BY created_at DESC LIMIT -1 OFFSET ?)"
            " AND json_extract(CAST(value AS TEXT), '$.asked') IS NULL",
            (keep,),
        )

    def rename(self, session_id: str, title: str) -> bool:
        """Give the conversation a title; tell whether there is one."""
        known = self._db.execute("UPDATE sessions SET title = ? WHERE id = ?", (title, session_id))
        return known.rowcount > 0

    def delete(self, session_id: str) -> bool:
        """Take away the conversation; tell whether there was one."""
        with transaction(self._db):
            known = self._db.execute("DELETE FROM sessions WHERE id = ?", (session_id,))
            if known.rowcount:
                self._db.execute("INSERT INTO deleted VALUES (?)", (session_id,))
        self._empty_log()
        return known.rowcount > 0

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _values(self, table: str, kind: type[T], session_id: str) -> Iterator[T | None]:
        """Yield the rows of a conversation in their order, None for one that cannot be read."""
        for (value,) in self._db.execute(
            f"SELECT value FROM {table} WHERE session = ? ORDER BY place",  # noqa: S608 - our own names
            (session_id,),
        ):
            yield _decoded(value, kind, session_id)

    def _was_deleted(self, session_id: str) -> bool:
        found = self._db.execute("SELECT 1 FROM deleted WHERE id = ?", (session_id,))
        return found.fetchone() is not None

    def _append(self, table: str, session_id: str, values: Iterable[tuple[int, object]]) -> None:
        """Store what is newer than the newest that is stored."""
        (last,) = self._db.execute(
            f"SELECT coalesce(max(place), 0) FROM {table} WHERE session = ?",  # noqa: S608 - our own names
            (session_id,),
        ).fetchone()
        self._db.executemany(
            f"INSERT INTO {table} VALUES (?, ?, ?)",  # noqa: S608 - our own names
            [
                (session_id, place, msgspec.json.encode(value))
                for place, value in values
                if place > last
            ],
        )

    def _last_turn(self, session_id: str) -> LastTurn:
        row: LastTurn | None = self._db.execute(
            "SELECT place, length(value) FROM turns WHERE session = ? ORDER BY place DESC LIMIT 1",
            (session_id,),
        ).fetchone()
        return row or NO_TURN

    def _empty_log(self) -> None:
        """Leave nothing of what was deleted in the write-ahead log."""
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _decoded(value: Any, kind: type[T], session_id: str) -> T | None:
    """Return a stored value, None for one of another version or one that is damaged."""
    try:
        return msgspec.json.decode(value, type=kind)
    except (msgspec.DecodeError, TypeError, InvalidInput) as error:
        log.warning("a %s of conversation %s is skipped: %s", kind.__name__, session_id, error)
        return None
