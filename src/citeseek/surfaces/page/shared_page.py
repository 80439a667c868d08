"""What a link shows to whoever has it: one answer or one report, and no way to anything else."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from citeseek.conversations.shared_links import Shared, Shares
from citeseek.surfaces.page.exported_page import SHEETS, answer_page
from citeseek.surfaces.page.readers import Readers, page_response, theme_of
from citeseek.surfaces.page.rendering import Rendering
from citeseek.surfaces.page.report_body import report_body
from citeseek.surfaces.server.origins import SHARED


def shared_router(shares: Shares, readers: Readers) -> APIRouter:
    """Return the page of each of ``shares``."""
    router = APIRouter(include_in_schema=False)

    # Not the name of an id: whoever has the link may read what is there.
    @router.api_route(SHARED + "{link}", methods=["GET", "HEAD"])
    async def shared(request: Request, link: str) -> Response:
        """Show what is shared; where nothing is, that there is nothing."""
        rendering = readers.rendering(request)
        theme = theme_of(request)
        if (found := await shares.open(link)) is None:
            return page_response(rendering.not_found(theme), request, 404)
        is_demo = readers.shows_examples([found.turn]) if found.turn else readers.finds_examples()
        # A long text takes a while to be read.
        html = await asyncio.to_thread(_page_of, found, rendering, theme, is_demo=is_demo)
        response = page_response(html, request)
        response.headers["X-Robots-Tag"] = "noindex"
        return response

    return router


def _page_of(found: Shared, rendering: Rendering, theme: str, *, is_demo: bool) -> str:
    if found.turn is not None:
        return answer_page(found.turn, rendering, theme, is_demo=is_demo)
    assert found.run is not None  # noqa: S101 - it is one or the other
    body = report_body(found.run, rendering.labels)
    return rendering.fill(
        "shared_report.html",
        title=found.run["result"]["query"],
        sheets=SHEETS,
        body=Markup(body),  # noqa: S704 - sanitised
        theme=theme,
        demo=is_demo,
    )
