"""Conversations that are there before a page is opened."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

from citeseek.citations import Source
from citeseek.conversations.conversation_record import Record, Turn
from citeseek.conversations.sqlite_store import MemoryStore
from citeseek.conversations.switches import Mode


def source(number: int, **other: str) -> Source:
    """Return a source as a search brings it."""
    url = f"https://site{number}.example/page"
    told = {"title": f"Title {number}", "url": url, "domain": f"site{number}.example", **other}
    return Source(number, told.pop("title"), told.pop("url"), told.pop("domain"), **told)


def turn(
    number: int,
    message: str,
    answer: str,
    *sources: Source,
    mode: Mode = "chat",
) -> Turn:
    """Return a turn that cites all of its ``sources``."""
    return Turn(
        id=f"turn-{number}",
        mode=mode,
        message=message,
        written=answer,
        answer=answer,
        at=float(number),
        sources=sources,
        cited=tuple(each.number for each in sources),
        model="openai:test",
    )


def turns(count: int) -> list[Turn]:
    """Return ``count`` short turns."""
    return [
        turn(number, f"Question {number}", f"Answer {number}.\n\nMore.", source(1))
        for number in range(1, count + 1)
    ]


def kept(*said: Turn, session_id: str = "kept", title: str = "Kept") -> MemoryStore:
    """Return a store with one conversation in it."""

    async def fill() -> MemoryStore:
        store = MemoryStore()
        await store.put(Record(id=session_id, created_at=1.0, switch=False, title=title))
        for each in said:
            await store.add_turn(session_id, each)
        return store

    # Playwright keeps a loop running in the thread of the tests.
    with ThreadPoolExecutor(1) as other:
        return other.submit(asyncio.run, fill()).result()
