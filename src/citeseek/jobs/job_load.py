"""How many reports and batches wait or are under way, and whether anything becomes of them."""

from __future__ import annotations

import time
from collections.abc import Mapping

from sqlalchemy import Connection, case, func, select

from citeseek.conversations.tables import BATCHES, OPEN, REPORTS
from citeseek.observing.store_state import JobLoad


def count_open(connection: Connection) -> Mapping[str, JobLoad]:
    """Return those of all people by kind: ``report`` and ``batch``."""
    return {kind: _load(*connection.execute(statement).one()) for kind, statement in _OPEN.items()}


_OPEN = {
    kind: select(
        func.count(),
        func.max(table.c.updated_at),
        func.count(case((table.c.state == "queued", 1))),
        func.min(table.c.created_at),
    )
    .select_from(table)
    .where(OPEN)
    for kind, table in (("report", REPORTS), ("batch", BATCHES))
}


def _load(count: int, changed_at: float | None, waiting: int, asked_at: float | None) -> JobLoad:
    return JobLoad(count, _since(changed_at), waiting, _since(asked_at))


def _since(at: float | None) -> float:
    return 0.0 if at is None else max(0.0, time.time() - at)
