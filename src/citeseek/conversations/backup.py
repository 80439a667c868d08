"""Copies of a file of conversations: made while others write to it, checked, and put back."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp

import msgspec
from sqlalchemy.exc import DBAPIError

from citeseek.conversations import migrations, sqlite_file
from citeseek.errors import InvalidInput, reason_of
from citeseek.i18n import ENGLISH, catalogue

# A damaged file may have very many things that are wrong.
_TOLD_FAULTS = 3


class Backup(msgspec.Struct, frozen=True, kw_only=True):
    """A file of conversations as it was looked at: its ``revision`` of the tables, and its size."""

    revision: str
    bytes: int
    conversations: int
    turns: int
    reports: int
    batches: int


def back_up(source: Path, target: Path) -> Backup:
    """Copy the conversations of ``source`` to ``target``, all as they were at one moment.

    Who writes to ``source`` meanwhile is not held up. The copy is looked at before it has its name,
    and its owner alone may read it. Raise InvalidInput for a ``target`` that is there, and for a
    ``source`` that is damaged or none.
    """
    if target.exists():
        raise InvalidInput(
            f"{target} is there already; it was left as it is.",
            hint="Name another file.",
            values={"case": "backup_there", "path": str(target)},
        )
    if not source.is_file():
        raise _refuse(source, why="backup_gone")
    with _beside(target) as made:
        _copy(source, made)
        looked_at = check_backup(made)
        made.replace(target)
    return looked_at


def check_backup(path: Path) -> Backup:
    """Return what is in a backup; raise InvalidInput for one that is damaged, or none.

    One of an earlier version is none the worse, one of a later version cannot be read here.
    """
    if not path.is_file():
        raise _refuse(path, why="backup_gone")
    try:
        # Nothing is written there, not even by opening it.
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as db:
            return _look_at(db, path)
    except sqlite3.Error as error:
        raise _refuse(path, str(error)) from None


def restore(source: Path, target: Path) -> Backup:
    """Put the backup ``source`` in the place of ``target``, and bring it up to this version.

    Raise InvalidInput as :func:`check_backup` does, and while a program has ``target`` open; what
    is there stays as it is then.
    """
    check_backup(source)
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _beside(target) as made:
        _copy(source, made)
        try:
            sqlite_file.open_database(made).dispose()
        except (OSError, sqlite3.Error, DBAPIError) as error:
            raise _refuse(source, str(error)) from None
        _close_log(made)
        restored = check_backup(made)
        if target.exists():
            _close_log(target)
        made.replace(target)
    return restored


def _look_at(db: sqlite3.Connection, path: Path) -> Backup:
    def number(statement: str) -> int:
        return int(db.execute(statement).fetchone()[0])

    faults = [row[0] for row in db.execute(f"PRAGMA integrity_check({_TOLD_FAULTS})")]
    if faults != ["ok"]:
        raise _refuse(path, "; ".join(faults))
    if number("PRAGMA application_id") != sqlite_file.APPLICATION_ID:
        raise _refuse(path, why="backup_foreign")
    tables = {row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    revision = migrations.REVISIONS[0]
    if migrations.VERSION_TABLE in tables:
        statement = f"SELECT version_num FROM {migrations.VERSION_TABLE}"  # noqa: S608 - ours
        (revision,) = db.execute(statement).fetchone()
    if revision not in migrations.REVISIONS:
        raise _refuse(path, why="backup_later")
    if orphans := db.execute("PRAGMA foreign_key_check").fetchall():
        raise _refuse(path, why="backup_orphans", count=str(len(orphans)))

    def count(table: str) -> int:
        return number(f"SELECT count(*) FROM {table}") if table in tables else 0  # noqa: S608 - ours

    return Backup(
        revision=revision,
        bytes=path.stat().st_size,
        conversations=count("sessions"),
        turns=count("turns"),
        reports=count("reports"),
        batches=count("batches"),
    )


def _copy(source: Path, target: Path) -> None:
    """Copy in one step, which sees one state of the file and lets others write to it."""
    try:
        with (
            closing(sqlite3.connect(source, timeout=sqlite_file.BUSY_SECONDS)) as there,
            closing(sqlite3.connect(target)) as here,
        ):
            there.backup(here, pages=-1)
            # One file, without a log beside it.
            here.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.Error as error:
        raise _refuse(source, str(error)) from None


def _close_log(path: Path) -> None:
    """Bring what is in the log of a file into it; raise InvalidInput while others have it open."""
    try:
        with closing(sqlite3.connect(path, timeout=0)) as db:
            (mode,) = db.execute("PRAGMA journal_mode = DELETE").fetchone()
            if mode == "delete":
                return
    except sqlite3.DatabaseError as error:
        busy = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
        if error.sqlite_errorcode & 0xFF not in busy:
            # What is damaged is to be replaced.
            for end in ("-wal", "-shm"):
                path.with_name(f"{path.name}{end}").unlink(missing_ok=True)
            return
    raise InvalidInput(
        f"A server, or another program, has {path} open.",
        hint="End it first.",
        values={"case": "file_in_use", "path": str(path)},
    )


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """Give a name in a new folder beside ``target``, which is gone at the end."""
    try:
        folder = Path(mkdtemp(dir=target.parent, prefix=".citeseek-backup-"))
    except OSError as reason:
        raise InvalidInput(
            f"The backup {target} cannot be written ({reason.strerror}).",
            values={
                "case": "backup_not_written",
                "path": str(target),
                **reason_of(reason),
            },
        ) from None
    made = folder / target.name
    try:
        os.close(os.open(made, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        yield made
    finally:
        for path in folder.iterdir():
            path.unlink()
        with suppress(OSError):
            folder.rmdir()


def _refuse(path: Path, reason: str = "", *, why: str = "", **values: str) -> InvalidInput:
    """Return why ``path`` is no backup: in the words of SQLite, or by the code ``why``."""
    said = reason or catalogue(ENGLISH)(f"doctor.word.{why}", **values)
    return InvalidInput(
        f"{path} is no file of conversations that can be used ({said}).",
        values={"case": "no_backup", "path": str(path), "why": why or reason, **values},
    )
