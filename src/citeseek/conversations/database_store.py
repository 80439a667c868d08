"""A store over the tables of conversations, whichever database they are in."""

from __future__ import annotations

import builtins
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

import msgspec
from sqlalchemy import Connection

from citeseek.concurrency.admission import RETRY_SECONDS
from citeseek.conversations import conversation_list
from citeseek.conversations import conversation_rows as rows
from citeseek.conversations.conversation_record import (
    Glance,
    LastTurn,
    Record,
    SessionFound,
    Turn,
    is_session_id,
    title_of,
)
from citeseek.errors import Busy, CiteseekError, InvalidInput
from citeseek.fetching.own_file import OwnFile
from citeseek.person import current_person

P = ParamSpec("P")
T = TypeVar("T")


class DatabaseStore(ABC):
    """The methods of a :class:`~citeseek.conversations.store.Store`, each a transaction.

    Each finds what belongs to the current person (:mod:`citeseek.person`), and nothing else.

    Every method raises Busy when the database could not be written to or read for 5 seconds, and
    CiteseekError when it is damaged. What a caller began is done though it is cancelled.
    """

    async def get(self, session_id: str) -> Record | None:
        """Return the conversation with all of its turns that can be read."""
        return (
            await self.read(rows.get, current_person().name, session_id)
            if is_session_id(session_id)
            else None
        )

    async def glance(self, session_id: str) -> Glance | None:
        """Return what shows whether the conversation changed."""
        return (
            await self.read(rows.glance, current_person().name, session_id)
            if is_session_id(session_id)
            else None
        )

    async def put(self, record: Record) -> None:
        """Store the conversation as it is now, but for its turns."""
        await self.write(rows.put, current_person().name, msgspec.structs.replace(record))

    async def add_turn(self, session_id: str, turn: Turn) -> tuple[LastTurn, LastTurn] | None:
        """Append ``turn`` without touching the earlier ones."""
        return await self.write(rows.add_turn, current_person().name, session_id, turn)

    async def amend(self, session_id: str, turn: Turn) -> LastTurn | None:
        """Store a turn as it is now, in its place."""
        return await self.write(rows.amend, current_person().name, session_id, turn)

    async def show(self, session_id: str, turn_id: str) -> None:
        """Let ``turn_id`` be the last turn that is shown."""
        await self.write(rows.show, current_person().name, session_id, turn_id)

    async def drop_turn(self, session_id: str, turn_id: str) -> bool:
        """Take one turn away."""
        return await self.erase(rows.drop_turn, current_person().name, session_id, turn_id)

    async def add_file(self, session_id: str, file: OwnFile) -> None:
        """Keep ``file`` with the conversation."""
        await self.write(rows.add_file, current_person().name, session_id, file)

    async def drop_file(self, session_id: str, url: str) -> None:
        """Take a file away."""
        await self.erase(rows.drop_file, current_person().name, session_id, url)

    async def clear(self, session_id: str) -> None:
        """Let the conversation begin anew."""
        await self.erase(rows.clear, current_person().name, session_id)

    async def list(
        self, limit: int, before: tuple[float, str] | None = None
    ) -> conversation_list.Summaries:
        """Return the conversations in which something was said, newest first."""
        return await self.read(conversation_list.list_newest, current_person().name, limit, before)

    async def search(
        self, text: str, limit: int, before: tuple[float, str] | None = None
    ) -> builtins.list[SessionFound]:
        """Return the conversations that mention ``text``, newest first."""
        return await self.read(conversation_list.search, current_person().name, text, limit, before)

    @abstractmethod
    async def change(self) -> object:
        """Return what is another after each change; this costs next to nothing."""

    async def count(self) -> int:
        """Return how many conversations are listed."""
        return await self.read(conversation_list.count, current_person().name)

    async def drop_empty(self, keep: int) -> None:
        """Forget empty conversations, the oldest first."""
        await self.write(conversation_list.drop_empty, current_person().name, keep)

    async def rename(self, session_id: str, title: str) -> bool:
        """Give the conversation another title."""
        if not (title := title_of(title)):
            raise InvalidInput(
                "A title needs at least one character.", values={"case": "title_empty"}
            )
        return await self.write(rows.rename, current_person().name, session_id, title)

    async def delete(self, session_id: str) -> bool:
        """Delete the conversation for good."""
        return await self.erase(rows.delete, current_person().name, session_id)

    @abstractmethod
    async def close(self) -> None:
        """Close the database after what is under way; closing again does nothing."""

    @abstractmethod
    async def read(
        self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Do ``work``, which sees one state of all tables."""

    @abstractmethod
    async def write(
        self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Do all of ``work`` or nothing."""

    async def erase(
        self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Do ``work`` so that nothing stays of what it deletes."""
        return await self.write(work, *args, **kwargs)

    @abstractmethod
    async def compact(self) -> None:
        """Leave nothing of what was deleted in room that is free now."""


def unavailable(what: str, reason: str, *, hint: str) -> Busy:
    """Return the error of a database that cannot be used at the moment, and may be later."""
    return Busy(
        f"The {what} of conversations cannot be used at the moment ({reason}).",
        hint=hint,
        detail_code="sessions_unavailable",
        retry_after=RETRY_SECONDS,
        values={"case": what, "reason": reason},
    )


def damage_error(what: str, reason: str, *, hint: str) -> CiteseekError:
    """Return the error of a database that does not hold what it should."""
    return CiteseekError(
        f"The {what} of conversations is damaged ({reason}).",
        hint=hint,
        values={"case": f"damaged_{what}", "reason": reason},
    )
