"""``citeseek worker``: takes reports and parts of batches from the queues in Postgres.

Procrastinate fetches jobs, beats and tells of those whose worker beats no more. Such a job is not
retried but put into the queue anew, under another number: a worker that was only paused finds that
its own is gone, as it finds that its leave to write is (:mod:`citeseek.jobs.report_attempts`,
:mod:`citeseek.jobs.batch_attempts`).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import psycopg
from procrastinate import App, JobContext, PsycopgConnector, RetryDecision
from procrastinate.exceptions import ConnectorException, JobAborted
from procrastinate.job_context import AbortReason
from procrastinate.jobs import Job, Status
from procrastinate.manager import JobManager
from procrastinate.retry import BaseRetryStrategy
from procrastinate.worker import Worker
from psycopg_pool import PoolTimeout

from citeseek.errors import CiteseekError
from citeseek.jobs.batch_run import PartRunner
from citeseek.jobs.batch_store import BatchStore
from citeseek.jobs.postgres_queue import (
    BATCH_QUEUE,
    BATCH_TASK,
    QUEUE,
    TASK,
    PostgresBatches,
    PostgresQueue,
)
from citeseek.jobs.report_job import TakenOver
from citeseek.jobs.report_run import ReportRunner
from citeseek.jobs.report_store import ReportStore

BEAT_SECONDS = 1.5
# Four beats are missed, then others look within so many seconds: half of the fifteen that it may
# take on a machine that has time for it.
LOST_SECONDS = 6.0
LOOK_SECONDS = 1.5
# Before a report is taken again whose database was away, and before that is tried again.
PAUSE_SECONDS = 2
_CONNECTIONS = 4
_CONNECT_SECONDS = 5.0

log = logging.getLogger(__name__)


class _Again(BaseRetryStrategy):
    """Whatever a report ends with but its end is for another attempt; their number is limited."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision:  # noqa: ARG002 - as the library calls it
        # Handed back: another worker is to have it at once.
        is_handed_back = isinstance(exception, asyncio.CancelledError)
        return RetryDecision(retry_in={"seconds": 0 if is_handed_back else PAUSE_SECONDS})


class _Jobs(JobManager):
    """The library's jobs, of which one may be another's by now."""

    async def finish_job(self, job: Job, status: Status, delete_job: bool) -> None:  # noqa: FBT001 - the library's
        """End the job, unless another worker has put it into the queue anew."""
        try:
            await super().finish_job(job, status, delete_job)
        except ConnectorException as error:
            if not isinstance(error.__cause__, psycopg.errors.RaiseException):
                raise
            log.info("the job %s is another's by now", job.id)


