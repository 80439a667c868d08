"""What a report is asked to answer, how far it may go for that, and who plans and writes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, Self

import msgspec

from citeseek.errors import InvalidInput
from citeseek.query import MAX_CHARS, clean, one_line, seconds_within, whole_number
from citeseek.research.result import Evidence, ReportSource
from citeseek.verification import Judge

SOURCES, MAX_SOURCES = 5, 20
DEPTH, MAX_DEPTH = 1, 3
MIN_SECONDS, MAX_SECONDS = 1, 3_600


class Inquiry(msgspec.Struct, frozen=True):
    """A question and its limits.

    ``max_sources`` (1 to 20) is the number of different pages that the report may rest on,
    ``depth`` (1 to 3) the number of rounds of searching. After ``seconds`` (1 to 3,600; None: no
    limit) no further page is waited for, and the report is written from what is there.
    """

    question: str
    max_sources: int = SOURCES
    depth: int = DEPTH
    seconds: float | None = None

    @classmethod
    def of(
        cls,
        question: str,
        *,
        max_sources: int | None = None,
        depth: int | None = None,
        seconds: float | None = None,
    ) -> Self:
        """Return the inquiry, checked; raise InvalidInput for what cannot be asked."""
        sources = SOURCES if max_sources is None else max_sources
        rounds = DEPTH if depth is None else depth
        return cls(
            question=_clean(question),
            max_sources=whole_number("max_sources", sources, 1, MAX_SOURCES),
            depth=whole_number("depth", rounds, 1, MAX_DEPTH),
            seconds=None if seconds is None else seconds_within(seconds, MIN_SECONDS, MAX_SECONDS),
        )

    def sources_by(self, round_: int) -> int:
        """Return how many pages may have been read when the round ``round_`` (from 1) is over."""
        return -(-self.max_sources * round_ // self.depth)


def _clean(question: object) -> str:
    """Return ``question`` as a query is cleaned; what is wrong is said of a question."""
    if isinstance(question, str):
        question = one_line(question)
        if not question:
            raise InvalidInput(
                "The question is empty.",
                hint="Write what is to be found out.",
                values={"case": "question_empty"},
            )
        if len(question) > MAX_CHARS:
            raise InvalidInput(
                f"The question has {len(question):,} characters; the limit is {MAX_CHARS:,}.",
                hint="Ask in fewer words.",
                values={
                    "case": "question_long",
                    "chars": f"{len(question):,}",
                    "most": f"{MAX_CHARS:,}",
                },
            )
    return clean(question)


class Writer(Protocol):
    """A language model at the desk. Each method raises ModelFailed when it does not answer."""

    @property
    def name(self) -> str:
        """The model's name, to show to people."""
        ...

    @property
    def judge(self) -> Judge | None:
        """Who is asked about citations of the summary that the rules leave unclear, if anybody."""
        ...

    async def plan(self, question: str, limit: int) -> list[str]:
        """Return at most ``limit`` queries that together answer ``question``."""
        ...

    async def follow_up(
        self, question: str, evidence: Sequence[Evidence], asked: Sequence[str], limit: int
    ) -> list[str]:
        """Return at most ``limit`` further queries for what ``evidence`` leaves open."""
        ...

    async def write(
        self, question: str, sources: Sequence[ReportSource], evidence: Sequence[Evidence]
    ) -> str:
        """Return an answer in Markdown whose every sentence carries the [n] of its sources."""
        ...
