"""The statements over the tables of conversations, in SQLite's words as in Postgres's.

Each that finds a conversation, or holds one for those that write to it, asks for that of ``whose``
alone. They are made once: to make one takes five times as long as to have it run.
"""

from __future__ import annotations

from string import ascii_lowercase, ascii_uppercase
from typing import Any

from sqlalchemy import (
    Insert,
    Select,
    Text,
    bindparam,
    case,
    cast,
    exists,
    false,
    func,
    insert,
    or_,
    select,
    tuple_,
    union_all,
    update,
)
from sqlalchemy import delete as delete_from
from sqlalchemy.dialects import postgresql, sqlite

from citeseek.conversations.conversation_record import SessionSummary
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

PARTS = (TURNS, SOURCES, ROUNDS, FILES)
SUMMARY = SessionSummary.__struct_fields__

_ID = bindparam("session_id", type_=ID)
_WHOSE = bindparam("whose", type_=ID)
_OWN = SESSIONS.c.person == _WHOSE
_THIS = (SESSIONS.c.id == _ID) & _OWN
SESSION = select(SESSIONS.c.value, SESSIONS.c.title, SESSIONS.c.head).where(_THIS)
# Nobody else writes to the conversation until the end of the transaction.
HOLD = select(SESSIONS.c.id).where(_THIS).with_for_update()
# The id of one that was deleted, or that is another person's: no new one may have it.
IS_TAKEN = union_all(
    select(DELETED.c.id).where(DELETED.c.id == _ID),
    select(SESSIONS.c.id).where(SESSIONS.c.id == _ID, SESSIONS.c.person != _WHOSE),
)
VALUES = {
    table: select(table.c.value).where(table.c.session == _ID).order_by(table.c.place)
    for table in PARTS
}
KEPT_TURNS = (
    select(TURNS.c.id, TURNS.c.follows, TURNS.c.value)
    .where(TURNS.c.session == _ID)
    .order_by(TURNS.c.place)
)
NEWEST_NUMBER = {
    table: select(func.coalesce(func.max(table.c.place), 0)).where(table.c.session == _ID)
    for table in (SOURCES, ROUNDS)
}
LAST_TURN = (
    select(TURNS.c.place, func.length(TURNS.c.value), TURNS.c.id)
    .where(TURNS.c.session == _ID)
    .order_by(TURNS.c.place.desc())
    .limit(1)
)
BEFORE_TURN = (
    select(TURNS.c.id)
    .where(TURNS.c.session == _ID, TURNS.c.place < bindparam("place"))
    .order_by(TURNS.c.place.desc())
    .limit(1)
)
THIS_TURN = select(TURNS.c.place, TURNS.c.follows).where(
    TURNS.c.session == _ID, TURNS.c.id == bindparam("turn_id")
)
HEAD = select(SESSIONS.c.head).where(SESSIONS.c.id == _ID)
FILE_URLS = select(FILES.c.url).where(FILES.c.session == _ID).order_by(FILES.c.place)
REPLACED = delete_from(TURNS).where(TURNS.c.session == _ID, TURNS.c.id == bindparam("turn_id"))
COUNTED = (
    update(SESSIONS)
    .where(SESSIONS.c.id == _ID)
    .values(
        turns=SESSIONS.c.turns + bindparam("said"),
        head=bindparam("turn_id"),
        updated_at=case(
            (SESSIONS.c.updated_at < bindparam("at"), bindparam("at")),
            else_=SESSIONS.c.updated_at,
        ),
    )
)
ADDED = insert(TURNS).values(
    session=_ID,
    id=bindparam("turn_id"),
    follows=bindparam("follows"),
    value=bindparam("value"),
)
UNCOUNTED = update(SESSIONS).where(SESSIONS.c.id == _ID).values(turns=SESSIONS.c.turns - 1)
FOLLOWED = (
    update(TURNS)
    .where(TURNS.c.session == _ID, TURNS.c.id == bindparam("follower"))
    .values(follows=bindparam("behind"))
)
AMENDED = (
    update(TURNS)
    .where(TURNS.c.session == _ID, TURNS.c.id == bindparam("turn_id"))
    .values(value=bindparam("new_value"))
)
SHOWN = update(SESSIONS).where(SESSIONS.c.id == _ID).values(head=bindparam("turn_id"))
CLEARED = {table: delete_from(table).where(table.c.session == _ID) for table in PARTS}
BEGUN_ANEW = update(SESSIONS).where(SESSIONS.c.id == _ID).values(turns=0, title="", head="")
RENAMED = update(SESSIONS).where(_THIS).values(title=bindparam("new_title"))
GONE = delete_from(SESSIONS).where(_THIS)
COUNT = select(func.count()).select_from(SESSIONS).where(_OWN, SAID)
LISTED = (
    select(*(SESSIONS.c[name] for name in SUMMARY))
    .where(_OWN, SAID)
    .order_by(SESSIONS.c.updated_at.desc(), SESSIONS.c.id.desc())
    .limit(bindparam("most"))
)
LISTED_BEFORE = LISTED.where(
    tuple_(SESSIONS.c.updated_at, SESSIONS.c.id)
    < tuple_(bindparam("at", type_=SECONDS), bindparam("before", type_=ID))
)
_TEXT = bindparam("text", type_=Text)
_LETTERS = (ascii_uppercase, ascii_lowercase)


