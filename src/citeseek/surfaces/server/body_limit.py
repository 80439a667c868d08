"""The body of a request: read whole before the application is called, up to a limit."""

from __future__ import annotations

import asyncio
from http import HTTPStatus

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citeseek.surfaces.server.refusal import refusal
from citeseek.surfaces.server.rules import Rules


class BodyLimit:
    """Lets requests through whose body is small, whether or not they tell its length."""

    def __init__(self, app: ASGIApp, rules: Rules) -> None:
        self._app = app
        self._rules = rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on or refuse it; nobody hears an answer when the client has left."""
        headers = Headers(scope=scope)
        if "transfer-encoding" not in headers and headers.get("content-length", "0") == "0":
            await self._app(scope, receive, send)
            return
        try:
            length = int(headers.get("content-length", "0"))
            if length > self._rules.max_body:
                raise _TooLarge  # noqa: TRY301 - told before anything is read
            async with asyncio.timeout(self._rules.body_seconds):
                body = await self._read(receive)
        except _TooLarge:
            detail = f"The body has more than {self._rules.max_body:,} bytes."
            answer = refusal(
                scope, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, detail, code="BODY_TOO_LARGE"
            )
            await answer(scope, receive, send)
        except TimeoutError:
            detail = "The body did not come in time."
            answer = refusal(scope, HTTPStatus.REQUEST_TIMEOUT, detail, headers=_CLOSE)
            await answer(scope, receive, send)
        else:
            if body is not None:
                await self._app(scope, _again(body, receive), send)

    async def _read(self, receive: Receive) -> bytes | None:
        """Return the body, None when the client left before its end."""
        body = bytearray()
        while (message := await receive())["type"] == "http.request":
            body += message.get("body", b"")
            if len(body) > self._rules.max_body:
                raise _TooLarge
            if not message.get("more_body", False):
                return bytes(body)
        return None


class _TooLarge(Exception):
    """The body is over the limit."""


_CLOSE = {"Connection": "close"}


def _again(body: bytes, receive: Receive) -> Receive:
    """Return a ``receive`` that gives the whole body first."""
    first: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def next_message() -> Message:
        return first.pop() if first else await receive()

    return next_message
