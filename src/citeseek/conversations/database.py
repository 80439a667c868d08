"""The database of conversations: its tables, and how its file is made and opened."""

from __future__ import annotations

import errno
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

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


# Added later: a file of before has none, and earlier versions leave it alone.
_FILES = """CREATE TABLE IF NOT EXISTS files (
    place INTEGER PRIMARY KEY,
    session TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
    url TEXT NOT NULL, value BLOB NOT NULL, UNIQUE (session, url))"""


def open_database(path: Path | None) -> sqlite3.Connection:
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
    db.execute(_FILES)
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