def _mentioned(name: str) -> Select[Any]:
    """Return the list of those that hold ``text``, which is in small letters of ASCII.

    What holds it is a title or the bytes of a turn, in which the names of its fields are as well.
    """
    if name == "sqlite":
        title, value = func.lower(SESSIONS.c.title), func.lower(cast(TURNS.c.value, Text))
        holds = func.instr
    else:
        title = func.translate(SESSIONS.c.title, *_LETTERS)
        value = func.translate(func.convert_from(TURNS.c.value, "UTF8"), *_LETTERS)
        holds = func.strpos
    said = exists().where(TURNS.c.session == SESSIONS.c.id, holds(value, _TEXT) > 0)
    return LISTED.where(or_(holds(title, _TEXT) > 0, said))


MENTIONED = {name: _mentioned(name) for name in ("sqlite", "postgresql")}
MENTIONED_BEFORE = {
    name: statement.where(
        tuple_(SESSIONS.c.updated_at, SESSIONS.c.id)
        < tuple_(bindparam("at", type_=SECONDS), bindparam("before", type_=ID))
    )
    for name, statement in MENTIONED.items()
}
EMPTIED = delete_from(SESSIONS).where(
    SESSIONS.c.asked == false(),
    SESSIONS.c.id.in_(
        select(SESSIONS.c.id)
        .where(_OWN, SILENT)
        .order_by(SESSIONS.c.created_at.desc())
        .offset(bindparam("keep"))
    ),
)


def _put(new: postgresql.Insert | sqlite.Insert) -> Insert:
    """Return the statement that stores a conversation unless it was deleted, or is another's."""
    # What the row has; the rest is counted.
    names = (
        *("id", "person", "title", "mode", "agent_id", "created_at", "updated_at"),
        *("asked", "value"),
    )
    given = [bindparam(name, type_=SESSIONS.c[name].type) for name in names]
    is_new = ~exists().where(DELETED.c.id == bindparam("id", type_=ID))
    new = new.from_select(names, select(*given).where(is_new))
    changed = {name: new.excluded[name] for name in ("mode", "agent_id", "asked", "value")}
    title = case((SESSIONS.c.title == "", new.excluded.title), else_=SESSIONS.c.title)
    return new.on_conflict_do_update(
        index_elements=["id"],
        set_={**changed, "title": title},
        where=SESSIONS.c.person == new.excluded.person,
    )


# What both have in common has two doors all the same.
PUT = {"sqlite": _put(sqlite.insert(SESSIONS)), "postgresql": _put(postgresql.insert(SESSIONS))}
KEEP_FILE = {
    "sqlite": sqlite.insert(FILES).on_conflict_do_nothing(),
    "postgresql": postgresql.insert(FILES).on_conflict_do_nothing(),
}
