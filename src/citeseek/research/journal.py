"""What a run has learned so far, on disk: a run that was cut off goes on where it was.

A journal is a file of JSON lines. The first names the inquiry, each further one an answer: whose,
to what, and what it was. Failures are not kept, so that they are tried again.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from msgspec import to_builtins

from citeseek import trace
from citeseek.errors import InvalidInput
from citeseek.research.inquiry import Inquiry
from citeseek.research.outcome import Evidence, ReportSource
from citeseek.research.writer import Writer
from citeseek.tools.contract import ToolProvider
from citeseek.tools.definitions import Definition

VERSION = 1
# How every journal begins.
_TITLE = '{"journal": '


class Journal:
    """The answers that were written down in ``path``; without a path they are kept in memory."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._answers: dict[str, Any] = {}

    @classmethod
    def of(cls, path: Path, inquiry: Inquiry, *, fresh: bool = False) -> Self:
        """Return the journal in ``path``, begun for ``inquiry`` unless it was before.

        With ``fresh`` what an earlier run wrote there is forgotten, also that of another inquiry.
        Lines that were cut off or damaged are dropped. Raise InvalidInput when the file belongs to
        another inquiry, is none of ours, or cannot be read or written.
        """
        journal = cls(path)
        title = {"journal": VERSION, "inquiry": to_builtins(inquiry)}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = _whole_lines(path)
            if fresh and lines and is_journal(path):
                lines = []
            if lines and lines[0] != title:
                raise InvalidInput(
                    f"{path} belongs to another report: {_question(lines[0])!r:.80}.",
                    hint="Name another folder, or delete this one.",
                )
            for line in lines[1:]:
                journal._answers[line["of"]] = line["answer"]
            # Without the line that was cut off, whose end would spoil the next one.
            path.write_text("".join(map(_line, lines or [title])), encoding="utf-8")
        except OSError as reason:
            raise InvalidInput(f"{path} cannot be used ({reason.strerror}).") from None
        except (TypeError, KeyError):
            raise InvalidInput(
                f"{path} is not the journal of a report.", hint="Name another folder."
            ) from None
        return journal

    @property
    def count(self) -> int:
        """The number of answers."""
        return len(self._answers)

    def get(self, key: str) -> Any:
        """Return the answer that was kept under ``key``, or None."""
        return self._answers.get(key)

    def put(self, key: str, answer: Any) -> None:
        """Keep ``answer``, on disk before this returns."""
        self._answers[key] = answer
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(_line({"of": key, "answer": answer}))


class Remembered:
    """A tool provider whose answers are looked up in ``journal`` before ``provider`` is asked."""

    def __init__(self, provider: ToolProvider, journal: Journal) -> None:
        self.id = provider.id
        self._provider = provider
        self._journal = journal

    def tools(self) -> tuple[Definition, ...]:
        """Return what the provider answers to."""
        return self._provider.tools()

    async def invoke(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Answer as the provider did or does; its errors pass through."""
        key = json.dumps([name, dict(arguments)], ensure_ascii=False, sort_keys=True)
        answer: dict[str, Any] | None = trace.drawn(f"kept {key}", self._journal.get(key))
        if answer is None:
            answer = await self._provider.invoke(name, arguments)
            self._journal.put(key, answer)
        return answer

    async def aclose(self) -> None:
        """Close the provider."""
        await self._provider.aclose()


class RememberedWriter:
    """A writer whose plans are looked up in ``journal`` first: they decide what is searched for."""

    def __init__(self, writer: Writer, journal: Journal) -> None:
        self._writer = writer
        self._journal = journal

    @property
    def name(self) -> str:
        """The model's name."""
        return self._writer.name

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
        queries: list[str] | None = trace.drawn(f"kept {key}", self._journal.get(key))
        if queries is None:
            queries = await ask()
            self._journal.put(key, queries)
        return queries


def is_journal(path: Path) -> bool:
    """Return whether ``path`` is a journal that was begun; raise OSError if it cannot be read."""
    try:
        with path.open(encoding="utf-8") as file:
            title = json.loads(file.readline())
    except (FileNotFoundError, ValueError, RecursionError):
        return False
    return isinstance(title, dict) and "journal" in title and "inquiry" in title


def _whole_lines(path: Path) -> list[Any]:
    if not path.exists():
        return []
    text = path.read_text(encoding="utf-8", errors="replace")
    whole, _, cut_off = text.rpartition("\n")
    if not whole and _TITLE.startswith(cut_off[: len(_TITLE)]) and "\n" not in text:
        return []
    lines = []
    for line in whole.splitlines():
        try:
            lines.append(json.loads(line))
        except ValueError:
            break
    if not lines:
        raise TypeError
    return lines


def _question(title: Any) -> str:
    return str(title["inquiry"]["question"])


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"
