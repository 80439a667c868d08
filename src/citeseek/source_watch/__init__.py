"""Watching kept answers: whether their sources still say what they were cited for."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Self

import msgspec

from citeseek import observing
from citeseek.client import Client
from citeseek.errors import CiteseekError
from citeseek.fetching.own_file import SCHEME
from citeseek.fetching.source_text import text_of_page
from citeseek.models import Failure
from citeseek.observing.receipt import EgressReceipt
from citeseek.source_watch.kept_answer import (
    CitedStatement,
    KeptAnswer,
    KeptSource,
    of_certificate,
    of_conversation,
    of_report,
    of_turn,
)
from citeseek.source_watch.source_change import AMBER, Code, SourceChange, change

__all__ = [
    "AMBER",
    "CitedStatement",
    "KeptAnswer",
    "KeptSource",
    "SourceChange",
    "WatchedAnswer",
    "WatchedAnswers",
    "WatchedSource",
    "change",
    "of_certificate",
    "of_conversation",
    "of_report",
    "of_turn",
    "read_again",
]

# Pages that are read at the same time; each site has its own turn beside that.
_AT_ONCE = 4
# The state of a source is that of its worst statement.
_WORST: tuple[Code, ...] = (
    "changed", "gone", "unclear", "unread", "unknown", "own_file", "same",
)  # fmt: skip


class WatchedSource(msgspec.Struct, frozen=True, kw_only=True):
    """A source of a kept answer as it is today.

    ``state`` is the worst of its ``changes``, one for each statement that cites it. A page that is
    not there any more (HTTP 404 or 410) is ``gone``; one that could not be read for another reason
    is ``unread``. Both have the ``failure``. A file of one's own is not read again.
    """

    number: int
    title: str
    url: str
    state: Code
    changes: tuple[SourceChange, ...]
    failure: Failure | None = None

    @property
    def is_amber(self) -> bool:
        """Whether it no longer says what it was cited for, as far as can be told."""
        return self.state in AMBER


class WatchedAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A kept answer whose sources were read again at ``read_at`` (ISO 8601).

    ``egress`` is what that sent out and brought in.
    """

    question: str
    made_at: str
    read_at: str
    sources: tuple[WatchedSource, ...]
    egress: EgressReceipt | None = None

    @property
    def amber(self) -> tuple[WatchedSource, ...]:
        """The sources that no longer say what they were cited for."""
        return tuple(source for source in self.sources if source.is_amber)


class WatchedAnswers(msgspec.Struct, frozen=True, kw_only=True):
    """Kept answers whose sources were read again.

    ``same`` where each of these was read and still says what it was cited for; files of one's own
    count for nothing.
    """

    answers: tuple[WatchedAnswer, ...]
    same: bool

    @classmethod
    def of(cls, answers: Iterable[WatchedAnswer]) -> Self:
        """Return what became of ``answers`` together."""
        found = tuple(answers)
        states = {source.state for one in found for source in one.sources}
        return cls(answers=found, same=states <= {"same", "own_file"})


async def read_again(kept: KeptAnswer, client: Client) -> WatchedAnswer:
    """Read the pages that ``kept`` cites as they are now, and compare.

    A page that cannot be read is told with its failure, and the others are read all the same.
    """
    observing.find(source.url for source in kept.sources)
    free = asyncio.Semaphore(_AT_ONCE)

    async def look(source: KeptSource) -> WatchedSource:
        statements = [one for one in kept.statements if one.number == source.number]
        if source.url.startswith(SCHEME):
            return _unread(source, statements, "own_file")
        async with free:
            try:
                page = await client.fetch(source.url, fresh=True)
            except CiteseekError as error:
                code: Code = "gone" if error.values.get("case") == "gone" else "unread"
                return _unread(source, statements, code, Failure.of(error))
        text = text_of_page(page, source.title)
        changes = await asyncio.to_thread(lambda: tuple(change(one, text) for one in statements))
        return _watch_source(source, changes)

    ledger = client.ledger()
    with observing.watching(ledger):
        sources = await asyncio.gather(*map(look, kept.sources))
    return WatchedAnswer(
        question=kept.question,
        made_at=kept.made_at,
        read_at=datetime.now(UTC).isoformat(timespec="seconds"),
        sources=tuple(sources),
        egress=ledger.receipt(),
    )


def _watch_source(
    source: KeptSource, changes: tuple[SourceChange, ...], failure: Failure | None = None
) -> WatchedSource:
    codes = {one.code for one in changes}
    state: Code = next((code for code in _WORST if code in codes), "same")
    return WatchedSource(
        number=source.number,
        title=source.title,
        url=source.url,
        state=state,
        changes=changes,
        failure=failure,
    )


def _unread(
    source: KeptSource,
    statements: list[CitedStatement],
    code: Code,
    failure: Failure | None = None,
) -> WatchedSource:
    changes = tuple(SourceChange(one.claim, code, one.quote) for one in statements)
    return _watch_source(source, changes, failure)
