"""What the check of an answer's citations found, and what of it is kept with the answer."""

from __future__ import annotations

import msgspec
from msgspec import structs

from citeseek.models import Failure
from citeseek.observing.receipt import EgressReceipt
from citeseek.verification import CitationCheck, JudgeUse


class Unread(msgspec.Struct, frozen=True, kw_only=True):
    """A source whose page could not be read, and why."""

    number: int
    url: str
    failure: Failure


class CheckedCitations(msgspec.Struct, frozen=True, kw_only=True):
    """A check for each citation of an answer, in order, and the pages that could not be read.

    A source of ``unread`` was checked against what the search said of it. ``judge`` is what came of
    asking one, None where nobody was asked. ``egress`` is what reading the pages and asking the
    judge sent out and brought in.
    """

    checks: tuple[CitationCheck, ...]
    unread: tuple[Unread, ...] = ()
    judge: JudgeUse | None = None
    egress: EgressReceipt | None = None

    @property
    def read(self) -> frozenset[int]:
        """The numbers of the sources whose pages were read for it."""
        failed = {page.number for page in self.unread}
        read = {check.number for check in self.checks if check.verdict != "unfetched"}
        return frozenset(read - failed)


class KeptCheck(CheckedCitations, frozen=True, kw_only=True):
    """The last check of an answer, made ``at`` a time in seconds since 1970."""

    at: float

    @classmethod
    def of(cls, found: CheckedCitations, at: float) -> KeptCheck:
        """Return ``found`` as it is kept."""
        return cls(**structs.asdict(found), at=at)
