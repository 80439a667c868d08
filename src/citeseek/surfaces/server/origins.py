"""Requests that another site lets a browser make are refused, apart from links to pages.

Programs send neither ``Origin`` nor ``Sec-Fetch-Site``, and browsers let no page forge them.
"""

from __future__ import annotations

from http import HTTPStatus

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from citeseek.surfaces.server.authority import Authority
from citeseek.surfaces.server.refusal import is_api, is_events, refusal

LOGIN, LOGOUT = "/login", "/logout"
_FORMS = (LOGIN, LOGOUT, "/search")
_CHANGE_NOTHING = frozenset({"GET", "HEAD", "OPTIONS"})
_JSON, _FORM = "application/json", "application/x-www-form-urlencoded"
_HINT = "A proxy before this server must pass the Host header on as it came."


class OriginCheck:
    """Lets requests through that were not made on behalf of another site.

    Behind it ``Host`` is well formed, see :mod:`citeseek.surfaces.server.hosts`.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on or refuse it."""
        headers = Headers(scope=scope)
        answer = None
        if _is_foreign(scope, headers):
            detail = "The request was made by another site."
            answer = refusal(scope, HTTPStatus.FORBIDDEN, detail, hint=_HINT)
        elif scope["method"] not in _CHANGE_NOTHING and _has_body(headers):
            wanted = _FORM if scope["path"] in _FORMS else _JSON
            if _media_types(headers) != [wanted]:
                detail = f"The body must be {wanted}, and Content-Type must say so."
                answer = refusal(scope, HTTPStatus.UNSUPPORTED_MEDIA_TYPE, detail)
        await (answer or self._app)(scope, receive, send)


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
