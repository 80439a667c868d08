"""What the writer of a report does in its tables, each within a transaction.

An attempt begins, keeps its journal, tells its progress, and ends the report or hands it back. Who
was taken over meanwhile is refused (:class:`~citeseek.jobs.report_job.TakenOver`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, delete, insert, select

from citeseek.conversations.tables import OPEN_STATES, REPORT_ANSWERS, REPORT_EVENTS, REPORTS
from citeseek.jobs.report_job import Attempt, ReportOrder, TakenOver
from citeseek.jobs.report_rows import LAST_EVENT, REPORT_ID, change, end, hold
from citeseek.research import Progress, RunError

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
    values={"case": "lost_report", "times": str(MAX_LOST)},
)


def begin(connection: Connection, report_id: str, owner: str) -> Attempt | None:
    """Return the leave to write the report; whoever had it before has it no more.

    None when it has ended, is not that of ``owner``, or was begun too often.
    """
    row = hold(connection, report_id)
    if row is None or row.state not in OPEN_STATES or row.owner != owner:
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


def keep_answer(connection: Connection, attempt: Attempt, line: Mapping[str, Any]) -> None:
    """Keep a line of the journal; raise TakenOver."""
    report_id = _check_leave(connection, attempt)
    key = hashlib.sha256(line["of"].encode(errors="surrogatepass")).hexdigest()
    this = (REPORT_ANSWERS.c.report == report_id) & (REPORT_ANSWERS.c.key == key)
    connection.execute(delete(REPORT_ANSWERS).where(this))
    value = msgspec.json.encode(line)
    connection.execute(insert(REPORT_ANSWERS).values(report=report_id, key=key, value=value))


def add_events(connection: Connection, attempt: Attempt, events: Sequence[Progress]) -> None:
    """Append progress; raise TakenOver."""
    report_id = _check_leave(connection, attempt)
    last = connection.scalar(LAST_EVENT, {"report_id": report_id}) or 0
    rows = [
        {"report": report_id, "place": place, "value": msgspec.json.encode(event)}
        for place, event in enumerate(events, start=last + 1)
    ]
    connection.execute(insert(REPORT_EVENTS), rows)
    change(connection, report_id)


def finish(
    connection: Connection,
    attempt: Attempt,
    *,
    result: Mapping[str, Any] | None,
    error: RunError | None,
) -> None:
    """Store how the report ended, whose journal is of no use any more; raise TakenOver."""
    report_id = _check_leave(connection, attempt)
    end(connection, report_id, "failed" if error else "finished", result=result, error=error)


def hand_back(connection: Connection, attempt: Attempt) -> None:
    """Let another go on with the report from its journal; raise TakenOver."""
    report_id = _check_leave(connection, attempt)
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
    if row is not None and row.state in OPEN_STATES and row.job == stalled:
        change(connection, report_id, job=queue(connection))


def _check_leave(connection: Connection, attempt: Attempt) -> str:
    """Hold the report of ``attempt`` and return its id; raise TakenOver."""
    row = hold(connection, attempt.report_id)
    if row is None or (row.state, row.attempt) != ("running", attempt.number):
        raise TakenOver
    return attempt.report_id
