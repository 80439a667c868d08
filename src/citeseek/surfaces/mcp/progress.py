"""How far a report is, for a host that asked to be told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from citeseek.catalogue import BOTH, catalogue
from citeseek.research import Progress
from citeseek.research.gathering import Watch
from citeseek.text import plain_line, shorten

TOTAL = 100.0
ABOUT_CHARS = 80
# From where to where each stage leads.
_STAGES = {
    "plan": (0, 5),
    "search": (5, 20),
    "read": (20, 80),
    "rank": (80, 90),
    "write": (90, 100),
}
# A host may take what does not grow for a mistake; a second round begins where the first ended.
_LEAST = 0.01

# Takes what is done, of how much, and a sentence.
Send = Callable[[float, float, str], Awaitable[None]]


@asynccontextmanager
async def reported(send: Send) -> AsyncIterator[Watch]:
    """Yield what is to be told of progress; it is sent in order, and all of it by the end."""
    told: asyncio.Queue[Progress | None] = asyncio.Queue()
    sending = asyncio.create_task(_send_all(told, send))
    try:
        yield told.put_nowait
        told.put_nowait(None)
        await sending
    finally:
        sending.cancel()


async def _send_all(told: asyncio.Queue[Progress | None], send: Send) -> None:
    done = 0.0
    while (progress := await told.get()) is not None:
        low, high = _STAGES[progress.stage]
        word = catalogue(BOTH)(f"cli.stage_{progress.stage}")
        share = progress.done / progress.total if progress.total else 1.0
        done = round(max(low + (high - low) * min(share, 1.0), done + _LEAST), 2)
        about = shorten(plain_line(progress.about), ABOUT_CHARS)
        await send(done, TOTAL, f"{word} {progress.done}/{progress.total} {about}".rstrip())
