"""Every request gets an id, is counted, and has a line in the log."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Protocol

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citeseek.observing.account import Account, CallAccount
from citeseek.observing.hooks import watching
from citeseek.observing.log_lines import FIELDS, HEADER, REQUEST_ID, usable
from citeseek.observing.operation import Watcher
from citeseek.surfaces.server.audit_log import AuditLog, BudgetWatch


class Counting(Watcher, Protocol):
    """A watcher that is told of the server's own requests as well."""

    def served(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request whose answer began after ``seconds``."""
        ...


class WatchedRequests:
    """Tells ``watchers`` what is done for the requests of an application.

    Each request has an ``account`` of its own beside theirs: whatever a route does, which need not
    know of it, is held to what one call may spend.
    """

    def __init__(
        self, app: ASGIApp, watchers: Sequence[Watcher], account: Callable[[], Account]
    ) -> None:
        self._app = app
        self._watchers = watchers
        self._account = account

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        with watching(*self._watchers, CallAccount(self._account)):
            await self._app(scope, receive, send)


# Paths that lead nowhere have no end; nor has the route that takes what no other took.
_UNKNOWN = "other"
_ANYWHERE = re.compile(r"/\{\w+:path\}")
_PARAMETER = re.compile(r"\{(\w+)(?::\w+)?\}")

log = logging.getLogger(__name__)


class Requests:
    """Gives each request the id in ``X-Request-ID``, or one of its own, and gives it back.

    What is done for a request is told to ``meters``, and how it ended to ``audit``, if there are
    any.
    """

    def __init__(
        self, app: ASGIApp, meters: Counting | None = None, audit: AuditLog | None = None
    ) -> None:
        self._app = app
        self._meters = meters
        self._audit = audit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        request_id = usable(Headers(scope=scope).get(HEADER, ""))
        began = time.perf_counter()
        status, waited = 0, 0.0

        async def marked(message: Message) -> None:
            nonlocal status, waited
            if message["type"] == "http.response.start":
                status, waited = message["status"], time.perf_counter() - began
                MutableHeaders(scope=message)[HEADER] = request_id
            await send(message)

        token = REQUEST_ID.set(request_id)
        try:
            with ExitStack() as stack:
                if self._meters is not None:
                    stack.enter_context(watching(self._meters))
                if self._audit is not None:
                    # The line of a request may say what its route alone knows.
                    scope.setdefault("state", {})
                    stack.enter_context(watching(BudgetWatch(self._audit, scope)))
                await self._app(scope, receive, marked)
        finally:
            if self._meters is not None and status:
                self._meters.served(scope["method"], _route(scope), status, waited)
            if self._audit is not None:
                self._audit.tell(scope, _route(scope), status)
            self._tell(scope, status, time.perf_counter() - began)
            REQUEST_ID.reset(token)

    @staticmethod
    def _tell(scope: Scope, status: int, seconds: float) -> None:
        if not log.isEnabledFor(logging.INFO):
            return
        # The query is left out: it is what somebody looked for.
        attributes = {
            "method": scope["method"],
            "path": scope["path"],
            "status": status,
            "ms": round(seconds * 1000),
            "caller": scope.get("state", {}).get("caller") or (scope.get("client") or ("",))[0],
        }
        log.info(
            "%s %r %d, %d ms",
            attributes["method"],
            attributes["path"],
            status,
            attributes["ms"],
            extra={FIELDS: attributes},
        )


def _route(scope: Scope) -> str:
    """Return the route with names in place of what a caller wrote: ``/sessions/{session_id}``."""
    # The routes of a router within another one do not know where that one is.
    within = getattr(scope.get("route"), "path", None)
    if within is None or _ANYWHERE.fullmatch(within):
        return _UNKNOWN
    values = scope.get("path_params", {})
    filled = _PARAMETER.sub(lambda named: str(values.get(named[1], "")), within)
    path: str = scope["path"]
    return path.removesuffix(filled) + within if path.endswith(filled) else str(within)
