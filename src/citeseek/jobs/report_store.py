"""Where reports are kept that outlive the request for them: the database of conversations."""

from __future__ import annotations

import re
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from citeseek.errors import NoReport
from citeseek.jobs import report_attempts as attempts
from citeseek.jobs import report_rows as rows
from citeseek.jobs.job_queue import ReportQueue
from citeseek.jobs.job_store import JobStore, checked_id, new_id
from citeseek.jobs.report_job import Attempt, ReportJob, ReportOrder
from citeseek.person import current_person
from citeseek.research import Progress, RunError

# How often they are told that nothing changed: one cannot tell that from a connection that is lost.
_STILL_SECONDS = 15.0


class ReportStore(JobStore):
    """Reports in ``database``.

    For each person (:mod:`citeseek.person`) there are those that they asked for, and no others. Who
    writes one has been given it. Every method raises Busy and CiteseekError as those of the
    database do, and those that take an attempt raise TakenOver when the report is another's by now.
    """

    _open = rows.OPEN_REPORTS

    async def put(self, order: ReportOrder, queue: ReportQueue, *, most: int | None) -> ReportJob:
        """Store and queue a report; raise Busy when ``most`` are kept, or too many wait."""
        report_id = new_id()
        job = await self._database.write(
            rows.put,
            current_person().name,
            report_id,
            order,
            owner=queue.owner,
            most=most,
            queue=lambda connection: queue.add(connection, report_id),
        )
        self._tell()
        return job

    async def get(self, report_id: str) -> ReportJob:
        """Return how a report stands; raise NoReport."""
        return _found(
            await self._database.read(rows.get, current_person().name, checked_id(report_id)),
            report_id,
        )

    async def list(
        self, limit: int, before: tuple[float, str] | None = None
    ) -> Sequence[ReportJob]:
        """Return the reports that were asked for last, the newest first.

        ``before`` is when the last one seen was asked for, and its id.
        """
        if before is not None:
            # What is in no database may be in no statement either.
            before = before[0], re.sub("[^0-9a-f]", "", before[1])
        return await self._database.read(rows.list_newest, current_person().name, limit, before)

    async def watch(self, limit: int) -> AsyncGenerator[Sequence[ReportJob]]:
        """Yield the list when it is asked for, after each change, and when it stays the same."""
        listed: Sequence[ReportJob] = ()
        told_at = 0.0
        while True:
            news = self._news
            now = time.monotonic()
            found = await self.list(limit)
            if found != listed or now - told_at >= _STILL_SECONDS or not told_at:
                listed, told_at = found, now
                yield found
            await self._wait(news)

    async def watch_one(self, report_id: str) -> AsyncGenerator[ReportJob]:
        """Yield how a report stands in the same way, until it has ended; raise NoReport."""
        seen: ReportJob | None = None
        told_at = 0.0
        while seen is None or seen.is_open:
            news = self._news
            now = time.monotonic()
            found = await self.get(report_id)
            if found != seen or now - told_at >= _STILL_SECONDS:
                seen, told_at = found, now
                yield found
            if found.is_open:
                await self._wait(news)

    async def result(self, report_id: str) -> dict[str, Any] | None:
        """Return the run result of a report that has ended, None without one."""
        return await self._database.read(rows.get_result, current_person().name, report_id)

    async def follow(
        self, report_id: str, after: int = 0
    ) -> AsyncGenerator[tuple[int, Progress | ReportJob]]:
        """Yield the progress behind the event ``after``, with its numbers, from 1.

        The last event is how the report stands when it has ended; behind that there is nothing.
        Raise NoReport.
        """
        report_id = checked_id(report_id)
        while True:
            news = self._news
            job, last, events = await self._database.read(
                rows.read_news, current_person().name, report_id, after
            )
            job = _found(job, report_id)
            for number, progress in events:
                after = number
                yield number, progress
            if not job.is_open:
                if after <= last:
                    yield last + 1, job
                return
            if not events:
                await self._wait(news)

    async def is_over(self, report_id: str, after: int) -> bool:
        """Whether nothing will follow behind the event ``after``; raise NoReport."""
        news = await self._database.read(
            rows.read_news, current_person().name, checked_id(report_id), after
        )
        return not _found(news[0], report_id).is_open and after > news[1]

    async def begin(self, report_id: str, owner: str) -> Attempt | None:
        """Return the leave to write a report of ``owner``, None where there is nothing to write."""
        attempt = await self._database.write(attempts.begin, report_id, owner)
        self._tell()
        return attempt

    async def keep_answer(self, attempt: Attempt, line: Mapping[str, Any]) -> None:
        """Keep a line of the journal."""
        await self._database.write(attempts.keep_answer, attempt, line)

    async def add_events(self, attempt: Attempt, events: Sequence[Progress]) -> None:
        """Append progress."""
        await self._database.write(attempts.add_events, attempt, events)
        self._tell()

    async def finish(
        self, attempt: Attempt, *, result: Mapping[str, Any] | None, error: RunError | None
    ) -> None:
        """Store how a report ended."""
        await self._database.erase(attempts.finish, attempt, result=result, error=error)
        self._tell()

    async def hand_back(self, attempt: Attempt) -> None:
        """Let another go on with a report."""
        await self._database.write(attempts.hand_back, attempt)
        self._tell()

    async def cancel(self, report_id: str, queue: ReportQueue) -> ReportJob:
        """End a report that has not ended; return how it stands; raise NoReport."""
        job = await self._database.erase(
            rows.cancel, current_person().name, checked_id(report_id), queue.withdraw
        )
        self._tell()
        return _found(job, report_id)

    async def forget(self, report_id: str) -> None:
        """Delete a report that has ended for good."""
        await self._database.erase(rows.forget, current_person().name, report_id)
        self._tell()

    async def requeue(self, report_id: str, stalled: int | None, queue: ReportQueue) -> None:
        """Queue a report again whose job ``stalled`` has lost its worker, unless somebody did."""
        await self._database.write(
            attempts.requeue,
            report_id,
            stalled,
            queue=lambda connection: queue.add(connection, report_id),
        )

    async def adopt(self, owner: str, seconds: float) -> Sequence[str]:
        """Give ``owner`` the reports whose owner was not heard of for ``seconds``; return them."""
        if not await self._database.read(self._open.orphans, seconds):
            return []
        return await self._database.write(self._open.adopt, owner, seconds)


def _found(job: ReportJob | None, report_id: str) -> ReportJob:
    if job is None:
        raise NoReport(
            f"There is no report {report_id!r:.60}.",
            values={"case": "unknown", "id": f"{report_id:.60}"},
        )
    return job
