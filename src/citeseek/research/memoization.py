"""A tool provider and a writer that are asked only for what no earlier run has kept."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from citeseek import trace
from citeseek.errors import WebParseError
from citeseek.research.inquiry import Writer
from citeseek.research.journal import Journal
from citeseek.research.result import Evidence, ReportSource
from citeseek.tools.contract import ToolProvider
from citeseek.tools.outputs import check_output
from citeseek.tools.tool_definitions import Definition
from citeseek.verification import Judge


class RecordedJournal:
    """What is taken from the journal ``inner``, as a trace writes it down and gives it back."""

    def __init__(self, inner: Journal) -> None:
        self._inner = inner

    @property
    def since(self) -> str | None:
        """The day of the oldest answer of an earlier run."""
        return trace.draw("kept since", self._inner.since, str | None)

    @property
    def resumed(self) -> int:
        """The number of answers of an earlier run that were taken over."""
        return trace.draw("resumed", self._inner.resumed, int)

    def get(self, key: str) -> Any:
        """Return the answer that was kept under ``key``, or None."""
        return trace.draw(f"kept {key}", self._inner.get(key))

    def take_over(self, key: str) -> None:
        """Count the answer under ``key`` as taken over."""
        self._inner.take_over(key)

    async def put(self, key: str, answer: Any) -> None:
        """Keep ``answer``."""
        await self._inner.put(key, answer)


class Remembered:
    """A tool provider whose answers are looked up in ``journal`` before ``provider`` is asked."""

    def __init__(self, provider: ToolProvider, journal: Journal | RecordedJournal) -> None:
        self.id = provider.id
        self._provider = provider
        self._journal = journal

    def tools(self) -> tuple[Definition, ...]:
        """Return what the provider answers to."""
        return self._provider.tools()

    async def invoke(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Answer as the provider did or does; its errors pass through."""
        # A page is the same whoever found it; results are those of whom was asked.
        of = [] if name == "web.fetch" else [self.id]
        key = json.dumps([name, dict(arguments), *of], ensure_ascii=False, sort_keys=True)
        answer = _fitting(name, self._journal.get(key), self.id)
        if answer is None:
            answer = await self._provider.invoke(name, arguments)
            await self._journal.put(key, answer)
        else:
            self._journal.take_over(key)
        return answer

    async def aclose(self) -> None:
        """Close the provider."""
        await self._provider.aclose()


class RememberedWriter:
    """A writer whose plans are looked up in ``journal`` first: they decide what is searched for."""

    def __init__(self, writer: Writer, journal: Journal | RecordedJournal) -> None:
        self._writer = writer
        self._journal = journal

    @property
    def name(self) -> str:
        """The model's name."""
        return self._writer.name

    @property
    def judge(self) -> Judge | None:
        """The writer's judge."""
        return self._writer.judge

    async def plan(self, question: str, limit: int) -> list[str]:
        """Plan as the writer did or does."""
        return await self._once("plan", lambda: self._writer.plan(question, limit))

    async def follow_up(
        self, question: str, evidence: Sequence[Evidence], asked: Sequence[str], limit: int
    ) -> list[str]:
        """Follow up as the writer did or does after the same queries."""
        key = json.dumps(["follow_up", *asked], ensure_ascii=False)
        return await self._once(
            key, lambda: self._writer.follow_up(question, evidence, asked, limit)
        )

    async def write(
        self, question: str, sources: Sequence[ReportSource], evidence: Sequence[Evidence]
    ) -> str:
        """Write anew."""
        return await self._writer.write(question, sources, evidence)

    async def _once(self, key: str, ask: Callable[[], Awaitable[list[str]]]) -> list[str]:
        kept = self._journal.get(key)
        if not (isinstance(kept, list) and all(isinstance(query, str) for query in kept)):
            kept = None
        queries: list[str] | None = kept
        if queries is None:
            queries = await ask()
            await self._journal.put(key, queries)
        else:
            self._journal.take_over(key)
        return queries


def _fitting(name: str, answer: Any, provider_id: str) -> dict[str, Any] | None:
    """Return ``answer`` when it is one that the tool ``name`` gives; else it is asked for again."""
    try:
        return check_output(name, answer, provider_id) if isinstance(answer, dict) else None
    except WebParseError:
        return None
