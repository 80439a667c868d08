"""Reports and batches done by the process that was given them, where there is no Postgres.

Each belongs to one of the processes that share the file, which says every two seconds that it is
there. One that was not heard of for eight loses what it has to another, or to its successor.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from contextlib import suppress
from contextvars import Context
from typing import Generic, Protocol, TypeAlias, TypeVar

from sqlalchemy import Connection

from citeseek.errors import CiteseekError
from citeseek.jobs.batch_run import PartRunner
from citeseek.jobs.batch_store import BatchStore
from citeseek.jobs.report_job import TakenOver
from citeseek.jobs.report_run import ReportRunner
from citeseek.jobs.report_store import ReportStore

BEAT_SECONDS = 2.0
LOST_SECONDS = 8.0
# Before something is gone on with whose database was away.
PAUSE_SECONDS = 1.0

log = logging.getLogger(__name__)
Key = TypeVar("Key", bound=Hashable)
Keys_co = TypeVar("Keys_co", covariant=True)
# A batch, and a part of it.
Part: TypeAlias = tuple[str, int]


class OwnedJobs(Protocol[Keys_co]):
    """Keeps whose each job is."""

    async def beat(self, owner: str) -> None:
        """Say that ``owner`` is there."""
        ...

    async def adopt(self, owner: str, seconds: float) -> Sequence[Keys_co]:
        """Give ``owner`` those whose owner was not heard of for ``seconds``; return them."""
        ...

    async def release(self, owner: str) -> None:
        """Let others have what ``owner`` has not done."""
        ...


class ProcessQueue(ABC, Generic[Key]):
    """Does at most ``most`` tasks at one time; the others wait in their order.

    ``noun`` and ``nouns`` are what its log calls what it does.
    """

    noun: str
    nouns: str

    def __init__(self, store: OwnedJobs[Key], *, most: int) -> None:
        self.owner = secrets.token_hex(8)
        self._owned = store
        self._turn = asyncio.Semaphore(most)
        self._tasks: dict[Key, asyncio.Task[None]] = {}
        self._beating: asyncio.Task[None] | None = None

    @abstractmethod
    async def attempt(self, key: Key) -> Key | None:
        """Do one task; return what is to be begun behind it. Raise TakenOver or CiteseekError."""

    @abstractmethod
    def job_of(self, key: Key) -> str:
        """Return the id of the job that the task is of."""

    def withdraw(self, connection: Connection, job: int | None) -> None:
        """Do nothing: its row is all that there is to store."""

    def withdrawn(self, job_id: str, /) -> None:
        """Stop what is done of the job."""
        for key, task in self._tasks.items():
            if self.job_of(key) == job_id:
                task.cancel()

    async def start(self) -> None:
        """Go on with what an earlier process left, now and whenever one is lost."""
        self._beating = asyncio.create_task(self._beat())

    async def close(self) -> None:
        """Stop what is done; another process goes on with it."""
        tasks = [*self._tasks.values(), *([self._beating] if self._beating else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with suppress(CiteseekError):
            await self._owned.release(self.owner)

    def begin(self, key: Key) -> None:
        """Do the task when it is its turn."""
        if key not in self._tasks:
            # Of the request that gave it, which ends, nothing is handed on.
            task = asyncio.create_task(self._run(key), context=Context())
            self._tasks[key] = task
            task.add_done_callback(lambda _: self._tasks.pop(key))

    async def _run(self, key: Key) -> None:
        async with self._turn:
            following = await self._finish(key)
        if following is not None:
            self.begin(following)

    async def _finish(self, key: Key) -> Key | None:
        while True:
            try:
                return await self.attempt(key)
            except TakenOver:
                return None
            except CiteseekError as error:
                log.warning(
                    "the %s %s is gone on with later: %s", self.noun, self.job_of(key), error
                )
            await asyncio.sleep(PAUSE_SECONDS)

    async def _beat(self) -> None:
        while True:
            try:
                if self._tasks:
                    await self._owned.beat(self.owner)
                for key in await self._owned.adopt(self.owner, LOST_SECONDS):
                    self.begin(key)
            except CiteseekError as error:
                log.warning("%s that others left are looked for later: %s", self.nouns, error)
            await asyncio.sleep(BEAT_SECONDS)


class ProcessReports(ProcessQueue[str]):
    """Writes reports; one that is stopped is gone on with from its journal."""

    noun, nouns = "report", "reports"

    def __init__(self, store: ReportStore, runner: ReportRunner, *, most: int) -> None:
        super().__init__(store, most=most)
        self._runner = runner

    def add(self, connection: Connection, report_id: str) -> None:
        """Do nothing: its row is all that there is to store."""

    def added(self, report_id: str) -> None:
        """Write the report when it is its turn."""
        self.begin(report_id)

    async def attempt(self, key: str) -> None:
        """Write the report."""
        await self._runner.run(key, self.owner)

    def job_of(self, key: str) -> str:
        """Return the report itself."""
        return key


class ProcessBatches(ProcessQueue[Part]):
    """Answers parts of batches."""

    noun, nouns = "batch", "batches"

    def __init__(self, store: BatchStore, runner: PartRunner, *, most: int) -> None:
        super().__init__(store, most=most)
        self._runner = runner

    def add(self, connection: Connection, batch_id: str, part: int) -> None:
        """Do nothing: its row is all that there is to store."""

    def added(self, batch_id: str, part: int) -> None:
        """Answer the part when it is its turn."""
        self.begin((batch_id, part))

    async def attempt(self, key: Part) -> Part | None:
        """Answer the part; return the one that was queued for it."""
        batch_id, part = key
        queued = await self._runner.run(batch_id, part, self, self.owner)
        return None if queued is None else (batch_id, queued)

    def job_of(self, key: Part) -> str:
        """Return the batch."""
        return key[0]
