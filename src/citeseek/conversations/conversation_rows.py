"""What is read from and written to the tables of conversations, each within a transaction.

The functions are the methods of a store, for one connection and the ``person`` who asks: what is
another's is not there. Each may raise
:class:`sqlalchemy.exc.SQLAlchemyError`, for a database that is damaged, full, locked too long or
gone. Who writes to a conversation holds its row first, so that writers come one after the other.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

import msgspec
from sqlalchemy import Connection, Table, insert
from sqlalchemy import delete as delete_from

from citeseek.citations import Round, Source
from citeseek.conversations import statements
from citeseek.conversations.conversation_record import (
    NO_TURN,
    Glance,
    LastTurn,
    Record,
    Turn,
)
from citeseek.conversations.earlier_records import as_kept_now
from citeseek.conversations.tables import DELETED, FILES, ROUNDS, SOURCES
from citeseek.conversations.turn_versions import line_to, resolve
from citeseek.errors import InvalidInput
from citeseek.fetching.own_file import OwnFile

log = logging.getLogger(__name__)

T = TypeVar("T")


def glance(connection: Connection, person: str, session_id: str) -> Glance | None:
    """Return what shows whether the conversation changed, None when it is not stored."""
    this = {"session_id": session_id, "whose": person}
    row = connection.execute(statements.SESSION, this).one_or_none()
    if row is None:
        return Glance(is_deleted=True) if _is_taken(connection, person, session_id) else None
    last = _last_turn(connection, session_id)
    files = connection.scalars(statements.FILE_URLS, {"session_id": session_id})
    if about := decode(row.value, Record, session_id):
        about.title = row.title
    return Glance(about=about, last=last, files=tuple(files), head=row.head)


def get(connection: Connection, person: str, session_id: str) -> Record | None:
    """Return the conversation, None when there is none that can be read."""
    this = {"session_id": session_id, "whose": person}
    row = connection.execute(statements.SESSION, this).one_or_none()
    if row is None or (record := decode(row.value, Record, session_id)) is None:
        return None
    sources = list(_values(connection, SOURCES, Source, session_id))
    rounds = list(_values(connection, ROUNDS, Round, session_id))
    files = list(_values(connection, FILES, OwnFile, session_id))
    record.title = row.title
    record.turns, record.others = _get_turns(connection, session_id, row.head)
    record.sources = tuple(source for source in sources if source)
    record.rounds = tuple(shown for shown in rounds if shown)
    record.files = tuple(file for file in files if file)
    if (len(record.sources), len(record.rounds)) != (len(sources), len(rounds)):
        # The number of what is missing could be given out again, for another page.
        return None
    return as_kept_now(record)


def put(connection: Connection, person: str, record: Record) -> None:
    """Store everything but the turns."""
    kept = msgspec.structs.replace(
        record, title="", turns=[], others=[], sources=(), rounds=(), files=()
    )
    # Who is deleting it at the moment is waited for, and has said so then.
    _hold(connection, person, record.id)
    row = {
        "id": record.id,
        "title": record.title,
        "mode": record.mode,
        "agent_id": record.agent_id,
        "created_at": record.created_at,
        "updated_at": record.created_at,
        "asked": record.asked is not None,
        "value": msgspec.json.encode(kept),
        "person": person,
    }
    if connection.execute(statements.PUT[connection.dialect.name], row).rowcount:
        numbered = [(source.number, source) for source in record.sources]
        _append(connection, SOURCES, record.id, numbered)
        _append(connection, ROUNDS, record.id, list(enumerate(record.rounds, 1)))


def add_turn(
    connection: Connection, person: str, session_id: str, turn: Turn
) -> tuple[LastTurn, LastTurn] | None:
    """Append ``turn``; return what was the last turn before, and what is now.

    One that does not say what it follows goes on from what is shown at that time.
    None for a conversation that was deleted. Raise InvalidInput for one that was never put.
    """
    if not _hold(connection, person, session_id):
        if _is_taken(connection, person, session_id):
            return None
        raise InvalidInput(f"The conversation {session_id} was not stored before its turn.")
    before = _last_turn(connection, session_id)
    this = {"session_id": session_id, "turn_id": turn.id}
    follows = _find_followed(connection, session_id, turn)
    # Who opened the conversation meanwhile took it for interrupted.
    replaced = connection.execute(statements.REPLACED, this).rowcount
    said = int(turn.outcome != "command" and not replaced)
    connection.execute(statements.COUNTED, {**this, "said": said, "at": turn.at})
    value = msgspec.json.encode(turn)
    row = {**this, "follows": follows, "value": value}
    added = connection.execute(statements.ADDED, row).inserted_primary_key
    assert added is not None  # noqa: S101 - it is one row
    return before, (added.place, len(value))


def amend(connection: Connection, person: str, session_id: str, turn: Turn) -> LastTurn | None:
    """Store a turn as it is now, in its place; return the last turn, None for an unknown one."""
    if not _hold(connection, person, session_id):
        return None
    value = msgspec.json.encode(turn)
    row = {"session_id": session_id, "turn_id": turn.id, "new_value": value}
    known = connection.execute(statements.AMENDED, row).rowcount
    return _last_turn(connection, session_id) if known else None


def show(connection: Connection, person: str, session_id: str, turn_id: str) -> None:
    """Let ``turn_id`` be the last turn that is shown."""
    if _hold(connection, person, session_id):
        _show(connection, session_id, turn_id)


def _show(connection: Connection, session_id: str, turn_id: str) -> None:
    connection.execute(statements.SHOWN, {"session_id": session_id, "turn_id": turn_id})


def drop_turn(connection: Connection, person: str, session_id: str, turn_id: str) -> bool:
    """Take the turn away; tell whether there was one."""
    if not _hold(connection, person, session_id):
        return False
    this = {"session_id": session_id}
    rows = connection.execute(statements.KEPT_TURNS, this).all()
    follows = resolve((row.id, row.follows) for row in rows if row.id)
    if turn_id not in follows:
        return False
    behind = follows[turn_id]
    for follower in (each for each, before in follows.items() if before == turn_id):
        linked = {**this, "follower": follower, "behind": behind}
        connection.execute(statements.FOLLOWED, linked)
    if connection.scalars(statements.HEAD, this).one() == turn_id:
        _show(connection, session_id, behind)
    connection.execute(statements.REPLACED, {**this, "turn_id": turn_id})
    connection.execute(statements.UNCOUNTED, this)
    return True


def add_file(connection: Connection, person: str, session_id: str, file: OwnFile) -> None:
    """Keep ``file`` with a conversation that was put."""
    if _hold(connection, person, session_id):
        row = {"session": session_id, "url": file.url, "value": msgspec.json.encode(file)}
        connection.execute(statements.KEEP_FILE[connection.dialect.name], row)


def drop_file(connection: Connection, person: str, session_id: str, url: str) -> None:
    """Take a file away."""
    if _hold(connection, person, session_id):
        gone = delete_from(FILES).where(FILES.c.session == session_id, FILES.c.url == url)
        connection.execute(gone)


def clear(connection: Connection, person: str, session_id: str) -> None:
    """Take away what was said, and with it the title and the numbers."""
    if not _hold(connection, person, session_id):
        return
    for statement in (*statements.CLEARED.values(), statements.BEGUN_ANEW):
        connection.execute(statement, {"session_id": session_id})


def rename(connection: Connection, person: str, session_id: str, title: str) -> bool:
    """Give the conversation a title; tell whether there is one."""
    this = {"session_id": session_id, "whose": person}
    return connection.execute(statements.RENAMED, {**this, "new_title": title}).rowcount > 0


def delete(connection: Connection, person: str, session_id: str) -> bool:
    """Take away the conversation; tell whether there was one."""
    this = {"session_id": session_id, "whose": person}
    known = connection.execute(statements.GONE, this).rowcount > 0
    if known:
        connection.execute(insert(DELETED), {"id": session_id})
    return known


def _hold(connection: Connection, person: str, session_id: str) -> bool:
    """Let nobody else write to the conversation; tell whether it is there."""
    this = {"session_id": session_id, "whose": person}
    return connection.execute(statements.HOLD, this).one_or_none() is not None


def _get_turns(connection: Connection, session_id: str, head: str) -> tuple[list[Turn], list[Turn]]:
    """Return the turns that are shown, up to ``head`` or the newest, and the others.

    What cannot be read is left out, and what follows it stays.
    """
    rows = connection.execute(statements.KEPT_TURNS, {"session_id": session_id}).all()
    follows = resolve((row.id, row.follows) for row in rows if row.id)
    newest = next(reversed(follows), "")
    line = line_to(follows, head if head in follows else newest)
    kept = {
        turn.id: msgspec.structs.replace(turn, follows=follows[turn.id])
        for row in rows
        if row.id and (turn := decode(row.value, Turn, session_id))
    }
    shown = [turn for turn_id in line if (turn := kept.pop(turn_id, None))]
    return shown, list(kept.values())


def _values(
    connection: Connection, table: Table, kind: type[T], session_id: str
) -> Iterator[T | None]:
    """Yield the rows of a conversation in their order, None for one that cannot be read."""
    for value in connection.scalars(statements.VALUES[table], {"session_id": session_id}):
        yield decode(value, kind, session_id)


def _is_taken(connection: Connection, person: str, session_id: str) -> bool:
    """Whether no new conversation may have the id: one was deleted, or another person has it."""
    this = {"session_id": session_id, "whose": person}
    return connection.execute(statements.IS_TAKEN, this).first() is not None


def _append(
    connection: Connection, table: Table, session_id: str, values: Sequence[tuple[int, object]]
) -> None:
    """Store what is newer than the newest that is stored."""
    if not values:
        return
    last = connection.scalars(statements.NEWEST_NUMBER[table], {"session_id": session_id}).one()
    new = [
        {"session": session_id, "place": place, "value": msgspec.json.encode(value)}
        for place, value in values
        if place > last
    ]
    if new:
        connection.execute(insert(table), new)


def _find_followed(connection: Connection, session_id: str, turn: Turn) -> str:
    """Return the id of the turn from which ``turn`` goes on, empty for none."""
    if turn.follows is not None:
        return turn.follows
    this = {"session_id": session_id, "turn_id": turn.id}
    kept = connection.execute(statements.THIS_TURN, this).one_or_none()
    if kept is not None:
        if kept.follows is not None:
            return str(kept.follows)
        before = {"session_id": session_id, "place": kept.place}
        return connection.scalars(statements.BEFORE_TURN, before).one_or_none() or ""
    head = connection.scalars(statements.HEAD, {"session_id": session_id}).one()
    newest = connection.execute(statements.LAST_TURN, {"session_id": session_id}).one_or_none()
    return head or (newest.id if newest else "")


def _last_turn(connection: Connection, session_id: str) -> LastTurn:
    row = connection.execute(statements.LAST_TURN, {"session_id": session_id}).one_or_none()
    return NO_TURN if row is None else (row[0], row[1])


def decode(value: Any, kind: type[T], session_id: str) -> T | None:
    """Return a stored value, None for one of another version or one that is damaged."""
    try:
        return msgspec.json.decode(value, type=kind)
    except (msgspec.DecodeError, TypeError, InvalidInput) as error:
        log.warning("a %s of conversation %s is skipped: %s", kind.__name__, session_id, error)
        return None
