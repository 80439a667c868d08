"""Batches answered by the process that was given them, where there is no Postgres.

A batch belongs to one of the processes that share the file, as a report does
(:mod:`citeseek.jobs.process_queue`).
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from contextlib import suppress
from contextvars import Context

from sqlalchemy import Connection

from citeseek.errors import CiteseekError
from citeseek.jobs.batch_run import PartRunner
from citeseek.jobs.batch_store import BatchStore
from citeseek.jobs.process_queue import BEAT_SECONDS, LOST_SECONDS, PAUSE_SECONDS
from citeseek.jobs.report_job import TakenOver

log = logging.getLogger(__name__)


class ProcessBatches:
    """Answers at most ``most`` parts at one time; the others wait in their order."""

    def __init__(self, store: BatchStore, runner: PartRunner, *, most: int) -> None:
        self.owner = secrets.token_hex(8)
        self._store = store
        self._runner = runner
        self._turn = asyncio.Semaphore(most)
        self._tasks: dict[tuple[str, int], asyncio.Task[None]] = {}
        self._beating: asyncio.Task[None] | None = None

    def add(self, connection: Connection, batch_id: str, part: int) -> None:
        """Do nothing: its row is all that there is to store."""

    def withdraw(self, connection: Connection, job: int | None) -> None:
        """Do nothing."""

    def added(self, batch_id: str, part: int) -> None:
        """Answer the part when it is its turn."""
        key = batch_id, part
        if key not in self._tasks:
            # Of the request that gave it, which ends, nothing is handed on.
            task = asyncio.create_task(self._run(batch_id, part), context=Context())
            self._tasks[key] = task
            task.add_done_callback(lambda _: self._tasks.pop(key))

    def withdrawn(self, batch_id: str) -> None:
        """Stop answering the batch."""
        for (each, _), task in self._tasks.items():
            if each == batch_id:
                task.cancel()

    async def start(self) -> None:
        """Go on with what an earlier process left, now and whenever one is lost."""
        self._beating = asyncio.create_task(self._beat())

    async def close(self) -> None:
        """Stop what is answered; another process does it."""
        tasks = [*self._tasks.values(), *([self._beating] if self._beating else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with suppress(CiteseekError):
            await self._store.release(self.owner)

    async def _run(self, batch_id: str, part: int) -> None:
        async with self._turn:
            queued = await self._answer(batch_id, part)
        if queued is not None:
            self.added(batch_id, queued)

    async def _answer(self, batch_id: str, part: int) -> int | None:
        while True:
            try:
                return await self._runner.run(batch_id, part, self, self.owner)
            except TakenOver:
                return None
            except CiteseekError as error:
                log.warning("the batch %s is gone on with later: %s", batch_id, error)
            await asyncio.sleep(PAUSE_SECONDS)

    async def _beat(self) -> None:
        while True:
            try:
                if self._tasks:
                    await self._store.beat(self.owner)
                for batch_id, part in await self._store.adopt(self.owner, LOST_SECONDS):
                    self.added(batch_id, part)
            except CiteseekError as error:
                log.warning("batches that others left are looked for later: %s", error)
            await asyncio.sleep(BEAT_SECONDS)
