"""Requests that call the server by a name that is not its own are refused: DNS rebinding.

A web page may let its own name lead to this machine; its browser then takes our answers for the
page's own. The ``Host`` header still holds the page's name.
"""

from __future__ import annotations

from http import HTTPStatus

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from citeseek.surfaces.server.authority import Authority
from citeseek.surfaces.server.refusal import refusal
from citeseek.surfaces.server.rules import Rules

_HINT = "If it should be, add it to server.hosts (CITESEEK_HOSTS)."


class HostCheck:
    """Lets requests through that mean this server."""

    def __init__(self, app: ASGIApp, rules: Rules) -> None:
        self._app = app
        self._rules = rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on or refuse it."""
        named = Headers(scope=scope).getlist("host")
        called = Authority.read(named[0]) if len(named) == 1 else None
        # A target with a host of its own (GET http://…) is for proxies.
        if called is None or not scope["path"].startswith("/"):
            detail = "The request does not say properly which server it is for."
            await refusal(scope, HTTPStatus.BAD_REQUEST, detail)(scope, receive, send)
        elif not self._rules.allows(called.name):
            detail = f"{called.name:.255} is not a name of this server."
            answer = refusal(scope, HTTPStatus.MISDIRECTED_REQUEST, detail, hint=_HINT)
            await answer(scope, receive, send)
        else:
            await self._app(scope, receive, send)
