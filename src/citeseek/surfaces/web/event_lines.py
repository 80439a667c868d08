"""Streams of events whose lines end where every client thinks that they end."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

STREAM = "text/event-stream"
# Python's ``splitlines`` ends a line there too, and with it clients that are based on httpx. In
# JSON, which all of our events are, these can stand within strings alone.
_ENDS = {sign.encode(): f"\\u{ord(sign):04x}".encode() for sign in ("\x85", "\u2028", "\u2029")}


class EventLines:
    """Escapes the line ends of Unicode in the event streams of an application."""

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
                message = {**message, "body": _escaped(bytes(body))}
            await send(message)

        await self._app(scope, receive, escaped)


def _escaped(piece: bytes) -> bytes:
    if piece.isascii():
        return piece
    for sign, written in _ENDS.items():
        piece = piece.replace(sign, written)
    return piece
