"""What a request passes before any application over HTTP gets it: one list, in one order."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import TypeAlias

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citeseek.observing.metrics import PATHS as METRICS
from citeseek.person import OPERATOR
from citeseek.shared_state.valkey import Valkey
from citeseek.surfaces.server.audit_log import AuditLog
from citeseek.surfaces.server.headers import SafeHeaders
from citeseek.surfaces.server.origins import HostCheck, OriginCheck, brings_batch, brings_file
from citeseek.surfaces.server.rate_limit import RequestRate
from citeseek.surfaces.server.refusal import refusal
from citeseek.surfaces.server.requests import Counting, Requests
from citeseek.surfaces.server.rules import Rules

# Makes of an application the same with something before it.
Middleware: TypeAlias = Callable[[ASGIApp], ASGIApp]
# Files may take so many times as long as other bodies.
_FILE_PATIENCE = 4
log = logging.getLogger(__name__)


def guard_chain(
    app: ASGIApp,
    *,
    rules: Rules,
    door: Middleware,
    meters: Counting | None = None,
    valkey: Valkey | None = None,
) -> ASGIApp:
    """Return ``app`` behind its guard.

    Of the requests that arrive it gets those that mean this server, were not made on behalf of
    another site, have a small body, are let in by ``door``, and are not too many. Only
    whoever was let in may send a file, which is larger. ``door`` is what
    asks for a token; with ``rules.open_metrics`` everybody gets past it to the metrics. ``meters``
    count requests, refused ones as well, and the audit log has a line for those that change
    something. All processes at ``valkey`` count a caller's together. Raise InvalidInput where the
    audit log cannot be written to.
    """

    def entrance(inner: ASGIApp) -> ASGIApp:
        return _past(door(inner), inner) if rules.open_metrics else door(inner)

    def pace(inner: ASGIApp) -> ASGIApp:
        return RequestRate(
            inner, rules.per_minute, guest_per_minute=rules.guest_per_minute, valkey=valkey
        )

    everybody = None if rules.has_door else OPERATOR
    audit = AuditLog(rules.audit_log, everybody) if rules.audit_log else None
    chain: tuple[Middleware, ...] = (
        partial(Requests, meters=meters, audit=audit),
        SafeHeaders,
        Failures,
        partial(HostCheck, rules=rules),
        OriginCheck,
        partial(BodyLimit, rules=rules),
        entrance,
        partial(BodyLimit, rules=rules, of_files=True),
        pace,
    )
    http = app
    for middleware in reversed(chain):
        http = middleware(http)

    async def guard(scope: Scope, receive: Receive, send: Send) -> None:
        match scope["type"]:
            case "http":
                await http(scope, receive, send)
            case "lifespan":
                await app(scope, receive, send)
            case _:
                # There is nothing here that a WebSocket could speak to.
                await send({"type": "websocket.close", "code": 1008})

    return guard


def _past(door: ASGIApp, app: ASGIApp) -> ASGIApp:
    """Return ``door``, past which everybody gets to the metrics of ``app``."""

    async def entrance(scope: Scope, receive: Receive, send: Send) -> None:
        await (app if scope["path"] in METRICS else door)(scope, receive, send)

    return entrance


class Failures:
    """Answers for the application when it breaks.

    A stream that breaks in the middle is cut off, so that nobody takes it for whole.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; raise what broke an answer that has begun."""
        has_begun = False
        # Starlette answers for itself before it raises; then this is not sent.
        held: list[Message] = []

        async def watched(message: Message) -> None:
            nonlocal has_begun
            if held or message.get("status") == HTTPStatus.INTERNAL_SERVER_ERROR:
                held.append(message)
                return
            has_begun = True
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except Exception:
            if has_begun:
                raise
            log.exception("%s %r failed.", scope["method"], scope["path"])
            answer = refusal(scope, HTTPStatus.INTERNAL_SERVER_ERROR, "broken")
            await answer(scope, receive, send)
        else:
            for message in held:
                await send(message)


class BodyLimit:
    """Lets requests through whose body is small, whether or not they tell its length.

    Those that bring a file pass the one without ``of_files``, and all others the one with it. One
    that brings a batch passes both: its route has a limit of its own, and never has all of it.
    """

    def __init__(self, app: ASGIApp, rules: Rules, *, of_files: bool = False) -> None:
        self._app = app
        self._of_files = of_files
        self._most = rules.max_file if of_files else rules.max_body
        self._seconds = rules.body_seconds * (_FILE_PATIENCE if of_files else 1)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on or refuse it; nobody hears an answer when the client has left."""
        headers = Headers(scope=scope)
        if brings_batch(scope) or brings_file(scope) is not self._of_files:
            await self._app(scope, receive, send)
            return
        if "transfer-encoding" not in headers and headers.get("content-length", "0") == "0":
            await self._app(scope, receive, send)
            return
        try:
            length = int(headers.get("content-length", "0"))
            if length > self._most:
                raise _TooLarge  # noqa: TRY301 - told before anything is read
            async with asyncio.timeout(self._seconds):
                body = await self._read(receive)
        except _TooLarge:
            answer = refusal(
                scope,
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                "body_too_large",
                code="BODY_TOO_LARGE",
                most=f"{self._most:,}",
            )
            await answer(scope, receive, send)
        except TimeoutError:
            answer = refusal(scope, HTTPStatus.REQUEST_TIMEOUT, "body_too_slow", headers=_CLOSE)
            await answer(scope, receive, send)
        else:
            if body is not None:
                await self._app(scope, _again(body, receive), send)

    async def _read(self, receive: Receive) -> bytes | None:
        """Return the body, None when the client left before its end."""
        body = bytearray()
        while (message := await receive())["type"] == "http.request":
            body += message.get("body", b"")
            if len(body) > self._most:
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
