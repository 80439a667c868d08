"""Who has a token comes in: programs by a header, people by a cookie that the login gives them.

A cookie is marked Secure when the browser itself says that it came over https, in its ``Origin``;
no header of a proxy is believed.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path
from typing import Literal, TypeAlias
from urllib.parse import parse_qs, quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.datastructures import Headers, QueryParams
from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.types import ASGIApp, Receive, Scope, Send

from citeseek.person import STRANGER
from citeseek.shared_state.valkey import Gone, Valkey
from citeseek.surfaces.server.headers import STATIC
from citeseek.surfaces.server.login_cookie import SECONDS, Clock, Seal, id_of
from citeseek.surfaces.server.origins import LOGIN, LOGOUT, SHARED
from citeseek.surfaces.server.refusal import is_api, is_events, refusal
from citeseek.surfaces.server.rules import Rules, Visitor
from citeseek.surfaces.server.token_check import CHALLENGE, Tokens, Tries, address_of, pass_on

Note: TypeAlias = Literal["", "wrong", "wait"]

_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def login_page(
    next_path: str,
    *,
    note: Note = "",
    seconds: int = 0,
    status: HTTPStatus = HTTPStatus.OK,
    headers: Mapping[str, str] | None = None,
) -> HTMLResponse:
    """Return the page; ``note`` says what was wrong, ``seconds`` how long to wait."""
    template = _TEMPLATES.get_template("login.html")
    body = template.render(next_path=next_path, note=note, seconds=seconds)
    return HTMLResponse(body, status, headers=headers)


HOME = "/"
# Two slashes begin a host, browsers read \ as /, and they leave tabs and line ends out.
_LOCAL = re.compile(r"/(?!/)[!-\[\]-~]{0,2000}")


def local(path: str) -> str:
    """Return ``path`` if it is surely a path of this server, else the first page."""
    return path if _LOCAL.fullmatch(path) else HOME


def login_for(scope: Scope) -> str:
    """Return the address of the login that leads back to what was asked for."""
    path = quote(scope["path"], safe="/:@!$&'()*+,;=~")
    query = scope["query_string"].decode("latin-1")
    wanted = local(f"{path}?{query}" if query else path)
    return "/login" if wanted == HOME else f"/login?next={quote(wanted, safe='/')}"


HEALTH = "/api/v1/health"
SEARXNG_HEALTH = "/healthz"
COOKIE = "citeseek_login"
_FIELDS = 8

log = logging.getLogger(__name__)


class Login:
    """Lets requests through of those whom ``rules`` know; answers ``/login`` and ``/logout``.

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
    ) -> None:
        self._app = app
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
        for value in _cookies(Headers(scope=scope)):
            for seal, holder in self._seals:
                if seal.is_valid(value) and not await self._is_revoked(value):
                    return holder.visitor
        return None

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
        return login_page(wanted) if await self._find_visitor(scope) is None else _see(wanted)

    async def _try(self, request: Request) -> Response:
        fields = _fields(await request.body())
        wanted = local(fields.get("next", HOME))
        holder = self._tokens.find(fields.get("token", "").strip())
        if holder is None:
            address = address_of(request.scope)
            if wait := await self._tries.fail(address):
                return login_page(
                    wanted,
                    note="wait",
                    seconds=wait,
                    status=HTTPStatus.TOO_MANY_REQUESTS,
                    headers={"Retry-After": str(wait)},
                )
            log.warning("A login from %s failed.", address)
            return login_page(
                wanted, note="wrong", status=HTTPStatus.UNAUTHORIZED, headers=CHALLENGE
            )
        answer = _see(wanted)
        seal = next(seal for seal, each in self._seals if each == holder)
        _set_cookie(answer, request, seal.fresh(), SECONDS)
        return answer

    async def _log_out(self, scope: Scope) -> Response:
        if scope["method"] != "POST":
            return _no_such_method(scope, "POST")
        for value in _cookies(Headers(scope=scope)):
            for seal, _ in self._seals:
                if seal.is_valid(value):
                    seal.revoke(value)
                    await self._revoke_for_all(value)
        answer = _see(LOGIN)
        _set_cookie(answer, Request(scope), "", 0)
        return answer


def _revoked(value: str) -> str:
    return f"revoked:{id_of(value)}"


def _refuse(scope: Scope) -> Response:
    if scope["method"] in ("GET", "HEAD") and not is_api(scope) and not is_events(scope):
        return _see(login_for(scope))
    return refusal(
        scope,
        HTTPStatus.UNAUTHORIZED,
        "The token of this server is missing or wrong.",
        hint="Send it as Authorization: Bearer TOKEN, or log in at /login.",
        headers=CHALLENGE,
    )


def _no_such_method(scope: Scope, allowed: str) -> Response:
    detail = f"Only {allowed} can be done here."
    return refusal(scope, HTTPStatus.METHOD_NOT_ALLOWED, detail, headers={"Allow": allowed})


def _see(path: str) -> Response:
    return RedirectResponse(path, HTTPStatus.SEE_OTHER)


def _set_cookie(answer: Response, request: Request, value: str, seconds: int) -> None:
    origin = request.headers.get("origin", "")
    answer.set_cookie(
        COOKIE,
        value,
        max_age=seconds,
        secure="https" in (request.url.scheme, origin.partition(":")[0]),
        httponly=True,
        samesite="strict",
    )


def _cookies(headers: Headers) -> list[str]:
    """Return every cookie of the name: pages of a neighbouring name may add theirs."""
    pairs = (each.strip().partition("=") for each in ";".join(headers.getlist("cookie")).split(";"))
    return [value for name, _, value in pairs if name == COOKIE]


def _fields(body: bytes) -> dict[str, str]:
    """Return the fields of a form, none when it is no form."""
    try:
        found = parse_qs(body.decode(), keep_blank_values=True, max_num_fields=_FIELDS)
    except ValueError:
        return {}
    return {name: values[0] for name, values in found.items()}
