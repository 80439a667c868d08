"""What is read from and written to the file of conversations.

Everything here waits for the disk; :mod:`citeseek.conversations.sqlite_store` keeps that away from
the event loop.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import msgspec

from citeseek.citations import Round, Source
from citeseek.conversations.conversation_record import (
    NO_TURN,
    Glance,
    LastTurn,
    Record,
    SessionSummary,
    Turn,
    as_kept_now,
)
from citeseek.conversations.database import open_database, transaction
from citeseek.errors import InvalidInput
from citeseek.fetching.own_file import OwnFile

log = logging.getLogger(__name__)

T = TypeVar("T")
Summaries: TypeAlias = list[SessionSummary]

_PARTS = ("turns", "sources", "rounds", "files")


class SessionFile:
    """The open file, for one thread; the methods are those of a store.

    Each may raise sqlite3.Error, for a file that is damaged, full or locked too long.
    """

    def __init__(self, path: Path | None) -> None:
        self._db = open_database(path)

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
            files = self._db.execute(
                "SELECT url FROM files WHERE session = ? ORDER BY place", (session_id,)
            ).fetchall()
        if about := _decode(row[0], Record, session_id):
            about.title = row[1]
        return Glance(about=about, last=last, files=tuple(url for (url,) in files))

    def get(self, session_id: str) -> Record | None:
        """Return the conversation, None when there is none that can be read."""
        with transaction(self._db, "DEFERRED"):
            row = self._db.execute(
                "SELECT value, title FROM sessions WHERE id = ?", (session_id,)
            ).fetchone()
            if row is None or (record := _decode(row[0], Record, session_id)) is None:
                return None
            turns = list(self._values("turns", Turn, session_id))
            sources = list(self._values("sources", Source, session_id))
            rounds = list(self._values("rounds", Round, session_id))
            files = list(self._values("files", OwnFile, session_id))
        record.title = row[1]
        record.turns = [turn for turn in turns if turn]
        record.sources = tuple(source for source in sources if source)
        record.rounds = tuple(shown for shown in rounds if shown)
        record.files = tuple(file for file in files if file)
        if (len(record.sources), len(record.rounds)) != (len(sources), len(rounds)):
            # The number of what is missing could be given out again, for another page.
            return None
        return as_kept_now(record)

    def put(self, record: Record) -> None:
        """Store everything but the turns."""
        kept = msgspec.structs.replace(record, title="", turns=[], sources=(), rounds=(), files=())
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

    def add_file(self, session_id: str, file: OwnFile) -> None:
        """Keep ``file`` with a conversation that was put."""
        self._db.execute(
            "INSERT INTO files (session, url, value) SELECT id, ?, ? FROM sessions WHERE id = ?"
            " ON CONFLICT DO NOTHING",
            (file.url, msgspec.json.encode(file), session_id),
        )

    def drop_file(self, session_id: str, url: str) -> None:
        """Take a file away; nothing of it stays."""
        self._db.execute("DELETE FROM files WHERE session = ? AND url = ?", (session_id, url))
        self._empty_log()

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
        return [each for raw in found if (each := _decode(raw, SessionSummary, "of the list"))]

    def change(self) -> tuple[int, int]:
        """Return what is another after each change of the file, by whichever connection."""
        (others,) = self._db.execute("PRAGMA data_version").fetchone()
        return int(others), self._db.total_changes

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
            yield _decode(value, kind, session_id)

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


def _decode(value: Any, kind: type[T], session_id: str) -> T | None:
    """Return a stored value, None for one of another version or one that is damaged."""
    try:
        return msgspec.json.decode(value, type=kind)
    except (msgspec.DecodeError, TypeError, InvalidInput) as error:
        log.warning("a %s of conversation %s is skipped: %s", kind.__name__, session_id, error)
        return None
