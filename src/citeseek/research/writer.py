"""Who plans and writes when there is a language model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from citeseek.research.result import Evidence, ReportSource


class Writer(Protocol):
    """A language model at the desk. Each method raises ModelFailed when it does not answer."""

    @property
    def name(self) -> str:
        """The model's name, to show to people."""
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
