"""The server over streamable HTTP, behind the guard that the chat page has as well."""

from __future__ import annotations

from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING

from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from citeseek.client import Client
from citeseek.observing.metrics import PATHS, meters_of, why_nothing
from citeseek.settings import Settings
from citeseek.surfaces.mcp.server import create_server
from citeseek.surfaces.mcp.sessions import McpSessions
from citeseek.surfaces.server.failed_logins import Tries
from citeseek.surfaces.server.guard_chain import guard_chain
from citeseek.surfaces.server.refusal import refusal
from citeseek.surfaces.server.rules import Rules
from citeseek.surfaces.server.tokens import CHALLENGE, Tokens
from citeseek.surfaces.web.event_lines import EventLines

if TYPE_CHECKING:
    from citeseek.observing.meters import Meters


def metrics_routes(meters: Meters | None) -> list[Route]:
    """Return the routes of what ``meters`` have counted; without any they say why."""

    async def page(request: Request) -> Response:
        if meters is None:
            said = "This server counts nothing."
            return refusal(request.scope, HTTPStatus.NOT_FOUND, said, hint=why_nothing())
        from citeseek.observing.meters import MEDIA_TYPE  # noqa: PLC0415 - an extra

        return Response(meters.page(), media_type=MEDIA_TYPE)

    return [Route(path, page) for path in PATHS]


PATH = "/mcp"
MAX_SESSIONS = 256
# Those in which requests are being answered are not ended for others.
_BUSY_SESSIONS = 64


def http_app(settings: Settings, rules: Rules) -> ASGIApp:
    """Return the application at ``/mcp``, with its metrics at ``/metrics``.

    It is behind :mod:`citeseek.surfaces.server.guard_chain`, whose door asks for the token.
    """
    client = Client(settings)
    meters = meters_of(settings.server.metrics, client.engine_states)
    app = create_server(client).streamable_http_app(
        streamable_http_path=PATH,
        max_sessions=MAX_SESSIONS + _BUSY_SESSIONS,
        max_request_body_size=rules.max_body,
        custom_starlette_routes=metrics_routes(meters),
        # The guard does it.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    sessions = McpSessions(EventLines(app), MAX_SESSIONS)
    return guard_chain(sessions, rules=rules, door=partial(_TokenCheck, rules=rules), meters=meters)


class _TokenCheck:
    """Lets requests through that bring one of the tokens; all of them when there is none."""

    def __init__(self, app: ASGIApp, rules: Rules) -> None:
        self._app = app
        self._tokens = Tokens(rules.tokens, Tries()) if rules.tokens else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._tokens:
            place = self._tokens.place(scope)
            if place is None:
                answer = await self._tokens.refusal(scope) or refusal(
                    scope,
                    HTTPStatus.UNAUTHORIZED,
                    "The token of this server is missing or wrong.",
                    hint="Send it as Authorization: Bearer TOKEN.",
                    headers=CHALLENGE,
                )
                await answer(scope, receive, send)
                return
            scope.setdefault("state", {})["caller"] = f"token {place + 1}"
        await self._app(scope, receive, send)
