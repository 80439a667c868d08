"""Where batches are kept that outlive the request for them: the database of conversations."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, Sequence
from contextlib import suppress

from citeseek.concurrency.background import finish
from citeseek.errors import InvalidInput, NoBatch
from citeseek.jobs import batch_attempts as attempts
from citeseek.jobs import batch_rows as rows
from citeseek.jobs.batch_files import Asked
from citeseek.jobs.batch_job import (
    PART_LINES,
    BatchJob,
    BatchOrder,
    PartAnswers,
    PartLeave,
    pack_questions,
    unpack_answers,
)
from citeseek.jobs.job_queue import BatchQueue
from citeseek.jobs.job_store import JobStore, checked_id, new_id
from citeseek.person import current_person

# So many parts are stored at one time while lines arrive.
_STORED_PARTS = 20


class BatchStore(JobStore):
    """Batches in ``database``.

    For each person (:mod:`citeseek.person`) there are those that they gave, and no others. Who
    answers a part has been given it. Every method raises Busy and CiteseekError as those of the
    database do, and those that take a leave raise TakenOver when the part is another's by now.
    """

    _open = rows.OPEN_BATCHES

    async def put(
        self,
        order: BatchOrder,
        questions: AsyncIterable[Asked],
        queue: BatchQueue,
        *,
        most: int | None,
    ) -> tuple[BatchJob, Sequence[int]]:
        """Store and queue a batch; return how it stands, and the parts that are in the queue.

        Only a few parts are in memory at a time. Raise Busy when ``most`` are kept or too many
        wait, InvalidInput when there is no line. What ``questions`` raises leaves nothing behind.
        """
        batch_id = new_id()
        await self._database.write(
            rows.open_batch, current_person().name, batch_id, order, owner=queue.owner, most=most
        )
        try:
            total, parts = await self._load(batch_id, order, questions)
            queued = await self._database.write(
                rows.start, batch_id, total=total, parts=parts, queue=queue.add
            )
        except BaseException:
            await finish(self._drop(batch_id))
            raise
        self._tell()
        return await self.get(batch_id), queued

    async def get(self, batch_id: str) -> BatchJob:
        """Return how a batch stands; raise NoBatch."""
        return _found(
            await self._database.read(rows.get, current_person().name, checked_id(batch_id)),
            batch_id,
        )

    async def list(self, limit: int, before: tuple[float, str] | None = None) -> Sequence[BatchJob]:
        """Return the batches that were given last, the newest first, from behind ``before``."""
        if before is not None:
            before = before[0], checked_id(before[1])
        return await self._database.read(rows.list_newest, current_person().name, limit, before)

    async def follow(self, batch_id: str, after: int = -1) -> AsyncGenerator[BatchJob]:
        """Yield how a batch stands when more than ``after`` lines are done, and in the end.

        Raise NoBatch.
        """
        while True:
            news = self._news
            job = await self.get(batch_id)
            if not job.is_open or job.done > after:
                after = job.done
                yield job
            if not job.is_open:
                return
            await self._wait(news)

    async def answers(self, job: BatchJob) -> AsyncGenerator[bytes]:
        """Yield the lines of all parts that are done, in their order."""
        for part in range(job.parts):
            packed = await self._database.read(
                rows.get_answers, current_person().name, job.id, part
            )
            if packed is not None:
                yield await asyncio.to_thread(unpack_answers, packed)

    async def begin(self, batch_id: str, part: int, owner: str) -> PartLeave | None:
        """Return the leave to answer a part, None where there is nothing to answer."""
        return await self._database.write(attempts.begin, batch_id, part, owner)

    async def finish(self, leave: PartLeave, answers: PartAnswers, queue: BatchQueue) -> int | None:
        """Store the answers to a part; return the part that was queued for it, if there is one."""
        packed = await asyncio.to_thread(answers.pack)
        queued = await self._database.write(
            attempts.finish, leave, packed, answers.failed, queue.add
        )
        self._tell()
        return queued

    async def hand_back(self, leave: PartLeave) -> None:
        """Let another answer a part."""
        await self._database.write(attempts.hand_back, leave)

    async def cancel(self, batch_id: str, queue: BatchQueue) -> BatchJob:
        """End a batch that has not ended; return how it stands; raise NoBatch."""
        job = await self._database.write(
            rows.cancel, current_person().name, checked_id(batch_id), queue.withdraw
        )
        self._tell()
        return _found(job, batch_id)

    async def forget(self, batch_id: str) -> None:
        """Delete a batch that has ended for good."""
        await self._database.erase(rows.forget, current_person().name, batch_id)

    async def requeue(
        self, batch_id: str, part: int, stalled: int | None, queue: BatchQueue
    ) -> None:
        """Queue a part again whose job ``stalled`` has lost its worker, unless somebody did."""
        await self._database.write(attempts.requeue, batch_id, part, stalled, queue.add)

    async def adopt(self, owner: str, seconds: float) -> Sequence[tuple[str, int]]:
        """Give ``owner`` the batches whose owner was not heard of; return their queued parts."""
        if not await self._database.read(self._open.orphans, seconds):
            return []
        return await self._database.write(attempts.adopt, owner, seconds)

    async def _load(
        self, batch_id: str, order: BatchOrder, questions: AsyncIterable[Asked]
    ) -> tuple[int, int]:
        """Store the questions as they arrive; return how many lines and parts there are."""
        most = PART_LINES[order.command]
        total = parts = 0
        part: list[Asked] = []
        packed: list[tuple[int, bytes]] = []
        async for asked in questions:
            part.append(asked)
            total += 1
            if len(part) == most:
                packed.append((most, pack_questions(part)))
                part = []
            if len(packed) == _STORED_PARTS:
                await self._database.write(rows.add_parts, batch_id, parts, tuple(packed))
                parts += len(packed)
                packed = []
        if part:
            packed.append((len(part), pack_questions(part)))
        if packed:
            await self._database.write(rows.add_parts, batch_id, parts, tuple(packed))
        if not total:
            raise InvalidInput("There is no line.", hint="Send JSON Lines, a question in each.")
        return total, parts + len(packed)

    async def _drop(self, batch_id: str) -> None:
        # Where the database is away, it is deleted when somebody gives the next one.
        with suppress(Exception):
            await self._database.write(rows.forget, current_person().name, batch_id)


def _found(job: BatchJob | None, batch_id: str) -> BatchJob:
    if job is None:
        raise NoBatch(
            f"There is no batch {batch_id!r:.60}.",
            values={"case": "unknown", "id": f"{batch_id:.60}"},
        )
    return job
