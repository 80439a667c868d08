"""The page that says how the server and what it rests on stand, for eyes as for programs."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from citeseek.surfaces.page.readers import Readers, page_response, theme_of
from citeseek.surfaces.rest.documented import json_response
from citeseek.surfaces.rest.server_status import ServerStatus

_JSON, _HTML = "application/json", "text/html"


def status_router(status: ServerStatus, readers: Readers) -> APIRouter:
    """Return the page, which is JSON for whoever would rather have that."""
    router = APIRouter(include_in_schema=False)

    @router.api_route("/status", methods=["GET", "HEAD"])
    async def page(request: Request) -> Response:
        """Show how the server stands; others than owners are shown what works."""
        rendering = readers.rendering(request)
        found = await status.read(rendering.words)
        if _wants_json(request.headers.get("accept", "")):
            return json_response(found, Vary="Accept, Accept-Language, Cookie")
        html = rendering.fill(
            "server_status.html", status=found, span=_span, theme=theme_of(request)
        )
        response = page_response(html, request)
        response.headers["Vary"] += ", Accept"
        return response

    return router


def _wants_json(accepted: str) -> bool:
    """Whether JSON is named before HTML is; browsers name HTML first."""
    named = [each.partition(";")[0].strip().lower() for each in accepted.split(",")]
    return _JSON in named and (_HTML not in named or named.index(_JSON) < named.index(_HTML))


def _span(seconds: int) -> dict[str, int]:
    """Return a time as hours and minutes."""
    minutes = seconds // 60
    return {"hours": minutes // 60, "minutes": minutes % 60}
