"""The list of conversations: the newest, those that mention words, and how many there are.

As in :mod:`citeseek.conversations.conversation_rows`, each function works in a transaction, for the
``person`` who asks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from string import ascii_lowercase, ascii_uppercase
from typing import Any, TypeAlias

import msgspec
from sqlalchemy import Connection

from citeseek.conversations import statements
from citeseek.conversations.conversation_record import (
    SessionFound,
    SessionSummary,
    title_of,
)
from citeseek.conversations.conversation_rows import decode, get
from citeseek.conversations.mention import find_in_markdown, find_mention, mention_of

_SMALL = {ord(large): small for large, small in zip(ascii_uppercase, ascii_lowercase, strict=True)}

Summaries: TypeAlias = list[SessionSummary]


def list_newest(
    connection: Connection, person: str, limit: int, before: tuple[float, str] | None = None
) -> Summaries:
    """Return the newest conversations in which something was said."""
    most = {"whose": person, "most": max(limit, 0)}
    if before is None:
        rows = connection.execute(statements.LISTED, most)
    else:
        rows = connection.execute(
            statements.LISTED_BEFORE, {**most, "at": before[0], "before": before[1]}
        )
    return _summaries(rows)


def _summaries(rows: Iterable[Sequence[Any]]) -> Summaries:
    found = [msgspec.json.encode(dict(zip(statements.SUMMARY, row, strict=True))) for row in rows]
    return [each for raw in found if (each := decode(raw, SessionSummary, "of the list"))]


def search(
    connection: Connection,
    person: str,
    text: str,
    limit: int,
    before: tuple[float, str] | None = None,
) -> list[SessionFound]:
    """Return the newest conversations whose title or text mentions ``text``."""
    found: list[SessionFound] = []
    while len(found) < limit:
        listed = _list_mentioning(connection, person, text, limit, before)
        found += filter(None, (_mention(connection, person, each, text) for each in listed))
        if len(listed) < limit:
            break
        before = listed[-1].place
    return found[:limit]


def _list_mentioning(
    connection: Connection, person: str, text: str, limit: int, before: tuple[float, str] | None
) -> Summaries:
    """Return conversations that hold ``text``, be it in the name of a field."""
    name = connection.dialect.name
    # As it stands in JSON; the database knows small letters of ASCII alone.
    stored = msgspec.json.encode(text)[1:-1].decode().translate(_SMALL)
    values: dict[str, object] = {"whose": person, "text": stored, "most": limit}
    statement = statements.MENTIONED[name]
    if before is not None:
        values |= {"at": before[0], "before": before[1]}
        statement = statements.MENTIONED_BEFORE[name]
    return _summaries(connection.execute(statement, values))


def _mention(
    connection: Connection, person: str, summary: SessionSummary, text: str
) -> SessionFound | None:
    """Return where a conversation mentions ``text``, None when it does not.

    What is shown comes first, then the versions that are not.
    """
    wanted = mention_of(text)
    record = get(connection, person, summary.id)
    in_title = find_mention(wanted, summary.title, whole=True)
    found = None
    for turn in (*record.turns, *record.others) if record else ():
        asked = find_mention(wanted, turn.message)
        if asked and in_title and title_of(turn.message) == summary.title:
            found = found or SessionFound(summary=summary, title=in_title, turn_id=turn.id)
            asked = None
        if mention := asked or find_in_markdown(wanted, turn.written or turn.answer):
            return SessionFound(summary=summary, title=in_title, excerpt=mention, turn_id=turn.id)
    return found or (SessionFound(summary=summary, title=in_title) if in_title else None)


def count(connection: Connection, person: str) -> int:
    """Return the number of conversations that are listed."""
    return connection.scalars(statements.COUNT, {"whose": person}).one()


def drop_empty(connection: Connection, person: str, keep: int) -> None:
    """Take away those in which nothing was said, but for the last ``keep``."""
    connection.execute(statements.EMPTIED, {"whose": person, "keep": keep})
