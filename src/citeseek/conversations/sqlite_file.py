"""The file of conversations: how it is made, told from others, and opened."""

from __future__ import annotations

import errno
import os
import sqlite3
import time
from contextlib import suppress
from pathlib import Path

from sqlalchemy import Connection, Engine, StaticPool, create_engine, event, text

from citeseek.conversations import migrations

# Tells the file from those of other programs.
APPLICATION_ID = 0x43495445
# That of files whose tables have the number of a migration; 1 had none, and its programs do not
# know the tables of now. The next one is for what no migration can bring back.
VERSION = 2
# How long a call waits for another process that is writing, and for calls that wait before it.
BUSY_SECONDS = 5.0

# Came to the tables of version 1 later, as they were then.
_FILES = """CREATE TABLE IF NOT EXISTS files (
    place INTEGER PRIMARY KEY,
    session TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
    url TEXT NOT NULL, value BLOB NOT NULL, UNIQUE (session, url))"""


def open_database(path: Path | None) -> Engine:
    """Open the file at ``path``, made when there is none, or memory for None.

    Its owner alone may read it. A file of an earlier version becomes one of this version. It has
    one connection, for one thread, whose transactions write unless ``reads`` is among their
    execution options. Raise OSError, sqlite3.Error or sqlalchemy.exc.DBAPIError when it cannot be
    opened or written to, is damaged, or belongs to another program or a later version.
    """
    if path is not None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _make(path)
    where = ":memory:" if path is None else path
    db = sqlite3.connect(where, isolation_level=None, timeout=BUSY_SECONDS)
    engine = create_engine("sqlite://", creator=lambda: db, poolclass=StaticPool)
    event.listen(engine, "begin", _begin)
    try:
        with engine.begin() as connection:
            _prepare(connection)
        _write_ahead(db)
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute("PRAGMA foreign_keys = ON")
        # What is deleted is overwritten as well.
        db.execute("PRAGMA secure_delete = ON")
        if path is not None and path.stat().st_mode & 0o077:
            path.chmod(0o600)
    except BaseException:
        engine.dispose()
        db.close()
        raise
    return engine


def _make(path: Path) -> None:
    """Make the file unless it is there.

    One that is there is not opened: to close it would take SQLite's locks from all connections of
    this process, and another process would throw away what these write.
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def _begin(connection: Connection) -> None:
    """Begin a transaction; one that writes waits for others at once, and not in its middle."""
    reads = connection.get_execution_options().get("reads", False)
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


def _prepare(connection: Connection) -> None:
    """Make the tables, or those of now from those of before."""
    if not connection.scalar(text("SELECT count(*) FROM sqlite_master")):
        migrations.make(connection)
        connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.exec_driver_sql(f"PRAGMA user_version = {VERSION}")
        return
    if connection.scalar(text("PRAGMA application_id")) != APPLICATION_ID:
        raise sqlite3.DatabaseError("it belongs to another program")
    if (version := connection.scalar(text("PRAGMA user_version"))) == 1:
        connection.exec_driver_sql(_FILES)
        migrations.mark(connection, migrations.REVISIONS[0])
        connection.exec_driver_sql(f"PRAGMA user_version = {VERSION}")
    revision = migrations.find_version(connection) if version in (1, VERSION) else None
    if revision not in migrations.REVISIONS:
        raise sqlite3.DatabaseError("it was written by a later version of Citeseek")
    if revision != migrations.HEAD:
        migrations.upgrade(connection)


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
