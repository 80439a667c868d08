"""What the stores of reports and batches share: their database, ids, and who hears of changes."""

from __future__ import annotations

import asyncio
import re
import secrets
from contextlib import suppress

from citeseek.conversations.database_store import DatabaseStore
from citeseek.conversations.store import Store, open_memory

# How soon readers see what another process does.
_LOOK_SECONDS = 0.5


class JobStore:
    """Jobs in ``database``."""

    def __init__(self, database: DatabaseStore) -> None:
        self._database = database
        self._news = asyncio.Event()

    async def _wait(self, news: asyncio.Event) -> None:
        """Wait until something changed here, or a moment: another process tells nobody here."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_LOOK_SECONDS):
                await news.wait()

    def _tell(self) -> None:
        """Let readers of this process look at once."""
        self._news.set()
        self._news = asyncio.Event()


def new_id() -> str:
    """Return an id that no other job has."""
    return secrets.token_hex(8)


def checked_id(job_id: str) -> str:
    """Return what may be an id; others, which no database need hold, name nothing."""
    return job_id if re.fullmatch("[0-9a-f]{16}", job_id) else ""


def database_beside(conversations: Store) -> tuple[DatabaseStore, DatabaseStore | None]:
    """Return where the jobs are kept, and the same where it is theirs alone to close."""
    if isinstance(conversations, DatabaseStore):
        return conversations, None
    own = open_memory()
    return own, own
