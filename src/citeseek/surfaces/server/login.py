"""Who has a token comes in: programs by a header, people by a cookie that the login gives them.

Others come in by an account elsewhere (:mod:`citeseek.surfaces.sign_in`), and have the same cookie.
It is marked Secure when the browser itself says that it came over https, in its ``Origin``, or the
settings say so; no header of a proxy is believed.
"""

from __future__ import annotations

import logging
import time
from contextlib import suppress
from http import HTTPStatus
from urllib.parse import parse_qs

from starlette.datastructures import Headers, QueryParams
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from citeseek.person import STRANGER
from citeseek.shared_state.valkey import Gone, Valkey
from citeseek.surfaces.server.headers import STATIC
from citeseek.surfaces.server.login_cookie import (
    COOKIE,
    SECONDS,
    Clock,
    Seal,
    id_of,
    read_cookies,
    set_login_cookie,
)
from citeseek.surfaces.server.login_page import HOME, LoginPage, local, login_for
from citeseek.surfaces.server.origins import LOGIN, LOGOUT, SHARED
from citeseek.surfaces.server.refusal import is_api, is_events, refusal
from citeseek.surfaces.server.rules import Rules, Visitor
from citeseek.surfaces.server.token_check import CHALLENGE, Tokens, Tries, address_of, pass_on
from citeseek.surfaces.sign_in.provider import STATUS, SignInFailed
from citeseek.surfaces.sign_in.registration import BACK, START
from citeseek.surfaces.sign_in.sign_in import SignIn

HEALTH = "/api/v1/health"
SEARXNG_HEALTH = "/healthz"
_FIELDS = 8

log = logging.getLogger(__name__)


