"""The server over streamable HTTP, behind the guard that the chat page has as well.

Hosts that never end their sessions have a limit of them.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import msgspec
from mcp.server import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.requests import Request as Asked
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from citeseek.client import Client
from citeseek.conversations.store import open_store
from citeseek.errors import InvalidInput
from citeseek.extras import MissingExtra, how_to_install, needing
from citeseek.observing.metrics import PATHS, meters_of, why_nothing
from citeseek.person import current_person
from citeseek.settings import Settings
from citeseek.surfaces.mcp.counted_use import CountedUse
from citeseek.surfaces.mcp.issued_tokens import IssuedTokens
from citeseek.surfaces.mcp.protected_resource import PATH, AccessDoor, AccessTokens, Resource
from citeseek.surfaces.mcp.server import create_server
from citeseek.surfaces.mcp.token_issuer import TokenIssuer
from citeseek.surfaces.server.guard_chain import guard_chain
from citeseek.surfaces.server.refusal import refusal
from citeseek.surfaces.server.rules import Rules
from citeseek.surfaces.server.token_check import CHALLENGE, Tokens, Tries, address_of, pass_on
from citeseek.surfaces.web.accepted_language import words_for
from citeseek.surfaces.web.event_streams import EventLines
from citeseek.surfaces.web.issuer_documents import ask_through

if TYPE_CHECKING:
    from citeseek.observing.meters import Meters
    from citeseek.shared_state.valkey import Valkey
    from citeseek.surfaces.mcp.authorization_server import AuthorizationServer

_ID = "mcp-session-id"


def metrics_routes(meters: Meters | None) -> list[Route]:
    """Return the routes of what ``meters`` have counted; without any they say why."""

    async def page(request: Asked) -> Response:
        if meters is None:
            why = why_nothing(words_for(request))
            return refusal(request.scope, HTTPStatus.NOT_FOUND, "no_metrics", why=why)
        from citeseek.observing.meters import MEDIA_TYPE  # noqa: PLC0415 - an extra

        return Response(meters.page(), media_type=MEDIA_TYPE)

    return [Route(path, page) for path in PATHS]


MAX_SESSIONS = 256
# Those in which requests are being answered are not ended for others.
_BUSY_SESSIONS = 64


def http_app(settings: Settings, rules: Rules) -> ASGIApp:
    """Return the application at ``/mcp``, with its metrics at ``/metrics``.

    It is behind :mod:`citeseek.surfaces.server.guard_chain`, whose door asks for the token. Raise
    InvalidInput for an issuer of access tokens that cannot be relied on, and where libraries are
    missing that our own needs.
    """
    resource = Resource.of(settings)
    client = Client(settings)
    own = None
    if resource is not None and resource.is_own:
        own = _own_server(resource, settings, rules, client)
    meters = meters_of(settings.server.metrics, client.engine_states)
    server = create_server(client)
    # Where nobody is known, all is done for whoever runs the server.
    knows_people = bool(rules.people or rules.proxy or resource)
    tokens: AccessTokens | None = None
    if resource is not None and own is None:
        tokens = IssuedTokens(resource, TokenIssuer(resource.issuer, ask_through(lambda: client)))
    return served(
        server,
        rules,
        meters=meters,
        valkey=client.valkey,
        resource=resource,
        tokens=tokens,
        own=own,
        counted=settings if knows_people else None,
    )


def _own_server(
    resource: Resource, settings: Settings, rules: Rules, client: Client
) -> AuthorizationServer:
    """Return the authorization server that the settings want here."""
    try:
        with needing("serve"):
            from citeseek.surfaces.mcp.authorization_server import (  # noqa: PLC0415 - an extra
                AuthorizationServer,
            )
            from citeseek.surfaces.sign_in.sign_in import open_sign_in  # noqa: PLC0415 - likewise
        store = open_store(settings)
        ask = ask_through(lambda: client)
        sign_in = open_sign_in(rules.sign_in, ask) if rules.sign_in else None
    except MissingExtra as error:
        raise InvalidInput(
            "The setting mcp.authorization (CITESEEK_MCP_AUTHORIZATION) needs libraries that are "
            "missing.",
            hint=str(error),
            values={"case": "authorization_libraries", "repair": how_to_install(error.extra)},
        ) from None
    return AuthorizationServer(
        resource, store, rules, fetch=client.document, sign_in=sign_in, valkey=client.valkey
    )


def served(
    server: Server[Any],
    rules: Rules,
    *,
    meters: Meters | None = None,
    valkey: Valkey | None = None,
    resource: Resource | None = None,
    tokens: AccessTokens | None = None,
    own: AuthorizationServer | None = None,
    counted: Settings | None = None,
) -> ASGIApp:
    """Return ``server`` as it is reached over HTTP: its transport, its sessions and the guard.

    Access tokens for ``resource`` let in as well: ``tokens`` of another issuer, or those of our
    ``own`` server, which is reached beside it. What each person uses is counted in the store of the
    settings ``counted``, if there are any.
    """
    routes = [*metrics_routes(meters), *(resource.routes() if resource else ())]
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        max_sessions=MAX_SESSIONS + _BUSY_SESSIONS,
        max_request_body_size=rules.max_body,
        custom_starlette_routes=[*routes, *(own.routes() if own else ())],
        # The guard does it.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    sessions = McpSessions(EventLines(app), MAX_SESSIONS)

    def door(inner: ASGIApp) -> ASGIApp:
        usual = _TokenCheck(inner, rules)
        if own is not None:
            return own.door(inner, usual)
        if resource is None or tokens is None:
            return usual
        return AccessDoor(inner, door=usual, resource=resource, tokens=tokens)

    behind = sessions if counted is None else CountedUse(sessions, counted, sessions.forget)
    guarded = guard_chain(behind, rules=rules, door=door, meters=meters, valkey=valkey)
    return guarded if own is None else _closing(guarded, own)


def _closing(app: ASGIApp, own: AuthorizationServer) -> ASGIApp:
    """Return ``app``, whose end closes its authorization server."""

    async def whole(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await app(scope, receive, send)
        finally:
            if scope["type"] == "lifespan":
                await own.close()

    return whole


class _TokenCheck:
    """Lets requests through that bring one of the tokens; all of them when there is none."""

    def __init__(self, app: ASGIApp, rules: Rules) -> None:
        self._app = app
        self._tokens = Tokens(rules, Tries()) if rules.has_door else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._tokens:
            visitor = self._tokens.visitor(scope)
            if visitor is None:
                answer = await self._tokens.refusal(scope) or refusal(
                    scope,
                    HTTPStatus.UNAUTHORIZED,
                    "token",
                    headers=CHALLENGE,
                )
                await answer(scope, receive, send)
                return
            await pass_on(self._app, visitor)(scope, receive, send)
            return
        await self._app(scope, receive, send)


class _McpSession(msgspec.Struct):
    """Whose session it is, and how many requests of it are being answered."""

    caller: str
    person: str
    open: int = 0


class McpSessions:
    """Keeps ``most`` sessions of ``app``; for more the one that was quiet for longest is ended.

    It is one of the caller who has most. Nobody is kept out by sessions that others left behind,
    and a host whose session was ended begins another, as the protocol says. So does one that names
    the session of another person: its calls are made as whoever began it.
    """

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app = app
        self._most = most
        # The one that was used last stands last.
        self._sessions: OrderedDict[str, _McpSession] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and see which session it begins, uses or ends."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        named = Headers(scope=scope).get(_ID, "")
        session = self._sessions.get(named)
        if session is not None and session.person != current_person().name:
            gone = refusal(scope, HTTPStatus.NOT_FOUND, "no_session")
            await gone(scope, receive, send)
            return
        begun = ""

        async def seen(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start" and not named:
                begun = Headers(raw=message["headers"]).get(_ID, "")
                if begun:
                    self._sessions[begun] = _McpSession(_caller(scope), current_person().name, 1)
            await send(message)

        if session is not None:
            session.open += 1
        try:
            await self._app(scope, receive, seen)
        finally:
            if session is not None and scope["method"] == "DELETE":
                self._sessions.pop(named, None)
            if used := self._sessions.get(named or begun):
                used.open -= 1
                self._sessions.move_to_end(named or begun)
        if begun and len(self._sessions) > self._most:
            await self._end_quiet(scope)

    async def forget(self, is_theirs: Callable[[str], bool]) -> None:
        """End every session of the person of that name, with what is cached there."""
        for id_ in [id_ for id_, each in self._sessions.items() if is_theirs(each.person)]:
            del self._sessions[id_]
            await self._end(_NO_REQUEST, id_)

    async def _end_quiet(self, scope: Scope) -> None:
        """End a session as its host would."""
        quiet = [(id_, each) for id_, each in self._sessions.items() if not each.open]
        if not quiet:
            return
        has = Counter(each.caller for each in self._sessions.values())
        id_, _ = max(quiet, key=lambda pair: has[pair[1].caller])
        del self._sessions[id_]
        await self._end(scope, id_)

    async def _end(self, scope: Scope, id_: str) -> None:
        headers = [(b"host", b"localhost"), (_ID.encode(), id_.encode())]
        await self._app({**scope, "method": "DELETE", "headers": headers}, _nothing, _nowhere)


# What a session is ended with that no request ends.
_NO_REQUEST: Scope = {
    "type": "http",
    "asgi": {"version": "3.0"},
    "http_version": "1.1",
    "scheme": "http",
    "path": PATH,
    "raw_path": PATH.encode(),
    "root_path": "",
    "query_string": b"",
    "client": None,
    "server": None,
}


def _caller(scope: Scope) -> str:
    return scope.get("state", {}).get("caller") or address_of(scope)


async def _nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _nowhere(_: Message) -> None:
    pass
