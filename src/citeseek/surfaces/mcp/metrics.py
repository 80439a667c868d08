"""The metrics of the server over HTTP, where those of ``citeseek serve`` are."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from citeseek.observing.metrics import PATHS, why_nothing
from citeseek.surfaces.server.refusal import refusal

if TYPE_CHECKING:
    from citeseek.observing.meters import Meters


def routes(meters: Meters | None) -> list[Route]:
    """Return the routes of what ``meters`` have counted; without any they say why."""

    async def page(request: Request) -> Response:
        if meters is None:
            said = "This server counts nothing."
            return refusal(request.scope, HTTPStatus.NOT_FOUND, said, hint=why_nothing())
        from citeseek.observing.meters import MEDIA_TYPE  # noqa: PLC0415 - an extra

        return Response(meters.page(), media_type=MEDIA_TYPE)

    return [Route(path, page) for path in PATHS]