class JobWorker:
    """Writes ``at_once`` reports, or parts of batches, at one time, until it is stopped.

    ``connection`` are the options of a connection to the database. What is not finished
    ``grace`` seconds after that is handed back, and another worker goes on with it.
    """

    def __init__(
        self,
        reports: ReportStore,
        writer: ReportRunner,
        batches: BatchStore,
        answerer: PartRunner,
        connection: Mapping[str, Any],
        *,
        at_once: int,
        grace: float,
    ) -> None:
        self._reports = reports
        self._writer = writer
        self._batches = batches
        self._answerer = answerer
        self._connection = dict(connection)
        self._at_once = at_once
        self._grace = grace
        self._worker: Worker | None = None
        self._is_stopped = asyncio.Event()

    def stop(self) -> None:
        """Take nothing more, and end when what is written is finished or handed back."""
        self._is_stopped.set()
        if self._worker is not None:
            _stop(self._worker)

    async def run(self) -> None:
        """Work until it is stopped; while the database is gone, wait for it."""
        while not self._is_stopped.is_set():
            try:
                await self._run_once()
            except (ConnectorException, PoolTimeout) as error:
                log.warning("the queue is not reached (%s); trying again", type(error).__name__)
            await _wait(self._is_stopped, PAUSE_SECONDS)

    async def _run_once(self) -> None:
        app = self._app()
        async with app.open_async():
            if self._is_stopped.is_set():
                return
            self._worker = Worker(
                app,
                queues=[QUEUE, BATCH_QUEUE],
                name="citeseek",
                concurrency=self._at_once,
                fetch_job_polling_interval=LOOK_SECONDS,
                abort_job_polling_interval=LOOK_SECONDS,
                shutdown_graceful_timeout=self._grace,
                # How each stands is in its own row.
                delete_jobs="always",
                install_signal_handlers=False,
                update_heartbeat_interval=BEAT_SECONDS,
                stalled_worker_timeout=LOST_SECONDS,
            )
            over = asyncio.Event()
            looking = asyncio.create_task(self._look(app, over))
            try:
                await self._worker.run()  # type: ignore[no-untyped-call]
            finally:
                self._worker = None
                over.set()
                # A driver that waits for a database that is away may lose that it was cancelled.
                looking.cancel()
                await asyncio.wait({looking})

    def _app(self) -> App:
        # Made anew each time: with the database gone, a worker of the library ends.
        connector = PsycopgConnector(
            kwargs=self._connection, min_size=1, max_size=_CONNECTIONS, timeout=_CONNECT_SECONDS
        )
        app = App(connector=connector)
        app.job_manager = _Jobs(connector)

        @app.task(name=TASK, queue=QUEUE, pass_context=True, retry=_Again())
        async def write_report(context: JobContext, report_id: str) -> None:
            try:
                await self._writer.run(report_id)
            except TakenOver:
                log.info("the report %s is another's by now, or was cancelled", report_id)
            except asyncio.CancelledError:
                if context.abort_reason() is AbortReason.USER_REQUEST:
                    raise JobAborted from None
                raise

        parts = PostgresBatches(app)

        @app.task(name=BATCH_TASK, queue=BATCH_QUEUE, pass_context=True, retry=_Again())
        async def answer_part(context: JobContext, batch_id: str, part: int) -> None:
            try:
                await self._answerer.run(batch_id, part, parts)
            except TakenOver:
                log.info("the batch %s, part %d, is another's or was cancelled", batch_id, part)
            except asyncio.CancelledError:
                if context.abort_reason() is AbortReason.USER_REQUEST:
                    raise JobAborted from None
                raise

        return app

    async def _look(self, app: App, over: asyncio.Event) -> None:
        """Queue again what has lost its worker, until it is ``over``."""
        while not over.is_set():
            try:
                for name, rescue in ((QUEUE, self._rescue), (BATCH_QUEUE, self._rescue_part)):
                    for job in await app.job_manager.get_stalled_jobs(
                        queue=name, seconds_since_heartbeat=LOST_SECONDS
                    ):
                        await rescue(app, job)
                        # Only now: should this worker be lost as well, another finds the same.
                        await app.job_manager.finish_job(job, Status.FAILED, delete_job=True)
            except (ConnectorException, CiteseekError) as error:
                log.warning("lost jobs are looked for later (%s)", type(error).__name__)
            await _wait(over, LOOK_SECONDS)

    async def _rescue(self, app: App, job: Job) -> None:
        report_id = str(job.task_kwargs["report_id"])
        log.warning("the report %s has lost its worker and is queued again", report_id)
        await self._reports.requeue(report_id, job.id, PostgresQueue(app))

    async def _rescue_part(self, app: App, job: Job) -> None:
        batch_id, part = str(job.task_kwargs["batch_id"]), int(str(job.task_kwargs["part"]))
        log.warning("the batch %s, part %d, has lost its worker", batch_id, part)
        await self._batches.requeue(batch_id, part, job.id, PostgresBatches(app))


async def _wait(event: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()


def _stop(worker: Worker) -> None:
    worker.stop()  # type: ignore[no-untyped-call]
