"""The door to reports that outlive the request for them: ask, look, list, follow, cancel."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any

from citeseek.client import Client
from citeseek.conversations.database_store import DatabaseStore
from citeseek.conversations.store import Store
from citeseek.jobs.job_queue import ReportQueue
from citeseek.jobs.job_store import database_beside
from citeseek.jobs.process_queue import ProcessReports
from citeseek.jobs.report_job import ReportJob, ReportOrder
from citeseek.jobs.report_run import ReportRunner
from citeseek.jobs.report_store import ReportStore
from citeseek.observing.operation import Watcher
from citeseek.person import check_keeps
from citeseek.research import Progress
from citeseek.settings import Settings

# Of a file; a database on a server has whoever runs it to say how much it holds.
MAX_KEPT = 10_000


class Reports:
    """The reports of ``store``, written by whoever takes them from ``queue``.

    At most ``most`` are kept, None for any number. ``database`` is closed with it.
    """

    def __init__(
        self,
        store: ReportStore,
        queue: ReportQueue,
        *,
        most: int | None = MAX_KEPT,
        database: DatabaseStore | None = None,
    ) -> None:
        self._store = store
        self._queue = queue
        self._most = most
        self._database = database

    async def start(self) -> None:
        """Begin to write reports, those that an earlier process left as well."""
        await self._queue.start()

    async def close(self) -> None:
        """Stop; what is not finished is left for another."""
        await self._queue.close()
        if self._database is not None:
            await self._database.close()

    async def ask(self, order: ReportOrder) -> ReportJob:
        """Keep what is asked and return how it stands.

        Raise Busy when too many are kept or wait, NotPermitted for a guest.
        """
        check_keeps()
        job = await self._store.put(order, self._queue, most=self._most)
        self._queue.added(job.id)
        return job

    async def get(self, report_id: str) -> ReportJob:
        """Return how a report stands; raise NoReport."""
        return await self._store.get(report_id)

    async def list(
        self, limit: int, before: tuple[float, str] | None = None
    ) -> Sequence[ReportJob]:
        """Return the reports that were asked for last, the newest first, from behind ``before``."""
        return await self._store.list(limit, before)

    def watch(self, limit: int) -> AsyncGenerator[Sequence[ReportJob]]:
        """Yield that list after each change, and every 15 s when there is none."""
        return self._store.watch(limit)

    def watch_one(self, report_id: str) -> AsyncGenerator[ReportJob]:
        """Yield how a report stands in the same way, until it has ended; raise NoReport."""
        return self._store.watch_one(report_id)

    async def result(self, report_id: str) -> dict[str, Any] | None:
        """Return the run result of a report that has ended, None without one."""
        return await self._store.result(report_id)

    def follow(
        self, report_id: str, after: int = 0
    ) -> AsyncGenerator[tuple[int, Progress | ReportJob]]:
        """Yield progress with its numbers, and in the end how the report stands."""
        return self._store.follow(report_id, after)

    async def is_over(self, report_id: str, after: int) -> bool:
        """Whether nothing will follow behind the event ``after``; raise NoReport."""
        return await self._store.is_over(report_id, after)

    async def cancel(self, report_id: str) -> ReportJob:
        """End a report that has not ended; return how it stands then; raise NoReport."""
        job = await self._store.cancel(report_id, self._queue)
        self._queue.withdrawn(report_id)
        return job

    async def cancel_all(self) -> None:
        """End every report of the current person that has not ended."""
        for report_id in await self._store.list_open():
            await self.cancel(report_id)

    async def forget(self, report_id: str) -> None:
        """Delete a report that has ended for good; raise NoReport."""
        await self._store.get(report_id)
        await self._store.forget(report_id)


def open_reports(
    settings: Settings,
    conversations: Store,
    current: Callable[[], Client],
    watchers: Sequence[Watcher] = (),
) -> Reports:
    """Return the reports beside ``conversations``.

    Those of a Postgres are queued for workers; others are written by this process, with the client
    that is ``current``, and ``watchers`` are told of what is done.
    """
    database, own = database_beside(conversations)
    store = ReportStore(database)
    if own is None and settings.database_url:
        from citeseek.jobs.postgres_queue import PostgresQueue  # noqa: PLC0415 - with the extra

        return Reports(store, PostgresQueue(), most=None)
    runner = ReportRunner(store, current, conversations, watchers)
    queue = ProcessReports(store, runner, most=settings.server.max_reports)
    return Reports(store, queue, database=own)
