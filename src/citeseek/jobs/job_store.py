"""What the stores of reports and batches share: database, owners, ids, and news of changes."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Sequence
from contextlib import suppress
from typing import ClassVar

from citeseek.conversations.database_store import DatabaseStore
from citeseek.conversations.store import Store, open_memory
from citeseek.jobs.open_jobs import OpenJobs
from citeseek.person import current_person

# How soon readers see what another process does.
_LOOK_SECONDS = 0.5


class JobStore:
    """Jobs in ``database``."""

    _open: ClassVar[OpenJobs]

    def __init__(self, database: DatabaseStore) -> None:
        self._database = database
        self._news = asyncio.Event()

    async def list_open(self) -> Sequence[str]:
        """Return the jobs of the current person that have not ended."""
        return await self._database.read(self._open.of_person, current_person().name)

    async def beat(self, owner: str) -> None:
        """Say that ``owner`` is there."""
        await self._database.write(self._open.beat, owner)

    async def release(self, owner: str) -> None:
        """Let others have what ``owner`` has not begun, or not done."""
        await self._database.write(self._open.release, owner)

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
