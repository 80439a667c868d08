"""A picture of a result, shown by this server so that the browser asks no other."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request
from starlette.responses import Response

from citeseek.assistant.client_pool import Clients
from citeseek.surfaces.web.disconnect import while_there
from citeseek.surfaces.web.picture_addresses import PictureAddresses

_NAME = "picture"
# More wait for their turn; a browser asks for six at once.
_AT_ONCE = 8


def router(clients: Clients, addresses: PictureAddresses) -> APIRouter:
    """Return the route of ``/image``, for addresses that ``addresses`` signed."""
    routes = APIRouter(include_in_schema=False)
    places = asyncio.Semaphore(_AT_ONCE)

    @routes.get("/image")
    async def image(request: Request, url: str = "", sig: str = "") -> Response:
        addresses.check(url, sig)
        async with places:
            picture = await while_there(request, clients.current().picture(url))
        kind = picture.media_type.partition("/")[2]
        headers = {"Content-Disposition": f'inline; filename="{_NAME}.{kind}"'}
        return Response(picture.body, media_type=picture.media_type, headers=headers)

    return routes
