"""Where programs that were written for others ask: told from what stands at the same place here."""

from __future__ import annotations

from starlette.datastructures import Headers, QueryParams
from starlette.types import ASGIApp, Receive, Scope, Send

from citeseek.surfaces.web.error_formats import SEARXNG_SEARCH, TAVILY_PREFIX

_TAVILY = {"/search": f"{TAVILY_PREFIX}search", "/extract": f"{TAVILY_PREFIX}extract"}


class ForeignPaths:
    """Gives requests of other programs the paths that they have here.

    A search at ``/`` is one at ``/search``, where a person gets the page. JSON that is sent to
    ``/search``, which a SearXNG does not take, and to ``/extract``, is for Tavily.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, to another path where it is one of these."""
        if scope["type"] == "http" and (path := _path(scope)):
            scope = {**scope, "path": path, "raw_path": path.encode()}
        await self._app(scope, receive, send)


def _path(scope: Scope) -> str | None:
    asked, method = scope["path"], scope["method"]
    if asked == "/" and method == "GET":
        form = QueryParams(scope["query_string"]).get("format", "html")
        return None if form == "html" else SEARXNG_SEARCH
    if asked in _TAVILY and method == "POST":
        media_type = Headers(scope=scope).get("content-type", "").partition(";")[0]
        return _TAVILY[asked] if media_type.strip().lower() == "application/json" else None
    return None
