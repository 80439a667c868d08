"""One answer or one report that its person shares by a link, until they take it back."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, delete, func, insert, select

from citeseek.conversations.conversation_record import Turn, is_session_id
from citeseek.conversations.database_store import DatabaseStore
from citeseek.conversations.tables import REPORTS, SESSIONS, SHARES, TURNS
from citeseek.errors import Busy, NoConversation, NoReport, NoShare
from citeseek.person import check_keeps, current_person

# Bytes of chance in a link: nobody finds one by trying.
_BYTES = 18
MAX_SHARED = 1_000


class Share(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A link: its ``id``, and the ``turn`` of ``session``, or the ``report``, to which it leads.

    ``created_at`` is in seconds since 1970.
    """

    id: str
    created_at: float
    session: str | None = None
    turn: str | None = None
    report: str | None = None


class Shared(msgspec.Struct, frozen=True, kw_only=True):
    """What a link shows: a turn, or the run result of a report."""

    turn: Turn | None = None
    run: Mapping[str, Any] | None = None


class Shares:
    """The links in ``database``. All but :meth:`open` is about those of the current person."""

    def __init__(self, database: DatabaseStore) -> None:
        self._database = database

    async def share_answer(self, session_id: str, turn_id: str) -> Share:
        """Return the link to an answer, the one that there is or a new one.

        Raise NoConversation, Busy when 1,000 are shared, NotPermitted for a guest.
        """
        check_keeps()
        if not is_session_id(session_id):
            raise _no_turn(turn_id)
        return await self._database.write(_share_answer, current_person().name, session_id, turn_id)

    async def share_report(self, report_id: str) -> Share:
        """Return the link to a report that ended well.

        Raise NoReport for any other, Busy and NotPermitted as above.
        """
        check_keeps()
        return await self._database.write(_share_report, current_person().name, report_id)

    async def list(self) -> Sequence[Share]:
        """Return the links, the newest first."""
        return await self._database.read(_list, current_person().name)

    async def take_back(self, share_id: str) -> None:
        """Let a link lead nowhere; raise NoShare."""
        if not await self._database.erase(_take_back, current_person().name, share_id):
            raise NoShare(
                f"There is no link {share_id!r:.60}.",
                values={"case": "unknown", "id": f"{share_id:.60}"},
            )

    async def open(self, share_id: str) -> Shared | None:
        """Return what a link shows to whoever has it, None when it leads nowhere."""
        return await self._database.read(_open, share_id)


def _share_answer(connection: Connection, person: str, session_id: str, turn_id: str) -> Share:
    mine = select(TURNS.c.value).join(SESSIONS, SESSIONS.c.id == TURNS.c.session)
    mine = mine.where(
        SESSIONS.c.id == session_id, SESSIONS.c.person == person, TURNS.c.id == turn_id
    )
    if turn_id == "" or connection.execute(mine).first() is None:
        raise _no_turn(turn_id)
    return _share(connection, person, session=session_id, turn=turn_id)


def _share_report(connection: Connection, person: str, report_id: str) -> Share:
    mine = select(REPORTS.c.id).where(
        REPORTS.c.id == report_id, REPORTS.c.person == person, REPORTS.c.state == "finished"
    )
    if connection.execute(mine).first() is None:
        raise NoReport(
            f"There is no report {report_id!r:.60} that has ended well.",
            values={"case": "unknown", "id": f"{report_id:.60}"},
        )
    return _share(connection, person, report=report_id)


def _share(connection: Connection, person: str, **what: str) -> Share:
    own = SHARES.c.person == person
    same = [SHARES.c[name] == value for name, value in what.items()]
    if row := connection.execute(select(SHARES).where(own, *same)).first():
        return _as_share(row)
    kept = connection.scalar(select(func.count()).select_from(SHARES).where(own)) or 0
    if kept >= MAX_SHARED:
        raise Busy(
            f"No more than {MAX_SHARED:,} answers and reports are shared.",
            hint="Take back some links that are no longer needed.",
            detail_code="too_many_shares",
            values={"case": "kept", "most": f"{MAX_SHARED:,}"},
        )
    share = Share(id=secrets.token_urlsafe(_BYTES), created_at=time.time(), **what)
    values = {"id": share.id, "person": person, "created_at": share.created_at, **what}
    connection.execute(insert(SHARES), values)
    return share


def _list(connection: Connection, person: str) -> Sequence[Share]:
    newest = SHARES.c.created_at.desc(), SHARES.c.id
    own = select(SHARES).where(SHARES.c.person == person).order_by(*newest)
    return list(map(_as_share, connection.execute(own)))


def _take_back(connection: Connection, person: str, share_id: str) -> bool:
    own = (SHARES.c.id == share_id) & (SHARES.c.person == person)
    return connection.execute(delete(SHARES).where(own)).rowcount > 0


def _open(connection: Connection, share_id: str) -> Shared | None:
    row = connection.execute(select(SHARES).where(SHARES.c.id == share_id)).first()
    if row is None:
        return None
    if row.report is not None:
        run = connection.scalar(select(REPORTS.c.result).where(REPORTS.c.id == row.report))
        return None if run is None else Shared(run=msgspec.json.decode(run, type=dict[str, Any]))
    of_turn = (TURNS.c.session == row.session) & (TURNS.c.id == row.turn)
    value = connection.scalar(select(TURNS.c.value).where(of_turn))
    # It was dropped from its conversation.
    return None if value is None else Shared(turn=msgspec.json.decode(value, type=Turn))


def _as_share(row: Row[Any]) -> Share:
    return Share(**{name: getattr(row, name) for name in Share.__struct_fields__})


def _no_turn(turn_id: str) -> NoConversation:
    return NoConversation(
        f"There is no turn {turn_id!r:.60} in a conversation of yours.",
        values={"case": "no_turn", "id": f"{turn_id!r:.60}"},
    )
