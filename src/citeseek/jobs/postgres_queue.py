"""Queues in Postgres: Procrastinate's, from which ``citeseek worker`` takes reports and batches."""

from __future__ import annotations

from typing import Any

import psycopg
from procrastinate import App, PsycopgConnector
from sqlalchemy import Connection

QUEUE = "reports"
TASK = "citeseek.write_report"
BATCH_QUEUE = "batches"
BATCH_TASK = "citeseek.answer_part"
# Reports, for which somebody waits, go first.
_BATCH_PRIORITY = -1


class PostgresQueue:
    """Puts reports into the queue over the connection that stores them."""

    owner = ""

    def __init__(self, app: App | None = None) -> None:
        # Nothing goes through a connection of its own, so that it need not be opened.
        self._app = app or App(connector=PsycopgConnector())

    def add(self, connection: Connection, report_id: str) -> int:
        """Queue the report and return the number of its job."""

        async def add(driver: psycopg.AsyncConnection[Any]) -> int:
            job = self._app.configure_task(TASK, queue=QUEUE, connection=driver)
            return await job.defer_async(report_id=report_id)

        number: int = _driver(connection).run_async(add)
        return number

    def withdraw(self, connection: Connection, job: int | None) -> None:
        """Take the job away; a worker that has begun with it is told to stop."""
        _withdraw(self._app, connection, job)

    def added(self, report_id: str) -> None:
        """Do nothing: a worker is told by the database."""

    def withdrawn(self, report_id: str) -> None:
        """Do nothing: its worker is told by the database."""

    async def start(self) -> None:
        """Do nothing: workers do."""

    async def close(self) -> None:
        """Do nothing."""


class PostgresBatches:
    """Puts parts of batches into the queue over the connection that stores them."""

    owner = ""

    def __init__(self, app: App | None = None) -> None:
        self._app = app or App(connector=PsycopgConnector())

    def add(self, connection: Connection, batch_id: str, part: int) -> int:
        """Queue the part and return the number of its job."""

        async def add(driver: psycopg.AsyncConnection[Any]) -> int:
            job = self._app.configure_task(
                BATCH_TASK, queue=BATCH_QUEUE, priority=_BATCH_PRIORITY, connection=driver
            )
            return await job.defer_async(batch_id=batch_id, part=part)

        number: int = _driver(connection).run_async(add)
        return number

    def withdraw(self, connection: Connection, job: int | None) -> None:
        """Take the job away; a worker that has begun with it is told to stop."""
        _withdraw(self._app, connection, job)

    def added(self, batch_id: str, part: int) -> None:
        """Do nothing: a worker is told by the database."""

    def withdrawn(self, batch_id: str) -> None:
        """Do nothing: its workers are told by the database."""

    async def start(self) -> None:
        """Do nothing: workers do."""

    async def close(self) -> None:
        """Do nothing."""


def _withdraw(app: App, connection: Connection, job: int | None) -> None:
    async def withdraw(driver: psycopg.AsyncConnection[Any]) -> bool:
        return await app.job_manager.cancel_job_by_id_async(
            job or 0, abort=True, delete_job=True, connection=driver
        )

    _driver(connection).run_async(withdraw)


def _driver(connection: Connection) -> Any:
    """Return SQLAlchemy's wrapping of psycopg's connection, which calls what is asynchronous."""
    return connection.connection.dbapi_connection
