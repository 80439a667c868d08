"""What keeps conversations between visits, and what keeps none.

Databases are loaded where one is opened: who keeps nothing need not wait for them.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from citeseek.conversations.conversation_record import (
    Glance,
    LastTurn,
    Record,
    SessionFound,
    SessionSummary,
    Turn,
)
from citeseek.errors import InvalidInput
from citeseek.extras import MissingExtra, how_to_install, needing
from citeseek.fetching.own_file import OwnFile
from citeseek.settings import Settings

MAX_QUERY = 200
"""The longest text that conversations are searched for, in characters."""

if TYPE_CHECKING:
    from citeseek.conversations.database_store import DatabaseStore

# ruff: noqa: ARG002 - what it is told is forgotten


class Nowhere:
    """Takes conversations and forgets them."""

    async def get(self, session_id: str) -> Record | None:
        """Return None: there is no conversation."""

    async def glance(self, session_id: str) -> Glance | None:
        """Return None: nothing is stored."""

    async def put(self, record: Record) -> None:
        """Forget it."""

    async def add_turn(self, session_id: str, turn: Turn) -> tuple[LastTurn, LastTurn] | None:
        """Forget it."""

    async def amend(self, session_id: str, turn: Turn) -> LastTurn | None:
        """Forget it."""

    async def show(self, session_id: str, turn_id: str) -> None:
        """Do nothing."""

    async def drop_turn(self, session_id: str, turn_id: str) -> bool:
        """Return False: there is none."""
        return False

    async def add_file(self, session_id: str, file: OwnFile) -> None:
        """Forget it."""

    async def drop_file(self, session_id: str, url: str) -> None:
        """Do nothing."""

    async def clear(self, session_id: str) -> None:
        """Do nothing."""

    async def list(
        self, limit: int, before: tuple[float, str] | None = None
    ) -> list[SessionSummary]:
        """Return no conversation."""
        return []

    async def search(
        self, text: str, limit: int, before: tuple[float, str] | None = None
    ) -> builtins.list[SessionFound]:
        """Return no conversation."""
        return []

    async def change(self) -> object:
        """Return what never changes."""
        return 0

    async def count(self) -> int:
        """Return 0."""
        return 0

    async def drop_empty(self, keep: int) -> None:
        """Do nothing."""

    async def rename(self, session_id: str, title: str) -> bool:
        """Return False: there is none."""
        return False

    async def delete(self, session_id: str) -> bool:
        """Return False: there is none."""
        return False

    async def close(self) -> None:
        """Do nothing."""


class Store(Protocol):
    """Somewhere to keep conversations.

    Each belongs to the person for whom it was put, and for all others there is none
    (:mod:`citeseek.person`).

    Numbers of sources only grow. Where several processes answer in one conversation at the same
    time, all of its turns are kept, and of two pages with one number the first.
    """

    async def get(self, session_id: str) -> Record | None:
        """Return the conversation with its turns, None when there is none.

        What cannot be read, such as a turn of a later version, is skipped with a warning.
        """
        ...

    async def glance(self, session_id: str) -> Glance | None:
        """Return what shows whether the conversation changed, None when it was never stored."""
        ...

    async def put(self, record: Record) -> None:
        """Store the conversation but for its turns.

        New sources and rounds are added, none are taken away. The title counts while there is
        none: afterwards only :meth:`rename` changes it.
        """
        ...

    async def add_turn(self, session_id: str, turn: Turn) -> tuple[LastTurn, LastTurn] | None:
        """Append ``turn`` to a conversation, which must have been put before, and show it.

        Return the last turn before and now, None when the conversation was deleted. Raise
        InvalidInput when it was not put.
        """
        ...

    async def amend(self, session_id: str, turn: Turn) -> LastTurn | None:
        """Store a turn that was added as it is now, in its place.

        Return the last turn now, None when there is no such turn.
        """
        ...

    async def show(self, session_id: str, turn_id: str) -> None:
        """Let ``turn_id`` be the last turn that is shown: what it follows is, and nothing else.

        Each turn that is added becomes the last one.
        """
        ...

    async def drop_turn(self, session_id: str, turn_id: str) -> bool:
        """Take one turn away for good; False when there is none.

        What followed it goes on from what it followed, and its sources keep their numbers.
        """
        ...

    async def add_file(self, session_id: str, file: OwnFile) -> None:
        """Keep ``file`` with a conversation that was put, and delete it with that."""
        ...

    async def drop_file(self, session_id: str, url: str) -> None:
        """Take the file with this ``url`` away for good."""
        ...

    async def clear(self, session_id: str) -> None:
        """Take away turns, sources, rounds and title: the conversation begins anew."""
        ...

    async def list(
        self, limit: int, before: tuple[float, str] | None = None
    ) -> list[SessionSummary]:
        """Return the last ``limit`` conversations in which something was said, newest first.

        ``before`` is the ``place`` of the last one seen, for the next page.
        """
        ...

    async def search(
        self, text: str, limit: int, before: tuple[float, str] | None = None
    ) -> builtins.list[SessionFound]:
        """Return the last ``limit`` conversations that mention ``text``, newest first.

        It is looked for in titles, questions and answers, whatever the size of its letters, and in
        the versions that are not shown.
        ``before`` is the ``place`` of the last one seen.
        """
        ...

    async def change(self) -> object:
        """Return what is another, compared with ==, after each change, also by another process."""
        ...

    async def count(self) -> int:
        """Return how many conversations are kept in which something was said."""
        ...

    async def drop_empty(self, keep: int) -> None:
        """Forget those in which nothing was said, but for the ``keep`` that were begun last."""
        ...

    async def rename(self, session_id: str, title: str) -> bool:
        """Give it a title of at most 60 characters; False when there is no such conversation.

        Raise InvalidInput for an empty title.
        """
        ...

    async def delete(self, session_id: str) -> bool:
        """Delete it for good; False when there is no such conversation.

        What an answer still under way puts or adds afterwards is dropped.
        """
        ...

    async def close(self) -> None:
        """Give back what the store holds open."""
        ...


def open_store(settings: Settings) -> DatabaseStore:
    """Open what the settings say keeps conversations: a file, or a database on a server.

    Raise InvalidInput when it cannot be used, or for a database whose libraries are missing.
    """
    if address := settings.database_url:
        with _needing_scale():
            from citeseek.conversations.postgres_store import PostgresStore  # noqa: PLC0415 - see above

        return PostgresStore(address)
    with needing("agent"):
        from citeseek.conversations.sqlite_store import SqliteStore  # noqa: PLC0415 - see above

    return SqliteStore(settings.sessions_file)


def bring_up(settings: Settings) -> bool:
    """Make the tables of a database on a server those of this version; False where there is none.

    A file is brought up when it is opened. Raise as :func:`open_store` does.
    """
    if not (address := settings.database_url):
        return False
    with _needing_scale():
        from citeseek.conversations import postgres  # noqa: PLC0415 - see above

    standing = postgres.upgrade(address)
    if standing.state != "ok":
        raise standing.refusal()
    return True


@contextmanager
def _needing_scale() -> Iterator[None]:
    """Import within: a setting asks for the extra, so the setting is what cannot be followed."""
    try:
        with needing("scale"):
            yield
    except MissingExtra as error:
        raise InvalidInput(
            "The setting database.url (CITESEEK_DATABASE_URL) needs libraries that are missing.",
            hint=str(error),
            values={"case": "database_libraries", "repair": how_to_install("scale")},
        ) from None


def open_memory() -> DatabaseStore:
    """Return a store of which nothing is left when the process ends."""
    with needing("agent"):
        from citeseek.conversations.sqlite_store import MemoryStore  # noqa: PLC0415 - see above

    return MemoryStore()
