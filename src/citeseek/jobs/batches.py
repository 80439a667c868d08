"""The door to batches that outlive the request for them: give, look, list, follow, cancel."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Sequence

from msgspec import structs

from citeseek.assistant.assistant import Assistant
from citeseek.conversations.database_store import DatabaseStore
from citeseek.conversations.store import Store
from citeseek.errors import InvalidInput
from citeseek.jobs.batch_answering import FIELDS, TEXTS, Command, fields_of
from citeseek.jobs.batch_files import MAX_LINE_BYTES, Asked, read_line
from citeseek.jobs.batch_job import BatchJob, BatchOrder
from citeseek.jobs.batch_run import PartRunner
from citeseek.jobs.batch_store import BatchStore
from citeseek.jobs.job_queue import BatchQueue
from citeseek.jobs.job_store import database_beside
from citeseek.jobs.process_queue import ProcessBatches
from citeseek.observing.operation import Watcher
from citeseek.person import check_keeps
from citeseek.settings import Settings

# Of a file; a database on a server has whoever runs it to say how much it holds.
MAX_KEPT = 1_000
# Parts that a process answers at one time.
PARTS_AT_ONCE = 2


class Batches:
    """The batches of ``store``, answered by whoever takes their parts from ``queue``.

    At most ``most`` are kept, None for any number. ``database`` is closed with it.
    """

    def __init__(
        self,
        store: BatchStore,
        queue: BatchQueue,
        *,
        most: int | None = MAX_KEPT,
        database: DatabaseStore | None = None,
    ) -> None:
        self._store = store
        self._queue = queue
        self._most = most
        self._database = database

    async def start(self) -> None:
        """Begin to answer, what an earlier process left as well."""
        await self._queue.start()

    async def close(self) -> None:
        """Stop; what is not done is left for another."""
        await self._queue.close()
        if self._database is not None:
            await self._database.close()

    async def give(self, order: BatchOrder, questions: AsyncIterable[Asked]) -> BatchJob:
        """Keep ``questions`` as they come and return how the batch stands.

        Raise Busy when too many are kept or wait, NotPermitted for a guest, InvalidInput when there
        is no line; what ``questions`` raises leaves nothing behind.
        """
        check_keeps()
        job, queued = await self._store.put(order, questions, self._queue, most=self._most)
        for part in queued:
            self._queue.added(job.id, part)
        return job

    async def get(self, batch_id: str) -> BatchJob:
        """Return how a batch stands; raise NoBatch."""
        return await self._store.get(batch_id)

    async def list(self, limit: int, before: tuple[float, str] | None = None) -> Sequence[BatchJob]:
        """Return the batches that were given last, the newest first, from behind ``before``."""
        return await self._store.list(limit, before)

    def follow(self, batch_id: str, after: int = -1) -> AsyncGenerator[BatchJob]:
        """Yield how a batch stands whenever more lines are done than ``after``, to its end."""
        return self._store.follow(batch_id, after)

    def answers(self, job: BatchJob) -> AsyncGenerator[bytes]:
        """Yield the JSON Lines of all that is answered, in order, a part at a time."""
        return self._store.answers(job)

    async def cancel(self, batch_id: str) -> BatchJob:
        """End a batch that has not ended; what is answered stays. Raise NoBatch."""
        job = await self._store.cancel(batch_id, self._queue)
        self._queue.withdrawn(batch_id)
        return job

    async def cancel_all(self) -> None:
        """End every batch of the current person that has not ended."""
        for batch_id in await self._store.list_open():
            await self.cancel(batch_id)

    async def forget(self, batch_id: str) -> None:
        """Delete a batch that has ended for good; raise NoBatch."""
        await self._store.get(batch_id)
        await self._store.forget(batch_id)


async def read_questions(body: AsyncIterable[bytes], command: Command) -> AsyncIterator[Asked]:
    """Yield the questions in JSON Lines that arrive in pieces, a fault in those that are none.

    No more than a line and a piece are in memory.
    """
    name, number = TEXTS[command], 0
    rest = bytearray()
    async for piece in body:
        rest += piece
        *lines, last = rest.split(b"\n")
        for line in lines:
            number += 1
            yield check_fields(read_line(number, bytes(line), name), command)
        # Of a line that is too long, only that it is need be known.
        rest = last[: MAX_LINE_BYTES + 1]
    if rest:
        yield check_fields(read_line(number + 1, bytes(rest), name), command)


def check_fields(asked: Asked, command: Command) -> Asked:
    """Return ``asked`` with its fault where it says what ``command`` does not know."""
    if asked.fault:
        return asked
    try:
        fields_of(asked, FIELDS[command])
    except InvalidInput as error:
        return structs.replace(asked, fault=f"{error.message} {error.hint}".strip())
    return asked


def open_batches(
    settings: Settings,
    conversations: Store,
    assistant: Assistant,
    watchers: Sequence[Watcher] = (),
) -> Batches:
    """Return the batches beside ``conversations``.

    Those of a Postgres are queued for workers; others are answered by this process, by what
    ``assistant`` has, and ``watchers`` are told of what is done.
    """
    database, own = database_beside(conversations)
    store = BatchStore(database)
    if own is None and settings.database_url:
        from citeseek.jobs.postgres_queue import PostgresBatches  # noqa: PLC0415 - with the extra

        return Batches(store, PostgresBatches(), most=None)
    queue = ProcessBatches(store, PartRunner(store, assistant, watchers), most=PARTS_AT_ONCE)
    return Batches(store, queue, database=own)
