"""What has jobs done, and when: this process, or workers at a Postgres."""

from __future__ import annotations

from typing import Protocol

from sqlalchemy import Connection


class JobQueue(Protocol):
    """Takes jobs; ``owner`` is the process that does them, empty where any worker may.

    ``add`` and ``withdraw`` are called in the transaction that stores or ends what they are of,
    ``added`` and ``withdrawn`` when that is done.
    """

    owner: str

    def withdraw(self, connection: Connection, job: int | None) -> None:
        """Take the job with this number away; what is being done is stopped."""
        ...

    def withdrawn(self, job_id: str, /) -> None:
        """Stop doing the report or batch."""
        ...

    async def start(self) -> None:
        """Begin to take jobs, those that an earlier process left as well."""
        ...

    async def close(self) -> None:
        """Stop; what is not finished is left for another."""
        ...


class ReportQueue(JobQueue, Protocol):
    """Takes reports."""

    def add(self, connection: Connection, report_id: str) -> int | None:
        """Queue the report; return its number in the queue, if it has one."""
        ...

    def added(self, report_id: str) -> None:
        """Begin with the report when there is room."""
        ...


class BatchQueue(JobQueue, Protocol):
    """Takes parts of batches."""

    def add(self, connection: Connection, batch_id: str, part: int) -> int | None:
        """Queue the part; return its number in the queue, if it has one."""
        ...

    def added(self, batch_id: str, part: int) -> None:
        """Begin with the part when there is room."""
        ...
