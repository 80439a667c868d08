"""What has parts of batches answered, and when: this process, or workers at a Postgres."""

from __future__ import annotations

from typing import Protocol

from sqlalchemy import Connection


class BatchQueue(Protocol):
    """Takes parts; ``owner`` is the process that answers them, empty where any worker may.

    ``add`` and ``withdraw`` are called in the transaction that stores or ends what they are of,
    ``added`` and ``withdrawn`` when that is done.
    """

    owner: str

    def add(self, connection: Connection, batch_id: str, part: int) -> int | None:
        """Queue the part; return its number in the queue, if it has one."""
        ...

    def withdraw(self, connection: Connection, job: int | None) -> None:
        """Take the job with this number away; what is being answered is stopped."""
        ...

    def added(self, batch_id: str, part: int) -> None:
        """Begin with the part when there is room."""
        ...

    def withdrawn(self, batch_id: str) -> None:
        """Stop answering the batch."""
        ...

    async def start(self) -> None:
        """Begin to take parts, those that an earlier process left as well."""
        ...

    async def close(self) -> None:
        """Stop; what is not done is left for another."""
        ...
