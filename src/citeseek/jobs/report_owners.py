"""Who writes reports, each within a transaction: begun, handed back, lost, taken over.

A report of a queue is any worker's that has begun with it last. Without a queue it has an owner, a
process which says now and then that it is there. For which person it is written stays the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec
from sqlalchemy import Connection, select, update

from citeseek.conversations.tables import REPORT_ANSWERS, REPORTS
from citeseek.jobs.report_job import Attempt, ReportOrder
from citeseek.jobs.report_rows import OPEN_ROW, REPORT_ID, change, check_leave, end, hold
from citeseek.research import RunError

# One whose workers end so often ends them itself.
MAX_LOST = 5

_ANSWERS = select(REPORT_ANSWERS.c.value).where(REPORT_ANSWERS.c.report == REPORT_ID)
_LOST = RunError(
    code="WebProviderError",
    message=f"The report was begun {MAX_LOST} times, and what wrote it ended each time.",
    retryable=False,
    step="",
    detail_code="internal",
    hint="The log of the worker, or of its machine, says why.",
)


def begin(connection: Connection, report_id: str, owner: str) -> Attempt | None:
    """Return the leave to write the report; whoever had it before has it no more.

    None when it has ended, is not that of ``owner``, or was begun too often.
    """
    row = hold(connection, report_id)
    if row is None or row.state not in ("queued", "running") or row.owner != owner:
        return None
    if row.lost >= MAX_LOST:
        end(connection, report_id, "failed", error=_LOST)
        return None
    number = row.attempt + 1
    change(connection, report_id, state="running", attempt=number, lost=row.lost + 1)
    answers = connection.scalars(_ANSWERS, {"report_id": report_id})
    return Attempt(
        report_id=report_id,
        person=row.person,
        number=number,
        order=msgspec.json.decode(row.value, type=ReportOrder),
        answers=tuple(msgspec.json.decode(value) for value in answers),
    )


def hand_back(connection: Connection, attempt: Attempt) -> None:
    """Let another go on with the report from its journal; raise TakenOver."""
    report_id = check_leave(connection, attempt)
    lost = REPORTS.c.lost - 1
    change(connection, report_id, state="queued", lost=lost, owner="", beat_at=0.0)


def requeue(
    connection: Connection,
    report_id: str,
    stalled: int | None,
    queue: Callable[[Connection], int | None],
) -> None:
    """Queue the report again whose job ``stalled`` has lost its worker, unless somebody did."""
    row = hold(connection, report_id)
    if row is not None and row.state in ("queued", "running") and row.job == stalled:
        change(connection, report_id, job=queue(connection))


def beat(connection: Connection, owner: str) -> None:
    """Say that ``owner`` is there, for all of its reports that have not ended."""
    mine = update(REPORTS).where(OPEN_ROW, REPORTS.c.owner == owner)
    connection.execute(mine.values(beat_at=time.time()))


def list_orphans(connection: Connection, seconds: float) -> list[str]:
    """Return the reports whose owner was not heard of for ``seconds``, the oldest first."""
    rows = select(REPORTS.c.id).where(OPEN_ROW, REPORTS.c.beat_at < time.time() - seconds)
    return list(connection.scalars(rows.order_by(REPORTS.c.created_at)))


def adopt(connection: Connection, owner: str, seconds: float) -> list[str]:
    """Give those to ``owner`` and return them."""
    orphans = list_orphans(connection, seconds)
    now = time.time()
    for report_id in orphans:
        connection.execute(
            update(REPORTS).where(REPORTS.c.id == report_id).values(owner=owner, beat_at=now)
        )
    return orphans


def release(connection: Connection, owner: str) -> None:
    """Let others have what ``owner`` has not begun."""
    mine = update(REPORTS).where(OPEN_ROW, REPORTS.c.owner == owner)
    connection.execute(mine.values(owner="", beat_at=0.0))
