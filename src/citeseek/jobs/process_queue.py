"""Reports written by the process that was asked for them, where there is no Postgres.

A report belongs to one of the processes that share the file, which says every two seconds that it
is there. One that was not heard of for eight loses its reports to another, or to its successor.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from contextlib import suppress
from contextvars import Context

from sqlalchemy import Connection

from citeseek.errors import CiteseekError
from citeseek.jobs.report_job import TakenOver
from citeseek.jobs.report_run import ReportRunner
from citeseek.jobs.report_store import ReportStore

BEAT_SECONDS = 2.0
LOST_SECONDS = 8.0
# Before a report is gone on with whose database was away.
PAUSE_SECONDS = 1.0

log = logging.getLogger(__name__)


class ProcessQueue:
    """Writes at most ``most`` reports at one time; the others wait in their order."""

    def __init__(self, store: ReportStore, runner: ReportRunner, *, most: int) -> None:
        self.owner = secrets.token_hex(8)
        self._store = store
        self._runner = runner
        self._turn = asyncio.Semaphore(most)
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._beating: asyncio.Task[None] | None = None

    def add(self, connection: Connection, report_id: str) -> None:
        """Do nothing: its row is all that there is to store."""

    def withdraw(self, connection: Connection, job: int | None) -> None:
        """Do nothing."""

    def added(self, report_id: str) -> None:
        """Write the report when it is its turn."""
        if report_id not in self._tasks:
            # Of the request that asked for it, which ends, nothing is handed on.
            task = asyncio.create_task(self._run(report_id), context=Context())
            self._tasks[report_id] = task
            task.add_done_callback(lambda _: self._tasks.pop(report_id))

    def withdrawn(self, report_id: str) -> None:
        """Stop writing the report."""
        if task := self._tasks.get(report_id):
            task.cancel()

    async def start(self) -> None:
        """Go on with what an earlier process left, now and whenever one is lost."""
        self._beating = asyncio.create_task(self._beat())

    async def close(self) -> None:
        """Stop what is written; another process goes on with it from its journal."""
        tasks = [*self._tasks.values(), *([self._beating] if self._beating else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with suppress(CiteseekError):
            await self._store.release(self.owner)

    async def _run(self, report_id: str) -> None:
        async with self._turn:
            while True:
                try:
                    return await self._runner.run(report_id, self.owner)
                except TakenOver:
                    return None
                except CiteseekError as error:
                    log.warning("the report %s is gone on with later: %s", report_id, error)
                await asyncio.sleep(PAUSE_SECONDS)

    async def _beat(self) -> None:
        while True:
            try:
                if self._tasks:
                    await self._store.beat(self.owner)
                for report_id in await self._store.adopt(self.owner, LOST_SECONDS):
                    self.added(report_id)
            except CiteseekError as error:
                log.warning("reports that others left are looked for later: %s", error)
            await asyncio.sleep(BEAT_SECONDS)
