"""What whoever answers a part of a batch does in its tables, each within a transaction.

The row of the batch is held first and then that of the part. A part is done as a whole: its answers
are stored, the batch counts them, and the next part is queued, or nothing happened. Who was taken
over meanwhile is refused (:class:`~citeseek.jobs.report_job.TakenOver`).
"""

from __future__ import annotations

import time
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, select

from citeseek.conversations.tables import BATCH_PARTS, OPEN_STATES
from citeseek.jobs.batch_job import MAX_LOST, BatchOrder, PartLeave, unpack_questions
from citeseek.jobs.batch_rows import (
    OPEN_BATCHES,
    THIS_PART,
    QueuePart,
    change,
    change_part,
    hold,
    list_queued,
    queue_part,
)
from citeseek.jobs.report_job import TakenOver

_HOLD_PART = select(BATCH_PARTS).where(THIS_PART).with_for_update()


def begin(connection: Connection, batch_id: str, part: int, owner: str) -> PartLeave | None:
    """Return the leave to answer a part; whoever had it before has it no more.

    None when it is done, or its batch has ended or is not that of ``owner``.
    """
    batch = hold(connection, batch_id)
    if batch is None or batch.state not in OPEN_STATES or batch.owner != owner:
        return None
    row = _hold_part(connection, batch_id, part)
    if row is None or row.state not in OPEN_STATES:
        return None
    number = row.attempt + 1
    change_part(connection, batch_id, part, state="running", attempt=number, lost=row.lost + 1)
    if batch.state == "queued":
        change(connection, batch_id, state="running", began_at=time.time())
    return PartLeave(
        batch_id=batch_id,
        person=batch.person,
        part=part,
        number=number,
        order=msgspec.json.decode(batch.value, type=BatchOrder),
        asked=unpack_questions(row.asked),
        is_given_up=row.lost >= MAX_LOST,
    )


def finish(
    connection: Connection, leave: PartLeave, answers: bytes, failed: int, queue: QueuePart
) -> int | None:
    """Store the answers to a part and queue the next one, which is returned; raise TakenOver."""
    batch, row = _check_leave(connection, leave)
    if row.state == "done":
        # The connection broke after it was stored.
        return None
    now = time.time()
    change_part(connection, leave.batch_id, leave.part, state="done", answers=answers, ended_at=now)
    done, part = batch.done + row.lines, batch.next
    has_next = part < batch.parts
    if has_next:
        queue_part(connection, leave.batch_id, part, queue)
    change(
        connection,
        leave.batch_id,
        done=done,
        failed=batch.failed + failed,
        next=part + has_next,
        state="finished" if done >= batch.total else "running",
    )
    return part if has_next else None


def hand_back(connection: Connection, leave: PartLeave) -> None:
    """Let another answer the part; raise TakenOver."""
    _, row = _check_leave(connection, leave)
    if row.state == "running":
        change_part(connection, leave.batch_id, leave.part, state="queued", lost=row.lost - 1)


def requeue(
    connection: Connection, batch_id: str, part: int, stalled: int | None, queue: QueuePart
) -> None:
    """Queue the part again whose job ``stalled`` has lost its worker, unless somebody did."""
    batch = hold(connection, batch_id)
    row = _hold_part(connection, batch_id, part)
    if batch is None or batch.state not in OPEN_STATES or row is None:
        return
    if row.state in OPEN_STATES and row.job == stalled:
        change_part(connection, batch_id, part, job=queue(connection, batch_id, part))


def adopt(connection: Connection, owner: str, seconds: float) -> list[tuple[str, int]]:
    """Give ``owner`` the orphans; return their parts in the queue, the oldest batch first."""
    return [
        (batch_id, row.place)
        for batch_id in OPEN_BATCHES.adopt(connection, owner, seconds)
        for row in connection.execute(list_queued(batch_id))
    ]


def _hold_part(connection: Connection, batch_id: str, part: int) -> Row[Any] | None:
    bound = {"batch_id": batch_id, "part": part}
    return connection.execute(_HOLD_PART, bound).one_or_none()


def _check_leave(connection: Connection, leave: PartLeave) -> tuple[Row[Any], Row[Any]]:
    batch = hold(connection, leave.batch_id)
    row = _hold_part(connection, leave.batch_id, leave.part)
    if batch is None or row is None or batch.state == "cancelled" or row.attempt != leave.number:
        raise TakenOver
    return batch, row
