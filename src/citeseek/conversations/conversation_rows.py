"""What is read from and written to the tables of conversations, each within a transaction.

The functions are the methods of a store, for one connection. Each may raise
:class:`sqlalchemy.exc.SQLAlchemyError`, for a database that is damaged, full, locked too long or
gone. Who writes to a conversation holds its row first, so that writers come one after the other.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias, TypeVar

import msgspec
from sqlalchemy import (
    Connection,
    Insert,
    Table,
    bindparam,
    case,
    exists,
    false,
    func,
    insert,
    select,
    tuple_,
    update,
)
from sqlalchemy import delete as delete_from
from sqlalchemy.dialects import postgresql, sqlite

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
from citeseek.conversations.tables import (
    DELETED,
    FILES,
    ID,
    ROUNDS,
    SAID,
    SECONDS,
    SESSIONS,
    SILENT,
    SOURCES,
    TURNS,
)
from citeseek.errors import InvalidInput
from citeseek.fetching.own_file import OwnFile

log = logging.getLogger(__name__)

T = TypeVar("T")
Summaries: TypeAlias = list[SessionSummary]

_PARTS = (TURNS, SOURCES, ROUNDS, FILES)
_SUMMARY = SessionSummary.__struct_fields__

# Statements are made once: to make one takes five times as long as to have it run.
_ID = bindparam("session_id", type_=ID)
_SESSION = select(SESSIONS.c.value, SESSIONS.c.title).where(SESSIONS.c.id == _ID)
# Nobody else writes to the conversation until the end of the transaction.
_HOLD = select(SESSIONS.c.id).where(SESSIONS.c.id == _ID).with_for_update()
_WAS_DELETED = select(DELETED.c.id).where(DELETED.c.id == _ID)
_VALUES = {
    table: select(table.c.value).where(table.c.session == _ID).order_by(table.c.place)
    for table in _PARTS
}
_NEWEST_NUMBER = {
    table: select(func.coalesce(func.max(table.c.place), 0)).where(table.c.session == _ID)
    for table in (SOURCES, ROUNDS)
}
_LAST_TURN = (
    select(TURNS.c.place, func.length(TURNS.c.value))
    .where(TURNS.c.session == _ID)
    .order_by(TURNS.c.place.desc())
    .limit(1)
)
_FILE_URLS = select(FILES.c.url).where(FILES.c.session == _ID).order_by(FILES.c.place)
_REPLACED = delete_from(TURNS).where(TURNS.c.session == _ID, TURNS.c.id == bindparam("turn_id"))
_COUNTED = (
    update(SESSIONS)
    .where(SESSIONS.c.id == _ID)
    .values(
        turns=SESSIONS.c.turns + bindparam("said"),
        updated_at=case(
            (SESSIONS.c.updated_at < bindparam("at"), bindparam("at")),
            else_=SESSIONS.c.updated_at,
        ),
    )
)
_ADDED = insert(TURNS).values(session=_ID, id=bindparam("turn_id"), value=bindparam("value"))
_CLEARED = {table: delete_from(table).where(table.c.session == _ID) for table in _PARTS}
_BEGUN_ANEW = update(SESSIONS).where(SESSIONS.c.id == _ID).values(turns=0, title="")
_RENAMED = update(SESSIONS).where(SESSIONS.c.id == _ID).values(title=bindparam("new_title"))
_GONE = delete_from(SESSIONS).where(SESSIONS.c.id == _ID)
_COUNT = select(func.count()).select_from(SESSIONS).where(SAID)
_LISTED = (
    select(*(SESSIONS.c[name] for name in _SUMMARY))
    .where(SAID)
    .order_by(SESSIONS.c.updated_at.desc(), SESSIONS.c.id.desc())
    .limit(bindparam("most"))
)
_LISTED_BEFORE = _LISTED.where(
    tuple_(SESSIONS.c.updated_at, SESSIONS.c.id)
    < tuple_(bindparam("at", type_=SECONDS), bindparam("before", type_=ID))
)
_EMPTIED = delete_from(SESSIONS).where(
    SESSIONS.c.asked == false(),
    SESSIONS.c.id.in_(
        select(SESSIONS.c.id)
        .where(SILENT)
        .order_by(SESSIONS.c.created_at.desc())
        .offset(bindparam("keep"))
    ),
)


def _put(new: postgresql.Insert | sqlite.Insert) -> Insert:
    """Return the statement that stores a conversation unless it was deleted."""
    # What the row has; the rest is counted.
    names = ("id", "title", "mode", "agent_id", "created_at", "updated_at", "asked", "value")
    given = [bindparam(name, type_=SESSIONS.c[name].type) for name in names]
    is_new = ~exists().where(DELETED.c.id == bindparam("id", type_=ID))
    new = new.from_select(names, select(*given).where(is_new))
    changed = {name: new.excluded[name] for name in ("mode", "agent_id", "asked", "value")}
    title = case((SESSIONS.c.title == "", new.excluded.title), else_=SESSIONS.c.title)
    return new.on_conflict_do_update(index_elements=["id"], set_={**changed, "title": title})


# What both have in common has two doors all the same.
_PUT = {"sqlite": _put(sqlite.insert(SESSIONS)), "postgresql": _put(postgresql.insert(SESSIONS))}
_KEEP_FILE = {
    "sqlite": sqlite.insert(FILES).on_conflict_do_nothing(),
    "postgresql": postgresql.insert(FILES).on_conflict_do_nothing(),
}


def glance(connection: Connection, session_id: str) -> Glance | None:
    """Return what shows whether the conversation changed, None when it is not stored."""
    row = connection.execute(_SESSION, {"session_id": session_id}).one_or_none()
    if row is None:
        return Glance(is_deleted=True) if _was_deleted(connection, session_id) else None
    last = _last_turn(connection, session_id)
    files = connection.scalars(_FILE_URLS, {"session_id": session_id})
    if about := _decode(row.value, Record, session_id):
        about.title = row.title
    return Glance(about=about, last=last, files=tuple(files))


def get(connection: Connection, session_id: str) -> Record | None:
    """Return the conversation, None when there is none that can be read."""
    row = connection.execute(_SESSION, {"session_id": session_id}).one_or_none()
    if row is None or (record := _decode(row.value, Record, session_id)) is None:
        return None
    turns = list(_values(connection, TURNS, Turn, session_id))
    sources = list(_values(connection, SOURCES, Source, session_id))
    rounds = list(_values(connection, ROUNDS, Round, session_id))
    files = list(_values(connection, FILES, OwnFile, session_id))
    record.title = row.title
    record.turns = [turn for turn in turns if turn]
    record.sources = tuple(source for source in sources if source)
    record.rounds = tuple(shown for shown in rounds if shown)
    record.files = tuple(file for file in files if file)
    if (len(record.sources), len(record.rounds)) != (len(sources), len(rounds)):
        # The number of what is missing could be given out again, for another page.
        return None
    return as_kept_now(record)


def put(connection: Connection, record: Record) -> None:
    """Store everything but the turns."""
    kept = msgspec.structs.replace(record, title="", turns=[], sources=(), rounds=(), files=())
    # Who is deleting it at the moment is waited for, and has said so then.
    _hold(connection, record.id)
    row = {
        "id": record.id,
        "title": record.title,
        "mode": record.mode,
        "agent_id": record.agent_id,
        "created_at": record.created_at,
        "updated_at": record.created_at,
        "asked": record.asked is not None,
        "value": msgspec.json.encode(kept),
    }
    if connection.execute(_PUT[connection.dialect.name], row).rowcount:
        numbered = [(source.number, source) for source in record.sources]
        _append(connection, SOURCES, record.id, numbered)
        _append(connection, ROUNDS, record.id, list(enumerate(record.rounds, 1)))


def add_turn(
    connection: Connection, session_id: str, turn: Turn
) -> tuple[LastTurn, LastTurn] | None:
    """Append ``turn``; return what was the last turn before, and what is now.

    None for a conversation that was deleted. Raise InvalidInput for one that was never put.
    """
    if not _hold(connection, session_id):
        if _was_deleted(connection, session_id):
            return None
        raise InvalidInput(f"The conversation {session_id} was not stored before its turn.")
    before = _last_turn(connection, session_id)
    this = {"session_id": session_id, "turn_id": turn.id}
    # Who opened the conversation meanwhile took it for interrupted.
    replaced = connection.execute(_REPLACED, this).rowcount
    said = int(turn.outcome != "command" and not replaced)
    connection.execute(_COUNTED, {"session_id": session_id, "said": said, "at": turn.at})
    value = msgspec.json.encode(turn)
    added = connection.execute(_ADDED, {**this, "value": value}).inserted_primary_key
    assert added is not None  # noqa: S101 - it is one row
    return before, (added.place, len(value))


def add_file(connection: Connection, session_id: str, file: OwnFile) -> None:
    """Keep ``file`` with a conversation that was put."""
    if _hold(connection, session_id):
        row = {"session": session_id, "url": file.url, "value": msgspec.json.encode(file)}
        connection.execute(_KEEP_FILE[connection.dialect.name], row)


def drop_file(connection: Connection, session_id: str, url: str) -> None:
    """Take a file away."""
    gone = delete_from(FILES).where(FILES.c.session == session_id, FILES.c.url == url)
    connection.execute(gone)


def clear(connection: Connection, session_id: str) -> None:
    """Take away what was said, and with it the title and the numbers."""
    _hold(connection, session_id)
    for statement in (*_CLEARED.values(), _BEGUN_ANEW):
        connection.execute(statement, {"session_id": session_id})


def list_newest(
    connection: Connection, limit: int, before: tuple[float, str] | None = None
) -> Summaries:
    """Return the newest conversations in which something was said."""
    most = {"most": max(limit, 0)}
    if before is None:
        rows = connection.execute(_LISTED, most)
    else:
        rows = connection.execute(_LISTED_BEFORE, {**most, "at": before[0], "before": before[1]})
    found = [msgspec.json.encode(dict(zip(_SUMMARY, row, strict=True))) for row in rows]
    return [each for raw in found if (each := _decode(raw, SessionSummary, "of the list"))]


def count(connection: Connection) -> int:
    """Return the number of conversations that are listed."""
    return connection.scalars(_COUNT).one()


def drop_empty(connection: Connection, keep: int) -> None:
    """Take away those in which nothing was said, but for the last ``keep``."""
    connection.execute(_EMPTIED, {"keep": keep})


def rename(connection: Connection, session_id: str, title: str) -> bool:
    """Give the conversation a title; tell whether there is one."""
    renamed = connection.execute(_RENAMED, {"session_id": session_id, "new_title": title})
    return renamed.rowcount > 0


def delete(connection: Connection, session_id: str) -> bool:
    """Take away the conversation; tell whether there was one."""
    known = connection.execute(_GONE, {"session_id": session_id}).rowcount > 0
    if known:
        connection.execute(insert(DELETED), {"id": session_id})
    return known


def _hold(connection: Connection, session_id: str) -> bool:
    """Let nobody else write to the conversation; tell whether it is there."""
    return connection.execute(_HOLD, {"session_id": session_id}).one_or_none() is not None


def _values(
    connection: Connection, table: Table, kind: type[T], session_id: str
) -> Iterator[T | None]:
    """Yield the rows of a conversation in their order, None for one that cannot be read."""
    for value in connection.scalars(_VALUES[table], {"session_id": session_id}):
        yield _decode(value, kind, session_id)


def _was_deleted(connection: Connection, session_id: str) -> bool:
    return connection.execute(_WAS_DELETED, {"session_id": session_id}).one_or_none() is not None


def _append(
    connection: Connection, table: Table, session_id: str, values: Sequence[tuple[int, object]]
) -> None:
    """Store what is newer than the newest that is stored."""
    if not values:
        return
    last = connection.scalars(_NEWEST_NUMBER[table], {"session_id": session_id}).one()
    new = [
        {"session": session_id, "place": place, "value": msgspec.json.encode(value)}
        for place, value in values
        if place > last
    ]
    if new:
        connection.execute(insert(table), new)


def _last_turn(connection: Connection, session_id: str) -> LastTurn:
    row = connection.execute(_LAST_TURN, {"session_id": session_id}).one_or_none()
    return NO_TURN if row is None else (row[0], row[1])


def _decode(value: Any, kind: type[T], session_id: str) -> T | None:
    """Return a stored value, None for one of another version or one that is damaged."""
    try:
        return msgspec.json.decode(value, type=kind)
    except (msgspec.DecodeError, TypeError, InvalidInput) as error:
        log.warning("a %s of conversation %s is skipped: %s", kind.__name__, session_id, error)
        return None
