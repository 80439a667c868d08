"""What whoever gives a batch does in its tables, each within a transaction.

What is written is written with the row of the batch held. :mod:`citeseek.jobs.batch_attempts` has
what those do who answer it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from sqlalchemy import (
    Connection,
    Integer,
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
from citeseek.conversations.tables import BATCH_PARTS, BATCHES, ID, OPEN, OPEN_STATES, SECONDS
from citeseek.errors import Busy, NoBatch
from citeseek.jobs.batch_job import BatchJob, BatchOrder
from citeseek.jobs.open_jobs import OpenJobs

# Who asks for more than can be answered fills the disk.
MAX_OPEN = 100
# Parts of a batch that are in the queue at one time: workers never wait for the next one, and what
# is asked for later does not wait for a million.
WINDOW = 64
# Over so many seconds the rate is told.
RATE_SECONDS = 300.0
# One whose lines do not arrive any more is deleted.
_LOADING_SECONDS = 600.0

# Queues a part of a batch; returns its number in the queue, if it has one.
QueuePart = Callable[[Connection, str, int], "int | None"]

_BATCH_ID = bindparam("batch_id", type_=ID)
_WHOSE = bindparam("whose", type_=ID)
_OWN = BATCHES.c.person == _WHOSE
_PART = bindparam("part", type_=Integer)
OPEN_BATCHES = OpenJobs(BATCHES)
THIS_PART = (BATCH_PARTS.c.batch == _BATCH_ID) & (BATCH_PARTS.c.place == _PART)
_HOLD = select(BATCHES).where(BATCHES.c.id == _BATCH_ID).with_for_update()
_RECENT = (
    select(func.coalesce(func.sum(BATCH_PARTS.c.lines), 0))
    .where(BATCH_PARTS.c.batch == BATCHES.c.id, BATCH_PARTS.c.ended_at > bindparam("since"))
    .scalar_subquery()
    .label("recent")
)
_SHOWN = select(BATCHES, _RECENT).where(_OWN, BATCHES.c.state != "loading")
_SHOW = _SHOWN.where(BATCHES.c.id == _BATCH_ID)
_LISTED = _SHOWN.order_by(BATCHES.c.created_at.desc(), BATCHES.c.id.desc()).limit(bindparam("most"))
_LISTED_BEFORE = _LISTED.where(
    tuple_(BATCHES.c.created_at, BATCHES.c.id)
    < tuple_(bindparam("at", type_=SECONDS), bindparam("before", type_=ID))
)
_ANSWERS = (
    select(BATCH_PARTS.c.answers)
    .join(BATCHES, BATCHES.c.id == BATCH_PARTS.c.batch)
    .where(THIS_PART, _OWN)
)
_COUNT = select(func.count()).select_from(BATCHES).where(_OWN)


def open_batch(
    connection: Connection,
    person: str,
    batch_id: str,
    order: BatchOrder,
    *,
    owner: str,
    most: int | None,
) -> None:
    """Make a batch of ``person`` whose lines are to arrive.

    Raise Busy when ``most`` of theirs are kept, or too many wait. Those whose lines stopped to
    arrive go.
    """
    now = time.time()
    stale = (BATCHES.c.state == "loading") & (BATCHES.c.updated_at < now - _LOADING_SECONDS)
    connection.execute(delete(BATCHES).where(stale))
    if hold(connection, batch_id) is not None:
        return
    _check_room(connection, person, most)
    values = {
        "id": batch_id,
        "state": "loading",
        "created_at": now,
        "updated_at": now,
        "owner": owner,
        "beat_at": now,
        "value": msgspec.json.encode(order),
        "person": person,
    }
    connection.execute(insert(BATCHES), values)


def add_parts(
    connection: Connection, batch_id: str, first: int, parts: Sequence[tuple[int, bytes]]
) -> None:
    """Add parts from the place ``first`` on, each with its number of lines and its questions.

    Raise NoBatch where the person who gives it was erased meanwhile.
    """
    if hold(connection, batch_id) is None:
        raise NoBatch("The batch was deleted.", values={"case": "unknown", "id": batch_id})
    behind = (BATCH_PARTS.c.batch == batch_id) & (BATCH_PARTS.c.place >= first)
    connection.execute(delete(BATCH_PARTS).where(behind))
    rows = [
        {"batch": batch_id, "place": place, "state": "waiting", "lines": lines, "asked": asked}
        for place, (lines, asked) in enumerate(parts, start=first)
    ]
    connection.execute(insert(BATCH_PARTS), rows)
    change(connection, batch_id)


def start(
    connection: Connection, batch_id: str, *, total: int, parts: int, queue: QueuePart
) -> list[int]:
    """Queue the first parts of a batch whose lines are all there; return them."""
    row = hold(connection, batch_id)
    if row is None or row.state != "loading":
        return []
    queued = list(range(min(parts, WINDOW)))
    for part in queued:
        queue_part(connection, batch_id, part, queue)
    change(connection, batch_id, state="queued", total=total, parts=parts, next=len(queued))
    return queued


def get(connection: Connection, person: str, batch_id: str) -> BatchJob | None:
    """Return how the batch stands, None when there is none."""
    now = time.time()
    bound = {"batch_id": batch_id, "whose": person, "since": now - RATE_SECONDS}
    row = connection.execute(_SHOW, bound).one_or_none()
    return None if row is None else _job_of(row, now)


def list_newest(
    connection: Connection, person: str, most: int, before: tuple[float, str] | None
) -> list[BatchJob]:
    """Return the batches that were given last, the newest first, from behind ``before``."""
    now = time.time()
    bound: dict[str, Any] = {"whose": person, "most": most, "since": now - RATE_SECONDS}
    statement = _LISTED
    if before is not None:
        statement = _LISTED_BEFORE
        bound["at"], bound["before"] = before
    return [_job_of(row, now) for row in connection.execute(statement, bound)]


def get_answers(connection: Connection, person: str, batch_id: str, part: int) -> bytes | None:
    """Return the answers to a part as they are kept, None where it is not done."""
    bound = {"batch_id": batch_id, "part": part, "whose": person}
    value: bytes | None = connection.scalar(_ANSWERS, bound)
    return value


def cancel(
    connection: Connection,
    person: str,
    batch_id: str,
    withdraw: Callable[[Connection, int | None], None],
) -> BatchJob | None:
    """End a batch that has not ended and take its parts from the queue; return how it stands."""
    row = hold(connection, batch_id)
    if row is not None and row.person == person and row.state in OPEN_STATES:
        change(connection, batch_id, state="cancelled")
        for part in connection.execute(list_queued(batch_id)).all():
            withdraw(connection, part.job)
    return get(connection, person, batch_id)


def forget(connection: Connection, person: str, batch_id: str) -> None:
    """Delete a batch that has ended, or whose lines did not arrive, and all that belongs to it."""
    this = (BATCHES.c.id == batch_id) & (BATCHES.c.person == person)
    connection.execute(delete(BATCHES).where(this, ~OPEN_BATCHES.are_open))


def hold(connection: Connection, batch_id: str) -> Row[Any] | None:
    """Return the row of a batch, which nobody else writes to until the end of the transaction."""
    return connection.execute(_HOLD, {"batch_id": batch_id}).one_or_none()


def list_queued(batch_id: str) -> Any:
    """Return what selects the parts that are still to be done, with their jobs."""
    return (
        select(BATCH_PARTS.c.place, BATCH_PARTS.c.job)
        .where(BATCH_PARTS.c.batch == batch_id, BATCH_PARTS.c.state.in_(OPEN_STATES))
        .order_by(BATCH_PARTS.c.place)
    )


def queue_part(connection: Connection, batch_id: str, part: int, queue: QueuePart) -> None:
    """Queue a part for whoever takes it."""
    job = queue(connection, batch_id, part)
    change_part(connection, batch_id, part, state="queued", job=job)


def change(connection: Connection, batch_id: str, **values: Any) -> None:
    """Change the row of a batch."""
    changed = {"updated_at": time.time(), **values}
    connection.execute(update(BATCHES).where(BATCHES.c.id == batch_id).values(changed))


def change_part(connection: Connection, batch_id: str, part: int, **values: Any) -> None:
    """Change the row of a part."""
    this = (BATCH_PARTS.c.batch == batch_id) & (BATCH_PARTS.c.place == part)
    connection.execute(update(BATCH_PARTS).where(this).values(values))


def _check_room(connection: Connection, person: str, most: int | None) -> None:
    whose = {"whose": person}
    if (connection.scalar(_COUNT.where(OPEN), whose) or 0) >= MAX_OPEN:
        raise Busy(
            f"No more than {MAX_OPEN:,} batches are under way at a time.",
            hint="Try again later, or cancel some.",
            detail_code="too_many_batches",
            retry_after=RETRY_SECONDS,
            values={"case": "waiting", "most": f"{MAX_OPEN:,}"},
        )
    if most is not None and (connection.scalar(_COUNT, whose) or 0) >= most:
        raise Busy(
            f"No more than {most:,} batches are kept.",
            hint="Delete some that are no longer needed.",
            detail_code="too_many_batches",
            values={"case": "kept", "most": f"{most:,}"},
        )


def _job_of(row: Row[Any], now: float) -> BatchJob:
    if row.state in OPEN_STATES:
        recent, window = row.recent, min(now - row.began_at, RATE_SECONDS)
    else:
        recent, window = row.done, row.updated_at - row.began_at
    return BatchJob(
        id=row.id,
        state=row.state,
        created_at=row.created_at,
        updated_at=row.updated_at,
        order=msgspec.json.decode(row.value, type=BatchOrder),
        total=row.total,
        done=row.done,
        failed=row.failed,
        parts=row.parts,
        recent=recent,
        window=window,
    )
