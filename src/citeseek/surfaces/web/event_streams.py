"""Server-sent events to readers, of whom there is a limit, in lines that all of them read alike."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, contextmanager
from typing import Any

import msgspec
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citeseek.concurrency.admission import Places
from citeseek.settings.server_settings import ServerSection

PING_SECONDS = 15
STREAM = "text/event-stream"
# Python's ``splitlines`` ends a line there too, and with it clients that are based on httpx. In
# JSON, which all of our events are, these can stand within strings alone.
_ENDS = {sign.encode(): f"\\u{ord(sign):04x}".encode() for sign in ("\x85", "\u2028", "\u2029")}


def json_event(kind: str, data: Any, id_: str | None = None) -> ServerSentEvent:
    """Return an event with ``data`` as JSON; a reader that comes again names the last ``id_``."""
    return ServerSentEvent(msgspec.json.encode(data).decode(), event=kind, id=id_, sep="\n")


def data_event(data: object) -> ServerSentEvent:
    """Return an event of no kind with ``data`` as JSON."""
    return ServerSentEvent(msgspec.json.encode(data).decode(), sep="\n")


class StreamPlace:
    """Room for one stream, which the stream has until it ends, if it is opened."""

    def __init__(self, leave: Callable[[], None]) -> None:
        self._leave = leave
        self.is_given = False

    def respond(
        self,
        events: AsyncGenerator[ServerSentEvent],
        *,
        over: Callable[[], None] = lambda: None,
        **headers: str,
    ) -> EventSourceResponse:
        """Return the stream of ``events``; ``over`` is called when it has ended, however it did."""
        leave = self.take()

        def closed() -> None:
            leave()
            over()

        return _Stream(events, closed, headers)

    def take(self) -> Callable[[], None]:
        """Give it away; return how to leave it."""
        self.is_given = True
        return self._leave


class Streams:
    """Opens streams while fewer than ``most`` are open."""

    def __init__(self, most: int) -> None:
        self._places = Places(
            most,
            "stream",
            ServerSection.max_streams.name,
            hint="Close pages that are no longer needed.",
        )

    @property
    def open(self) -> int:
        """How many are open."""
        return self._places.taken

    @contextmanager
    def place(self) -> Iterator[StreamPlace]:
        """Hold a place for a stream that needs work before it begins; raise Busy without one."""
        self._places.take()
        place = StreamPlace(self._places.leave)
        try:
            yield place
        finally:
            if not place.is_given:
                self._places.leave()

    def respond(
        self, events: AsyncGenerator[ServerSentEvent], **headers: str
    ) -> EventSourceResponse:
        """Return the stream of ``events``; raise Busy when too many are open."""
        with self.place() as place:
            return _Stream(events, place.take(), headers)


class _Stream(EventSourceResponse):
    def __init__(
        self,
        events: AsyncGenerator[ServerSentEvent],
        closed: Callable[[], None],
        headers: dict[str, str],
    ) -> None:
        super().__init__(
            _in_turn(events),
            headers=headers,
            ping=PING_SECONDS,
            ping_message_factory=lambda: ServerSentEvent(comment="ping", sep="\n"),
            sep="\n",
        )
        self._closed = closed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
            if self.active:  # cut by the end of the server: the answer is whole nevertheless
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            self._closed()


async def _in_turn(events: AsyncGenerator[ServerSentEvent]) -> AsyncGenerator[ServerSentEvent]:
    """Yield ``events``, and let others have their turn between two of them.

    Sending waits for nothing until 64 KiB are unsent: a reader that catches up would have the
    event loop for itself.
    """
    async with aclosing(events):
        async for event in events:
            yield event
            await asyncio.sleep(0)


class EventLines:
    """Escapes the line ends of Unicode in the event streams of an application.

    Their lines end where every client thinks that they end.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; each piece of a stream holds whole events."""
        is_stream = False

        async def escaped(message: Message) -> None:
            nonlocal is_stream
            if message["type"] == "http.response.start":
                is_stream = Headers(scope=message).get("content-type", "").startswith(STREAM)
            elif is_stream and (body := message.get("body")):
                message = {**message, "body": _escape(bytes(body))}
            await send(message)

        await self._app(scope, receive, escaped)


def _escape(piece: bytes) -> bytes:
    if piece.isascii():
        return piece
    for sign, written in _ENDS.items():
        piece = piece.replace(sign, written)
    return piece
