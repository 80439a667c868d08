"""``GET /?q=tea&format=json``: some clients of a SearXNG know no other address than its own."""

from __future__ import annotations

from starlette.datastructures import QueryParams
from starlette.types import ASGIApp, Receive, Scope, Send

from citeseek.surfaces.web.error_formats import SEARXNG_SEARCH


class SearxngRoot:
    """Takes a search at ``/`` for one at ``/search``; a person gets the page there."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, to another path where it is a search."""
        if scope["type"] == "http" and scope["path"] == "/" and scope["method"] == "GET":
            form = QueryParams(scope["query_string"]).get("format", "html")
            if form != "html":
                path = SEARXNG_SEARCH
                scope = {**scope, "path": path, "raw_path": path.encode()}
        await self._app(scope, receive, send)
