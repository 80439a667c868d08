"""A report that outlives the request for it: what was asked, how it stands, and why it failed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import msgspec

from citeseek.conversations.tables import OPEN_STATES
from citeseek.research import Inquiry, Progress, RunError

State: TypeAlias = Literal["queued", "running", "finished", "failed", "cancelled"]


class ReportOrder(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a report is to answer, as it was asked.

    ``engines`` are asked instead of those of the settings, ``model`` plans and writes instead of
    theirs, and the files of the conversation ``session`` are sources beside the pages.
    """

    question: str
    max_sources: int | None = None
    depth: int | None = None
    seconds: float | None = None
    engines: tuple[str, ...] = ()
    model: str | None = None
    session: str | None = None

    def inquiry(self) -> Inquiry:
        """Return the question and its limits; raise InvalidInput for what cannot be asked."""
        return Inquiry.of(
            self.question, max_sources=self.max_sources, depth=self.depth, seconds=self.seconds
        )


class ReportJob(msgspec.Struct, frozen=True, kw_only=True):
    """How a report stands.

    Times are seconds since 1970. ``attempt`` counts how often it was begun: once, unless what
    wrote it ended before it did. ``error`` says why one ``failed``, ``progress`` how far it came.
    """

    id: str
    state: State
    created_at: float
    updated_at: float
    attempt: int
    order: ReportOrder
    error: RunError | None = None
    progress: Progress | None = None

    @property
    def place(self) -> tuple[float, str]:
        """Where it stands in the list of reports."""
        return self.created_at, self.id

    @property
    def is_open(self) -> bool:
        """Whether it is still to be written, or is being written."""
        return self.state in OPEN_STATES


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """Leave to write the report ``report_id``, which the next attempt takes away.

    ``number`` is the fencing token: what comes with an earlier one is refused. ``person`` is the
    name of whoever asked for it. ``answers`` are the lines of the journal so far.
    """

    report_id: str
    person: str
    number: int
    order: ReportOrder
    answers: tuple[Mapping[str, Any], ...] = ()


class TakenOver(Exception):
    """The report is another's by now, or was cancelled: nothing more may be written to it."""
