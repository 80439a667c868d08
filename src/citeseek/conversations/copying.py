"""Conversations of a file copied into a database on a server, which may have others already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import msgspec
from sqlalchemy import Connection, Table, func, insert, select

from citeseek.conversations.database_store import DatabaseStore
from citeseek.conversations.tables import DELETED, FILES, ROUNDS, SESSIONS, SOURCES, TURNS
from citeseek.errors import CiteseekError

# What belongs to a conversation. The places of turns and files are those of their database.
_PARTS = (TURNS, SOURCES, ROUNDS, FILES)
_NUMBERED = (TURNS, FILES)

Rows: TypeAlias = Mapping[Table, Sequence[Mapping[str, Any]]]


class Copied(msgspec.Struct, frozen=True, kw_only=True):
    """How many conversations were copied, were there already, and were deleted there."""

    copied: int = 0
    there: int = 0
    deleted: int = 0


async def copy_conversations(source: DatabaseStore, target: DatabaseStore) -> Copied:
    """Copy what ``target`` does not have, each in a transaction, and count it there.

    What it has already, or has deleted, stays as it is. Raise Busy and CiteseekError of either, and
    CiteseekError when less is there than was copied.
    """
    counts = {"copied": 0, "there": 0, "deleted": 0}
    for session_id in await source.read(_list_ids):
        rows = await source.read(_read, session_id)
        if not rows[SESSIONS]:
            continue  # deleted meanwhile
        how = await target.write(_add, session_id, rows)
        counts[how] += 1
        if how == "copied":
            found = await target.read(_count, session_id)
            if found != {table.name: len(rows[table]) for table in (SESSIONS, *_PARTS)}:
                raise CiteseekError(
                    f"The conversation {session_id} is not whole in the database.",
                    hint="Delete it there and copy again; the file has all of it.",
                    values={"case": "conversation_not_whole", "id": str(session_id)},
                )
    return Copied(**counts)


def _list_ids(connection: Connection) -> list[str]:
    return list(connection.scalars(select(SESSIONS.c.id).order_by(SESSIONS.c.created_at)))


def _read(connection: Connection, session_id: str) -> Rows:
    whole = select(SESSIONS).where(SESSIONS.c.id == session_id)
    rows: dict[Table, Sequence[Mapping[str, Any]]] = {
        SESSIONS: [dict(row) for row in connection.execute(whole).mappings()]
    }
    for table in _PARTS:
        columns = [one for one in table.c if not (one.name == "place" and table in _NUMBERED)]
        mine = select(*columns).where(table.c.session == session_id).order_by(table.c.place)
        rows[table] = [dict(row) for row in connection.execute(mine).mappings()]
    return rows


def _add(connection: Connection, session_id: str, rows: Rows) -> str:
    if connection.scalar(select(DELETED.c.id).where(DELETED.c.id == session_id)):
        return "deleted"
    if connection.scalar(select(SESSIONS.c.id).where(SESSIONS.c.id == session_id)):
        return "there"
    for table in (SESSIONS, *_PARTS):
        if rows[table]:
            connection.execute(insert(table), list(rows[table]))
    return "copied"


def _count(connection: Connection, session_id: str) -> dict[str, int]:
    mine = {SESSIONS: SESSIONS.c.id, **{table: table.c.session for table in _PARTS}}
    return {
        table.name: connection.scalar(
            select(func.count()).select_from(table).where(column == session_id)
        )
        or 0
        for table, column in mine.items()
    }