class Login:
    """Lets requests through of those whom ``rules`` know; answers ``/login`` and ``/logout``.

    With ``sign_in`` an issuer says who people are as well.
    Servers at one ``valkey`` count wrong tries together, and a login that ended in one has ended in
    all; while it is gone each goes by what it knows.
    The application is called as the person who makes it (:mod:`citeseek.person`), and finds in
    ``scope["state"]["caller"]`` under which name it is counted.
    """

    def __init__(
        self,
        app: ASGIApp,
        rules: Rules,
        now: Clock = time.time,
        *,
        valkey: Valkey | None = None,
        sign_in: SignIn | None = None,
    ) -> None:
        self._app = app
        self._sign_in = sign_in
        self._page = LoginPage(rules)
        self._seals = [(Seal(each.token, now), each) for each in rules.holders]
        self._tries = Tries(valkey=valkey)
        self._valkey = valkey
        self._tokens = Tokens(rules, self._tries)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer it."""
        path = scope["path"]
        answer: ASGIApp
        if path == LOGIN:
            answer = await self._login(scope, receive)
        elif path == LOGOUT:
            answer = await self._log_out(scope)
        elif self._sign_in is not None and path in (START, BACK):
            answer = await self._sign_in_elsewhere(self._sign_in, Request(scope, receive))
        elif (visitor := await self._find_visitor(scope)) is not None:
            answer = pass_on(self._app, visitor)
        elif (refused := await self._tokens.refusal(scope)) is not None:
            answer = refused
        elif path.startswith((STATIC, SHARED)):
            answer = pass_on(self._app, Visitor(STRANGER, ""))
        elif path == HEALTH:
            answer = JSONResponse({"status": "ok"})
        elif path == SEARXNG_HEALTH:
            answer = PlainTextResponse("OK")
        else:
            answer = _refuse(scope)
        await answer(scope, receive, send)

    async def _find_visitor(self, scope: Scope) -> Visitor | None:
        """Return who makes the request, None for whoever brings neither token nor login."""
        visitor = self._tokens.visitor(scope)
        if visitor is not None:
            return visitor
        for value in _logins(scope):
            if (visitor := self._remember(value)) and not await self._is_revoked(value):
                return visitor
        return None

    def _remember(self, value: str) -> Visitor | None:
        """Return whose cookie ``value`` is."""
        for seal, holder in self._seals:
            if seal.is_valid(value):
                return holder.visitor
        person = self._sign_in.find_person(value) if self._sign_in else None
        return Visitor.of(person) if person else None

    async def _is_revoked(self, value: str) -> bool:
        """Whether another server was asked to let it hold no longer."""
        if self._valkey is not None:
            with suppress(Gone):
                return bool(await self._valkey.call("EXISTS", _revoked(value)))
        return False

    async def _revoke_for_all(self, value: str) -> None:
        if self._valkey is not None:
            with suppress(Gone):
                await self._valkey.call("SET", _revoked(value), "1", "EX", str(SECONDS))

    async def _login(self, scope: Scope, receive: Receive) -> Response:
        if scope["method"] == "POST":
            return await self._try(Request(scope, receive))
        if scope["method"] not in ("GET", "HEAD"):
            return _no_such_method(scope, "GET, HEAD, POST")
        wanted = local(QueryParams(scope["query_string"]).get("next", HOME))
        if await self._find_visitor(scope) is not None:
            return _see(wanted)
        return self._page.show(Request(scope), wanted)

    async def _try(self, request: Request) -> Response:
        fields = _fields(await request.body())
        wanted = local(fields.get("next", HOME))
        holder = self._tokens.find(fields.get("token", "").strip())
        if holder is None:
            address = address_of(request.scope)
            if wait := await self._tries.fail(address):
                return self._page.show(
                    request,
                    wanted,
                    note="wait",
                    values={"seconds": str(wait)},
                    status=HTTPStatus.TOO_MANY_REQUESTS,
                    headers={"Retry-After": str(wait)},
                )
            log.warning("A login from %s failed.", address)
            return self._page.show(
                request, wanted, note="wrong", status=HTTPStatus.UNAUTHORIZED, headers=CHALLENGE
            )
        request.scope.setdefault("state", {})["person"] = holder.visitor.person
        answer = _see(wanted)
        seal = next(seal for seal, each in self._seals if each == holder)
        set_login_cookie(answer, seal.fresh(), SECONDS, is_https=_came_over_https(request))
        return answer

    async def _sign_in_elsewhere(self, sign_in: SignIn, request: Request) -> Response:
        """Send a browser to the issuer, or let in whom it sends back."""
        if request.method != "GET":
            return _no_such_method(request.scope, "GET")
        try:
            if request.url.path == START:
                return await sign_in.begin(request)
            return await sign_in.end(request, self._page)
        except SignInFailed as failed:
            address = address_of(request.scope)
            log.warning("A sign-in from %s failed: %s.", address, failed.reason.rstrip("."))
            return self._page.show(
                request,
                failed.next_path,
                note=f"failed.{failed.case}",
                status=STATUS[failed.case],
                values=failed.values,
            )

    async def _log_out(self, scope: Scope) -> Response:
        if scope["method"] != "POST":
            return _no_such_method(scope, "POST")
        request, there = Request(scope), None
        elsewhere = [self._sign_in.seal] if self._sign_in else []
        for value in _logins(scope):
            if visitor := self._remember(value):
                scope.setdefault("state", {})["person"] = visitor.person
            for seal in (*(seal for seal, _ in self._seals), *elsewhere):
                if seal.is_valid(value):
                    seal.revoke(value)
                    await self._revoke_for_all(value)
                    if self._sign_in and seal is self._sign_in.seal:
                        there = await self._sign_in.end_session_address()
        # A form may not lead to another site, not even by a redirect.
        answer = self._page.lead(request, "signed_out", there) if there else _see(LOGIN)
        set_login_cookie(answer, "", 0, is_https=_came_over_https(request))
        return answer


def _revoked(value: str) -> str:
    return f"revoked:{id_of(value)}"


def _refuse(scope: Scope) -> Response:
    if scope["method"] in ("GET", "HEAD") and not is_api(scope) and not is_events(scope):
        return _see(login_for(scope))
    return refusal(
        scope,
        HTTPStatus.UNAUTHORIZED,
        "token_or_login",
        headers=CHALLENGE,
    )


def _no_such_method(scope: Scope, allowed: str) -> Response:
    status, headers = HTTPStatus.METHOD_NOT_ALLOWED, {"Allow": allowed}
    return refusal(scope, status, "method", headers=headers, allowed=allowed)


def _see(path: str) -> Response:
    return RedirectResponse(path, HTTPStatus.SEE_OTHER)


def _came_over_https(request: Request) -> bool:
    origin = request.headers.get("origin", "")
    return "https" in (request.url.scheme, origin.partition(":")[0])


def _logins(scope: Scope) -> list[str]:
    return [value for name, value in read_cookies(Headers(scope=scope)) if name == COOKIE]


def _fields(body: bytes) -> dict[str, str]:
    """Return the fields of a form, none when it is no form."""
    try:
        found = parse_qs(body.decode(), keep_blank_values=True, max_num_fields=_FIELDS)
    except ValueError:
        return {}
    return {name: values[0] for name, values in found.items()}
