"""Requests that mean another server, or that another site lets a browser make, are refused.

Both are told by the names in ``Host`` and ``Origin``. Programs send neither ``Origin`` nor
``Sec-Fetch-Site``, and browsers let no page forge them.
"""

from __future__ import annotations

import ipaddress
import re
from http import HTTPStatus

import msgspec
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from citeseek.surfaces.server.refusal import is_api, is_events, refusal
from citeseek.surfaces.server.rules import Rules

LOGIN, LOGOUT = "/login", "/logout"
# Where programs get and give back access, and where people say which of them have it.
AUTHORIZE, TOKEN, REVOKE, REGISTER = "/authorize", "/token", "/revoke", "/register"
PROGRAMS = "/programs"
# Pages that whoever has their address may read.
SHARED = "/s/"
_FORMS = (LOGIN, LOGOUT, "/search", AUTHORIZE, TOKEN, REVOKE, PROGRAMS)
_CHANGE_NOTHING = frozenset({"GET", "HEAD", "OPTIONS"})
_JSON_LINES = ("application/jsonl", "application/x-ndjson")
_JSON, _FORM = "application/json", "application/x-www-form-urlencoded"
_BYTES = "application/octet-stream"
# Where files of one's own are sent to.
_FILES = re.compile(r"/api/v1/sessions/(?:[^/]+/files|archive)")
# Where many questions are sent to.
BATCHES = "/api/v1/batches"
_AUTHORITY = re.compile(
    r"(?:\[([0-9a-f:.]+)\]|([a-z0-9_-]+(?:\.[a-z0-9_-]+)*)\.?)(?::([0-9]{1,5}))?"
)
_PORTS = {"http": 80, "https": 443}


class Authority(msgspec.Struct, frozen=True):
    """By which name and port a browser calls a server.

    A name in small letters or an address, without brackets, and a port unless it is usual.
    """

    name: str
    port: int | None = None

    @classmethod
    def read(cls, text: str) -> Authority | None:
        """Return what ``text``, such as ``[::1]:8000``, says; None when it is nothing of the kind.

        Raise nothing: whoever sends this may send anything.
        """
        found = _AUTHORITY.fullmatch(text.lower()) if text.isascii() else None
        if found is None or int(found[3] or 1) not in range(1, 65_536):
            return None
        name = found[2]
        if found[1]:
            try:
                name = str(ipaddress.IPv6Address(found[1]))
            except ValueError:
                return None
        return cls(name, int(found[3]) if found[3] else None)

    def is_of(self, origin: str) -> bool:
        """Whether ``origin``, such as ``http://[::1]:8000``, is the place that is called this."""
        scheme, _, rest = origin.lower().partition("://")
        usual = _PORTS.get(scheme)
        other = Authority.read(rest)
        if usual is None or other is None:
            return False
        return (self.name, self.port or usual) == (other.name, other.port or usual)


class OriginCheck:
    """Lets requests through that were not made on behalf of another site.

    Behind it ``Host`` is well formed, see :class:`HostCheck`.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on or refuse it."""
        headers = Headers(scope=scope)
        answer = None
        if _is_foreign(scope, headers):
            answer = refusal(scope, HTTPStatus.FORBIDDEN, "other_site")
        elif scope["method"] not in _CHANGE_NOTHING and _has_body(headers):
            wanted = _media_types_of(scope["path"])
            if len(sent := _media_types(headers)) != 1 or sent[0] not in wanted:
                status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE
                answer = refusal(scope, status, "media_type", wanted=wanted[0])
        await (answer or self._app)(scope, receive, send)


def _media_types_of(path: str) -> tuple[str, ...]:
    """Return of which type a body sent to ``path`` may be, whatever the method."""
    if path in _FORMS:
        return (_FORM,)
    if path == BATCHES:
        return _JSON_LINES
    return (_BYTES,) if _FILES.fullmatch(path) else (_JSON,)


def brings_batch(scope: Scope) -> bool:
    """Whether the body of a request is many questions, which its route takes as they arrive."""
    return (scope["method"], scope["path"]) == ("POST", BATCHES)


def brings_file(scope: Scope) -> bool:
    """Whether the body of a request is a file that is to be read."""
    return scope["method"] == "POST" and _FILES.fullmatch(scope["path"]) is not None


def _is_foreign(scope: Scope, headers: Headers) -> bool:
    site = headers.get("sec-fetch-site", "none")
    if site not in ("same-origin", "none"):
        return not _is_followed_link(scope, headers)
    origins = headers.getlist("origin")
    if not origins:
        return False
    called = Authority.read(headers["host"])
    return called is None or len(origins) > 1 or not called.is_of(origins[0])


def _is_followed_link(scope: Scope, headers: Headers) -> bool:
    """Whether somebody came to a page by a link; what is embedded or read is none."""
    return (
        scope["method"] in ("GET", "HEAD")
        and headers.get("sec-fetch-mode") == "navigate"
        and headers.get("sec-fetch-dest") == "document"
        and not is_api(scope)
        and not is_events(scope)
    )


def _has_body(headers: Headers) -> bool:
    return "transfer-encoding" in headers or headers.get("content-length", "0") != "0"


def _media_types(headers: Headers) -> list[str]:
    return [each.partition(";")[0].strip().lower() for each in headers.getlist("content-type")]


class HostCheck:
    """Lets requests through that mean this server: no DNS rebinding.

    A web page may let its own name lead to this machine; its browser then takes our answers for
    the page's own. The ``Host`` header still holds the page's name.
    """

    def __init__(self, app: ASGIApp, rules: Rules) -> None:
        self._app = app
        self._rules = rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on or refuse it."""
        named = Headers(scope=scope).getlist("host")
        called = Authority.read(named[0]) if len(named) == 1 else None
        # A target with a host of its own (GET http://…) is for proxies.
        if called is None or not scope["path"].startswith("/"):
            await refusal(scope, HTTPStatus.BAD_REQUEST, "no_host")(scope, receive, send)
        elif not self._rules.allows(called.name):
            name = f"{called.name:.255}"
            answer = refusal(scope, HTTPStatus.MISDIRECTED_REQUEST, "other_host", name=name)
            await answer(scope, receive, send)
        else:
            await self._app(scope, receive, send)
