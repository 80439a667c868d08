"""Server-sent events to readers, of whom there is a limit."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing

import msgspec
from sse_starlette import EventSourceResponse, ServerSentEvent
from sse_starlette.sse import SendTimeoutError
from starlette.types import Receive, Scope, Send

from citeseek.errors import Busy
from citeseek.surfaces.page.changes import Batch

PING_SECONDS = 15
# A reader that takes nothing for so long is gone.
STUCK_SECONDS = 30
RETRY_SECONDS = 5


class Streams:
    """Opens streams while fewer than ``most`` are open."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.open = 0

    def respond(self, batches: AsyncGenerator[Batch]) -> EventSourceResponse:
        """Return the stream of ``batches``; raise Busy when too many are open."""
        if self.open >= self._most:
            raise Busy(
                f"{self._most} streams are open, which is the limit.",
                hint="Close pages that are no longer needed.",
                detail_code="too_many_streams",
                retry_after=RETRY_SECONDS,
            )
        self.open += 1
        return _Stream(batches, self._closed)

    def _closed(self) -> None:
        self.open -= 1


class _Stream(EventSourceResponse):
    def __init__(self, batches: AsyncGenerator[Batch], closed: Callable[[], None]) -> None:
        super().__init__(
            _events(batches),
            ping=PING_SECONDS,
            ping_message_factory=lambda: ServerSentEvent(comment="ping", sep="\n"),
            send_timeout=STUCK_SECONDS,
            sep="\n",
        )
        self._closed = closed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
            if self.active:  # cut by the end of the server: the answer is whole nevertheless
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        except SendTimeoutError:
            pass
        finally:
            self._closed()


async def _events(batches: AsyncGenerator[Batch]) -> AsyncIterator[ServerSentEvent]:
    """Yield the events of each batch; its mark counts when the last of them has arrived."""
    async with aclosing(batches):
        async for batch in batches:
            last = len(batch.sent) - 1
            for place, sent in enumerate(batch.sent):
                yield ServerSentEvent(
                    msgspec.json.encode(sent.data).decode(),
                    event=sent.kind,
                    id=(batch.mark or None) if place == last else None,
                    sep="\n",
                )
