"""What is read from and written to the tables of reports, each within a transaction.

Who writes holds the row of the report first, so that writers come one after the other.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from sqlalchemy import (
    Connection,
    Row,
    bindparam,
    delete,
    func,
    insert,
    select,
    tuple_,
    update,
)

from citeseek.concurrency.admission import RETRY_SECONDS
from citeseek.conversations.tables import (
    ID,
    OPEN,
    OPEN_STATES,
    REPORT_ANSWERS,
    REPORT_EVENTS,
    REPORTS,
    SECONDS,
)
from citeseek.errors import Busy
from citeseek.jobs.open_jobs import OpenJobs
from citeseek.jobs.report_job import ReportJob, ReportOrder, State
from citeseek.research import Progress, RunError

# Who asks for more than can be written fills the disk.
MAX_WAITING = 1_000

REPORT_ID = bindparam("report_id", type_=ID)
_WHOSE = bindparam("whose", type_=ID)
_OWN = REPORTS.c.person == _WHOSE
_THIS = (REPORTS.c.id == REPORT_ID) & _OWN
_PROGRESS = (
    select(REPORT_EVENTS.c.value)
    .where(REPORT_EVENTS.c.report == REPORTS.c.id)
    .order_by(REPORT_EVENTS.c.place.desc())
    .limit(1)
    .scalar_subquery()
    .label("progress")
)
_SHOWN = [
    *(REPORTS.c[name] for name in ("id", "state", "created_at", "updated_at", "attempt")),
    *(REPORTS.c.value, REPORTS.c.error, _PROGRESS),
]
_SHOW = select(*_SHOWN).where(_THIS)
_HOLD = select(REPORTS).where(REPORTS.c.id == REPORT_ID).with_for_update()
_LISTED = (
    select(*_SHOWN)
    .where(_OWN)
    .order_by(REPORTS.c.created_at.desc(), REPORTS.c.id.desc())
    .limit(bindparam("most"))
)
_LISTED_BEFORE = _LISTED.where(
    tuple_(REPORTS.c.created_at, REPORTS.c.id)
    < tuple_(bindparam("at", type_=SECONDS), bindparam("before", type_=ID))
)
_RESULT = select(REPORTS.c.result).where(_THIS)
_COUNT = select(func.count()).select_from(REPORTS).where(_OWN)
_WAITING = _COUNT.where(OPEN)
OPEN_REPORTS = OpenJobs(REPORTS)
_EVENTS = (
    select(REPORT_EVENTS.c.place, REPORT_EVENTS.c.value)
    .where(REPORT_EVENTS.c.report == REPORT_ID, REPORT_EVENTS.c.place > bindparam("after"))
    .order_by(REPORT_EVENTS.c.place)
)
LAST_EVENT = select(func.coalesce(func.max(REPORT_EVENTS.c.place), 0)).where(
    REPORT_EVENTS.c.report == REPORT_ID
)


def put(
    connection: Connection,
    person: str,
    report_id: str,
    order: ReportOrder,
    *,
    owner: str,
    most: int | None,
    queue: Callable[[Connection], int | None],
) -> ReportJob:
    """Store a report that is to be written, and ``queue`` it, whose number there it returns.

    Raise Busy when ``most`` of ``person`` are kept, or too many wait.
    """
    this = {"report_id": report_id, "whose": person}
    row = connection.execute(_SHOW, this).one_or_none()
    # There already where the connection broke after it was stored.
    if row is None:
        _check_room(connection, person, most)
        now = time.time()
        values = {
            "id": report_id,
            "state": "queued",
            "created_at": now,
            "updated_at": now,
            "owner": owner,
            "beat_at": now,
            "value": msgspec.json.encode(order),
            "person": person,
        }
        connection.execute(insert(REPORTS), values)
        if (job := queue(connection)) is not None:
            change(connection, report_id, job=job)
        row = connection.execute(_SHOW, this).one()
    return _job_of(row)


def get(connection: Connection, person: str, report_id: str) -> ReportJob | None:
    """Return how the report stands, None when there is none."""
    row = connection.execute(_SHOW, {"report_id": report_id, "whose": person}).one_or_none()
    return None if row is None else _job_of(row)


def list_newest(
    connection: Connection, person: str, most: int, before: tuple[float, str] | None
) -> list[ReportJob]:
    """Return the reports that were asked for last, the newest first, from behind ``before``."""
    bound: dict[str, Any] = {"whose": person, "most": most}
    if before is None:
        rows = connection.execute(_LISTED, bound)
    else:
        at, report_id = before
        rows = connection.execute(_LISTED_BEFORE, {**bound, "at": at, "before": report_id})
    return list(map(_job_of, rows))


def get_result(connection: Connection, person: str, report_id: str) -> dict[str, Any] | None:
    """Return the run result of a report that has ended, None without one."""
    value = connection.scalar(_RESULT, {"report_id": report_id, "whose": person})
    return None if value is None else msgspec.json.decode(value, type=dict[str, Any])


def read_news(
    connection: Connection, person: str, report_id: str, after: int
) -> tuple[ReportJob | None, int, list[tuple[int, Progress]]]:
    """Return how the report stands, its last event, and its progress behind the event ``after``."""
    job = get(connection, person, report_id)
    if job is None:
        return None, 0, []
    last = connection.scalar(LAST_EVENT, {"report_id": report_id}) or 0
    events = []
    if after < last:
        rows = connection.execute(_EVENTS, {"report_id": report_id, "after": after})
        events = [(row.place, msgspec.json.decode(row.value, type=Progress)) for row in rows]
    return job, last, events


def cancel(
    connection: Connection,
    person: str,
    report_id: str,
    withdraw: Callable[[Connection, int | None], None],
) -> ReportJob | None:
    """End a report that has not ended and take it from its queue; return how it stands then."""
    row = hold(connection, report_id)
    if row is not None and row.person == person and row.state in OPEN_STATES:
        end(connection, report_id, "cancelled")
        withdraw(connection, row.job)
    return get(connection, person, report_id)


def forget(connection: Connection, person: str, report_id: str) -> None:
    """Delete a report that has ended, and all that belongs to it."""
    this = (REPORTS.c.id == report_id) & (REPORTS.c.person == person)
    connection.execute(delete(REPORTS).where(this, ~OPEN_REPORTS.are_open))


def _check_room(connection: Connection, person: str, most: int | None) -> None:
    whose = {"whose": person}
    if (connection.scalar(_WAITING, whose) or 0) >= MAX_WAITING:
        raise Busy(
            f"No more than {MAX_WAITING:,} reports wait at a time.",
            hint="Try again later, or cancel some.",
            detail_code="too_many_reports",
            retry_after=RETRY_SECONDS,
            values={"case": "waiting", "most": f"{MAX_WAITING:,}"},
        )
    if most is not None and (connection.scalar(_COUNT, whose) or 0) >= most:
        raise Busy(
            f"No more than {most:,} reports are kept.",
            hint="Delete some that are no longer needed.",
            detail_code="too_many_kept_reports",
            values={"case": "kept", "most": f"{most:,}"},
        )


def hold(connection: Connection, report_id: str) -> Row[Any] | None:
    """Return the row, which nobody else writes to until the end of the transaction."""
    return connection.execute(_HOLD, {"report_id": report_id}).one_or_none()


def change(connection: Connection, report_id: str, **values: Any) -> None:
    """Change columns of the row, which is held."""
    changed = {"updated_at": time.time(), **values}
    connection.execute(update(REPORTS).where(REPORTS.c.id == report_id).values(changed))


def end(
    connection: Connection,
    report_id: str,
    state: State,
    *,
    result: Mapping[str, Any] | None = None,
    error: RunError | None = None,
) -> None:
    """End the report, whose row is held; its journal is of no use any more."""
    connection.execute(delete(REPORT_ANSWERS).where(REPORT_ANSWERS.c.report == report_id))
    change(
        connection,
        report_id,
        state=state,
        result=None if result is None else msgspec.json.encode(result),
        error=None if error is None else msgspec.json.encode(error),
    )


def _job_of(row: Row[Any]) -> ReportJob:
    return ReportJob(
        id=row.id,
        state=row.state,
        created_at=row.created_at,
        updated_at=row.updated_at,
        attempt=row.attempt,
        order=msgspec.json.decode(row.value, type=ReportOrder),
        error=None if row.error is None else msgspec.json.decode(row.error, type=RunError),
        progress=None if row.progress is None else msgspec.json.decode(row.progress, type=Progress),
    )
