"""What has reports written, and when: this process, or workers at a Postgres."""

from __future__ import annotations

from typing import Protocol

from sqlalchemy import Connection


class Queue(Protocol):
    """Takes reports; ``owner`` is the process that writes them, empty where any worker may.

    ``add`` and ``withdraw`` are called in the transaction that stores or ends a report, ``added``
    and ``withdrawn`` when that is done.
    """

    owner: str

    def add(self, connection: Connection, report_id: str) -> int | None:
        """Queue the report; return its number in the queue, if it has one."""
        ...

    def withdraw(self, connection: Connection, job: int | None) -> None:
        """Take the job with this number away; what is being written is stopped."""
        ...

    def added(self, report_id: str) -> None:
        """Begin with the report when there is room."""
        ...

    def withdrawn(self, report_id: str) -> None:
        """Stop writing the report."""
        ...

    async def start(self) -> None:
        """Begin to take reports, those that an earlier process left as well."""
        ...

    async def close(self) -> None:
        """Stop; what is not finished is left for another."""
        ...
