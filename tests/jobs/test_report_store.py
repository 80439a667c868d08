"""What is kept of reports, in a file as in Postgres: who may write, who takes over, how much."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from citeseek.conversations.sqlite_store import SqliteStore
from citeseek.errors import Busy, NoReport
from citeseek.jobs import report_attempts, report_rows
from citeseek.jobs.report_job import Attempt, ReportJob, ReportOrder, TakenOver
from citeseek.jobs.report_store import ReportStore
from citeseek.research import Progress, RunError

ORDER = ReportOrder(question="How old is tea?", max_sources=3, engines=("stub",))
LINE = {"of": "page", "at": "2026-01-31T10:00:00+00:00", "answer": {"text": "Tea is old."}}


class Shelf:
    """A queue of nobody, whose reports belong to ``owner``."""

    def __init__(self, owner: str = "one") -> None:
        self.owner = owner
        self.jobs: list[str] = []

    def add(self, connection: Any, report_id: str) -> int | None:
        self.jobs.append(report_id)
        return len(self.jobs)

    def withdraw(self, connection: Any, job: int | None) -> None:
        assert job
        self.jobs[job - 1] = ""

    def added(self, report_id: str) -> None: ...
    def withdrawn(self, report_id: str) -> None: ...
    async def start(self) -> None: ...
    async def close(self) -> None: ...


@pytest.fixture(params=["file", pytest.param("postgres", marks=pytest.mark.postgres)])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[ReportStore]:
    if request.param == "file":
        database: Any = SqliteStore(tmp_path / "sessions.sqlite3")
    else:
        from citeseek.conversations.postgres_store import PostgresStore

        database = PostgresStore(request.getfixturevalue("database"))
    yield ReportStore(database)
    await database.close()


async def begun(store: ReportStore, queue: Shelf) -> tuple[ReportJob, Attempt]:
    job = await store.put(ORDER, queue, most=None)
    attempt = await store.begin(job.id, queue.owner)
    assert attempt is not None
    return job, attempt


async def test_whoever_begins_it_next_is_the_only_one_who_writes(store: ReportStore) -> None:
    queue = Shelf()
    job, first = await begun(store, queue)
    await store.keep_answer(first, LINE)
    second = await store.begin(job.id, queue.owner)
    assert second is not None
    assert (first.number, second.number) == (1, 2)
    # What the first had learnt is the second's.
    assert (first.answers, second.answers) == ((), (LINE,))
    for write in (
        store.keep_answer(first, LINE),
        store.add_events(first, [Progress("read", 1, 2)]),
        store.finish(first, result={"ok": True}, error=None),
        store.hand_back(first),
    ):
        with pytest.raises(TakenOver):
            await write
    await store.add_events(second, [Progress("read", 1, 2), Progress("rank", 0, 2)])
    await store.finish(second, result={"ok": True}, error=None)
    now = await store.get(job.id)
    assert (now.state, now.attempt, now.order) == ("finished", 2, ORDER)
    assert now.progress == Progress("rank", 0, 2)
    assert await store.result(job.id) == {"ok": True}
    assert await store.begin(job.id, queue.owner) is None


async def test_a_cancelled_report_takes_nothing_more_and_leaves_its_queue(
    store: ReportStore,
) -> None:
    queue = Shelf()
    job, attempt = await begun(store, queue)
    await store.keep_answer(attempt, LINE)
    assert (await store.cancel(job.id, queue)).state == "cancelled"
    assert queue.jobs == [""]
    with pytest.raises(TakenOver):
        await store.finish(attempt, result={}, error=None)
    # Twice is once.
    assert (await store.cancel(job.id, queue)).state == "cancelled"
    await store.forget(job.id)
    with pytest.raises(NoReport):
        await store.get(job.id)


async def test_reports_of_an_owner_that_is_silent_go_to_another(store: ReportStore) -> None:
    one, two = Shelf("one"), Shelf("two")
    job, attempt = await begun(store, one)
    assert await store.adopt("two", seconds=60) == []
    await store.beat("one")
    assert await store.adopt("two", seconds=-1) == [job.id]
    assert await store.begin(job.id, one.owner) is None
    taken = await store.begin(job.id, two.owner)
    assert taken is not None
    with pytest.raises(TakenOver):
        await store.keep_answer(attempt, LINE)
    # One that is given back is there for whoever looks first.
    await store.hand_back(taken)
    assert (await store.get(job.id)).state == "queued"
    assert await store.adopt("one", seconds=60) == [job.id]


async def test_one_that_is_given_back_is_not_lost_and_one_that_is_lost_too_often_fails(
    store: ReportStore,
) -> None:
    queue = Shelf("")
    job, attempt = await begun(store, queue)
    for _ in range(2 * report_attempts.MAX_LOST):
        await store.hand_back(attempt)
        again = await store.begin(job.id, "")
        assert again is not None
        attempt = again
    for _ in range(report_attempts.MAX_LOST - 1):
        assert await store.begin(job.id, "") is not None
    assert await store.begin(job.id, "") is None
    now = await store.get(job.id)
    assert now.state == "failed"
    assert now.error is not None
    assert now.error.detail_code == "internal"


async def test_a_lost_job_is_queued_again_by_one_of_those_who_see_it(store: ReportStore) -> None:
    queue = Shelf()
    job, _ = await begun(store, queue)
    for _ in range(3):
        await store.requeue(job.id, 1, queue)
    assert queue.jobs == [job.id] * 2
    await store.cancel(job.id, queue)
    await store.requeue(job.id, 2, queue)
    assert queue.jobs == [job.id, ""]


async def test_more_than_may_wait_or_be_kept_are_refused(
    store: ReportStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = Shelf()
    _, attempt = await begun(store, queue)
    monkeypatch.setattr(report_rows, "MAX_WAITING", 1)
    with pytest.raises(Busy) as caught:
        await store.put(ORDER, queue, most=None)
    assert (caught.value.detail_code, caught.value.retryable) == ("too_many_reports", True)
    error = RunError(code="Timeout", message="Too late.", retryable=True, step="")
    await store.finish(attempt, result=None, error=error)
    with pytest.raises(Busy) as caught:
        await store.put(ORDER, queue, most=1)
    assert (caught.value.detail_code, caught.value.retryable) == ("too_many_kept_reports", False)
    assert (await store.put(ORDER, queue, most=2)).state == "queued"


async def test_events_have_numbers_that_go_on_over_attempts(store: ReportStore) -> None:
    queue = Shelf()
    job, first = await begun(store, queue)
    await store.add_events(first, [Progress("search", 0, 1), Progress("search", 1, 1)])
    second = await store.begin(job.id, queue.owner)
    assert second is not None
    await store.add_events(second, [Progress("search", 0, 1)])
    await store.finish(second, result={}, error=None)
    seen = [number async for number, _ in store.follow(job.id)]
    assert seen == [1, 2, 3, 4]
    assert [number async for number, _ in store.follow(job.id, 2)] == [3, 4]
    assert [number async for number, _ in store.follow(job.id, 4)] == []
    assert [await store.is_over(job.id, after) for after in (0, 3, 4)] == [False, False, True]
